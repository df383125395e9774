import { writeCsv } from '../../../../src/lib/text/csv-rows.js';
import { defuseFormulas } from '../../../../src/lib/text/formulas.js';
import type { useText } from '../../language.js';
import type { DayFigures } from '../../parts/statistics/figures.js';
import type { CountedTable } from './tables.js';

type Translate = ReturnType<typeof useText>;

/** Writes a table: in all, beside the days before. */
function totalRows({ title, what, counted, rows, total }: CountedTable, t: Translate): string[][] {
  return [
    [title],
    [what, ...counted.flatMap((one) => [one, t('report.beforeColumn')])],
    ...rows.map(({ name, counts, before }) => [
      name,
      ...counts.flatMap((count, index) => [String(count), String(before[index] ?? '')]),
    ]),
    ...(rows.length < total ? [[t('stats.first', { shown: rows.length, total })]] : []),
  ];
}

/** Writes the course of a table's rows: one for each step in which something was counted. */
function courseRows({ title, what, counted, rows, steps }: CountedTable, t: Translate): string[][] {
  if (!steps) return [];
  const courses = rows.flatMap(({ name, perStep }) =>
    steps.steps.map((step, index) => ({ step, name, counts: perStep.map((counts) => counts[index] ?? 0) })),
  );
  return [
    [],
    [t('report.overTime', { title, unit: steps.unit })],
    [t('report.step', { unit: steps.unit }), what, ...counted],
    ...courses
      .filter(({ counts }) => counts.some((count) => count > 0))
      .map(({ step, name, counts }) => [step, name, ...counts.map(String)]),
  ];
}

/**
 * Writes the figures by day and all tables as one CSV file, a table after the other, without a cell that runs as a
 * formula.
 */
export function tablesAsCsv(
  figures: readonly DayFigures[],
  tables: readonly CountedTable[],
  t: Translate,
): string {
  const byDay = [
    [t('stats.day'), t('stats.leads'), t('stats.visitors'), t('stats.pageViews')],
    ...figures.map(({ day, leads, visitors, pageViews }) => [
      day,
      ...[leads, visitors, pageViews].map(String),
    ]),
  ];
  const others = tables.flatMap((table) => [[], ...totalRows(table, t), ...courseRows(table, t)]);
  return writeCsv([...byDay, ...others].map((row) => row.map(defuseFormulas)));
}
