import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Button } from '../../parts/button.js';
import { saveFile } from '../../parts/save-file.js';
import { Breakdown } from '../../parts/statistics/breakdown.js';
import { Curves } from '../../parts/statistics/curves.js';
import { figuresOf, totalOf } from '../../parts/statistics/figures.js';
import { type Days, daysBefore, listDays } from '../../parts/statistics/period.js';
import { SourceSelect } from '../../parts/statistics/source-select.js';
import type { Source } from '../../parts/statistics/sources.js';
import styles from '../../parts/statistics/statistics.module.css';
import own from '../statistics.module.css';
import type { Statistics } from './queries.js';
import { tablesAsCsv, tablesOf } from './tables.js';

type Props = {
  /** The name of the team or website. */
  name: string;
  days: Days;
  by: Source;
  /** Whether it is about one website. */
  isOfWebsite: boolean;
  now: Statistics;
  before: Statistics;
};

const figuresIn = (days: Days, { submissionsPerDay, visitStatistics: { perDay } }: Statistics) =>
  figuresOf(listDays(days), submissionsPerDay, perDay);

/** What some days of a team or a website came to, beside the days before: as curves, tables, file, and on paper. */
export function Report({ name, days, by, isOfWebsite, now, before }: Props) {
  const t = useText();
  const { formatDateTimeRange, formatDisplayName } = useIntl();
  const figures = figuresIn(days, now);
  const tables = tablesOf(now, before, by, { t, formatDisplayName });
  const rangeText = ({ from, to }: Days) =>
    formatDateTimeRange(new Date(from), new Date(to), { dateStyle: 'long', timeZone: 'UTC' });
  const download = () =>
    saveFile(
      new Blob([tablesAsCsv(figures, tables, t)], { type: 'text/csv' }),
      `statistics-${days.from}-${days.to}.csv`,
    );
  return (
    <>
      <header className={own.subject}>
        <div>
          <h2>{name}</h2>
          <p>{rangeText(days)}</p>
          <p className={styles.hint}>{t('report.comparedWith', { days: rangeText(daysBefore(days)) })}</p>
        </div>
        <div className={own.actions}>
          <Button onPress={download}>{t('report.csv')}</Button>
          <Button onPress={() => print()}>{t('report.print')}</Button>
        </div>
      </header>
      <Curves figures={figures} before={totalOf(figuresIn(daysBefore(days), before))} />
      <div className={styles.breakdowns}>
        {tables
          .filter(({ id }) => id !== 'websites' || !isOfWebsite)
          .map(({ id, title, headings, rows }) => (
            <Breakdown
              key={id}
              {...{ title, headings, rows }}
              none={t(id === 'sources' || id === 'pages' ? 'stats.noVisits' : 'stats.noLeads')}
            >
              {id === 'sources' && <SourceSelect value={by} />}
            </Breakdown>
          ))}
      </div>
    </>
  );
}
