import type { useIntl } from 'react-intl';
import { writeCsv } from '../../../../src/lib/text/csv-rows.js';
import { defuseFormulas } from '../../../../src/lib/text/formulas.js';
import type { useText } from '../../language.js';
import type { DayFigures } from '../../parts/statistics/figures.js';
import type { Source } from '../../parts/statistics/sources.js';
import type { Statistics } from './queries.js';

/** A row of a table: what was counted, its counts, and those of the days before where they are known. */
export type CountedRow = Readonly<{ id: string; name: string; counts: readonly number[] }>;

/** The tables of the page; what a table counts is in `headings`, each count followed by that of the days before. */
export type CountedTable = Readonly<{
  id: 'websites' | 'sources' | 'pages' | 'forms' | 'languages';
  title: string;
  headings: readonly string[];
  rows: readonly CountedRow[];
}>;

type Words = Readonly<{
  t: ReturnType<typeof useText>;
  formatDisplayName: ReturnType<typeof useIntl>['formatDisplayName'];
}>;

type Counts = Readonly<{ id: string; name: string; counts: readonly number[] }>;

/** Adds up the leads of entries that have the same id, the most first. */
function addUp(entries: readonly Counts[]): Counts[] {
  return [...Map.groupBy(entries, ({ id }) => id).values()]
    .map((same) => ({
      ...same[0]!,
      counts: [same.reduce((sum, { counts }) => sum + counts[0]!, 0)],
    }))
    .toSorted((one, other) => other.counts[0]! - one.counts[0]!);
}

/** Puts each count beside that of the same thing in the days before. */
const besideEarlier = (now: readonly Counts[], before: readonly Counts[]): CountedRow[] => {
  const earlier = new Map(before.map(({ id, counts }) => [id, counts]));
  return now.map(({ id, name, counts }) => ({
    ...{ id, name },
    counts: counts.flatMap((count, index) => [count, earlier.get(id)?.[index] ?? 0]),
  }));
};

/** Makes the tables of some days, each figure beside that of the days before. */
export function tablesOf(
  now: Statistics,
  before: Statistics,
  by: Source,
  { t, formatDisplayName }: Words,
): CountedTable[] {
  const table = (
    id: CountedTable['id'],
    title: string,
    [what, ...counted]: readonly string[],
    read: (statistics: Statistics) => Counts[],
  ): CountedTable => ({
    ...{ id, title },
    headings: [what!, ...counted.flatMap((one) => [one, t('report.beforeColumn')])],
    rows: besideEarlier(read(now), read(before)),
  });
  return [
    table(
      'websites',
      t('report.websites'),
      [t('filter.website'), t('stats.leads')],
      ({ submissionsPerForm }) =>
        addUp(
          submissionsPerForm.map(({ websiteId, website, count }) => ({
            ...{ id: websiteId, name: website.name, counts: [count] },
          })),
        ),
    ),
    table(
      ...(['sources', t('stats.sources')] as const),
      [t(`stats.by.${by}`), t('stats.pageViews'), t('stats.leads')],
      ({ visitStatistics: { attribution } }) =>
        attribution.map(({ value, visits, submissions }) => ({
          id: value ?? '',
          name: value ?? t(by === 'referrer' ? 'stats.direct' : 'stats.without'),
          counts: [visits, submissions],
        })),
    ),
    table(
      'pages',
      t('stats.pages'),
      [t('stats.page'), t('stats.pageViews')],
      ({ visitStatistics: { topPages } }) =>
        topPages.map(({ pageUrl, pageViews }) => ({ id: pageUrl, name: pageUrl, counts: [pageViews] })),
    ),
    table('forms', t('stats.forms'), [t('stats.form'), t('stats.leads')], ({ submissionsPerForm }) =>
      addUp(
        submissionsPerForm.map(({ formId, form, count }) => ({
          id: formId,
          name: form.name,
          counts: [count],
        })),
      ),
    ),
    table(
      'languages',
      t('stats.languages'),
      [t('stats.language'), t('stats.leads')],
      ({ submissionsPerLanguage }) =>
        submissionsPerLanguage.map(({ locale, count }) => ({
          id: locale,
          name: formatDisplayName(locale, { type: 'language' }) ?? locale,
          counts: [count],
        })),
    ),
  ];
}

/** Writes the figures by day and all tables as one CSV file, a table after the other, without a cell that runs as a formula. */
export function tablesAsCsv(
  figures: readonly DayFigures[],
  tables: readonly CountedTable[],
  t: ReturnType<typeof useText>,
): string {
  const byDay = [
    [t('stats.day'), t('stats.leads'), t('stats.visitors'), t('stats.pageViews')],
    ...figures.map(({ day, leads, visitors, pageViews }) => [
      day,
      ...[leads, visitors, pageViews].map(String),
    ]),
  ];
  const others = tables.flatMap(({ title, headings, rows }) => [
    [],
    [title],
    headings,
    ...rows.map(({ name, counts }) => [name, ...counts.map(String)]),
  ]);
  return writeCsv([...byDay, ...others].map((row) => row.map(defuseFormulas)));
}
