import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Button } from '../../parts/buttons/button.js';
import { classes } from '../../parts/classes.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Breakdown } from '../../parts/statistics/breakdown.js';
import { Course } from '../../parts/statistics/course.js';
import { Curves } from '../../parts/statistics/curves.js';
import { figuresOf, totalOf } from '../../parts/statistics/figures.js';
import { PageName } from '../../parts/statistics/page-name.js';
import { type Days, daysBefore, listDays } from '../../parts/statistics/period.js';
import { SourceSelect } from '../../parts/statistics/source-select.js';
import type { Source } from '../../parts/statistics/sources.js';
import styles from '../../parts/statistics/statistics.module.css';
import own from '../statistics.module.css';
import { Before } from './before.js';
import { CsvDownload } from './csv-download.js';
import { type Breakdowns, type Figures, MAX_LISTED, type Statistics, type Subject } from './queries.js';
import { breakdownTables, type CountedTable, leadTables } from './tables.js';

type Props = {
  /** The name of the team or website. */
  name: string;
  subject: Subject;
  days: Days;
  by: Source;
  statistics: Statistics;
  breakdowns: UseQueryResult<Breakdowns>;
};

const figuresIn = (days: Days, { submissionsPerDay, visitStatistics: { perDay } }: Figures) =>
  figuresOf(listDays(days), submissionsPerDay, perDay);

/** What some days of a team or a website came to, beside the days before: as curves, tables, file, and on paper. */
export function Report({ name, subject, days, by, statistics, breakdowns }: Props) {
  const t = useText();
  const { formatDateTimeRange, formatDisplayName } = useIntl();
  const { now, before, leads } = statistics;
  const figures = figuresIn(days, now);
  const words = { t, formatDisplayName };
  const counted = (table: CountedTable) => (
    <Counted key={table.id} table={table} to={days.to}>
      {table.id === 'sources' && <SourceSelect value={by} />}
    </Counted>
  );
  const rangeText = ({ from, to }: Days) =>
    formatDateTimeRange(new Date(from), new Date(to), { dateStyle: 'long', timeZone: 'UTC' });
  return (
    <>
      <header className={own.subject}>
        <div>
          <h2>{name}</h2>
          <p>{rangeText(days)}</p>
          <p className={styles.hint}>{t('report.comparedWith', { days: rangeText(daysBefore(days)) })}</p>
        </div>
        <div className={own.actions}>
          <CsvDownload subject={subject} days={days} by={by} figures={figures} />
          <Button onPress={() => print()}>{t('report.print')}</Button>
        </div>
      </header>
      <Curves figures={figures} before={totalOf(figuresIn(daysBefore(days), before))} />
      <div className={classes(styles.breakdowns, own.compared)}>
        {/* The longest to count, without which the rest is of use. */}
        <Loaded query={breakdowns} skeleton={<Skeleton lines={12} />}>
          {(listed) => breakdownTables(listed, by, words).map(counted)}
        </Loaded>
        {leadTables(leads, words)
          .filter(({ id }) => id !== 'websites' || subject.site === undefined)
          .map(counted)}
      </div>
    </>
  );
}

/** A table of the report, with the courses of its rows where they have one. */
function Counted({ table, to, children }: { table: CountedTable; to: string; children: ReactNode }) {
  const t = useText();
  const { id, title, what, counted, rows, total, steps } = table;
  return (
    <Breakdown
      title={title}
      headings={[
        what,
        ...(steps ? [t('stats.overTime')] : []),
        ...counted.flatMap((one) => [one, t('report.beforeColumn')]),
      ]}
      rows={rows.map(({ perStep, before, ...row }) => ({
        ...row,
        before: row.counts.map((count, index) => (
          <Before key={counted[index]} now={count} before={before[index] ?? null} />
        )),
        ...(id === 'pages' && { name: <PageName url={row.name} /> }),
        ...(steps && {
          course: <Course what={counted[0]!} counts={perStep[0]!} steps={steps} to={to} />,
        }),
      }))}
      isWide={id === 'sources' || id === 'pages'}
      none={t(id === 'sources' || id === 'pages' ? 'stats.noVisits' : 'stats.noLeads')}
      note={
        rows.length < total
          ? t('report.first', { shown: rows.length, total, most: Math.min(total, MAX_LISTED) })
          : undefined
      }
    >
      {children}
    </Breakdown>
  );
}
