import { lazyRouteComponent } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { PrintedBars } from '../charts/printed-bars.js';
import { Skeleton } from '../feedback/skeleton.js';
import { Table } from '../layout/table.js';
import { conversionOf, type DayFigures, totalOf } from './figures.js';
import styles from './statistics.module.css';

// The canvas weighs as much as all the rest of the tab.
const Curve = lazyRouteComponent(() => import('../charts/curve.js'));

const Total = ({ label, before, children }: { label: string; before: ReactNode; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
    {before && <dd className={styles.before}>{before}</dd>}
  </div>
);

type Props = {
  figures: readonly DayFigures[];
  /** The sums of the days before, to compare with. */
  before?: Omit<DayFigures, 'day'>;
};

/** Leads and visitors by day: in all, as curves, and as a table. On paper the curves are bars. */
export function Curves({ figures, before }: Props) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  const total = totalOf(figures);
  const percent = (leads: number, visitors: number) => {
    const conversion = conversionOf(leads, visitors);
    return conversion === null
      ? '–'
      : formatNumber(conversion, { style: 'percent', maximumFractionDigits: 1 });
  };
  const dayText = (day: string) => formatDate(day, { dateStyle: 'medium', timeZone: 'UTC' });
  const days = figures.map(({ day }) => day);
  return (
    <>
      <dl className={styles.totals}>
        {(['leads', 'visitors', 'pageViews'] as const).map((figure) => (
          <Total
            key={figure}
            label={t(`stats.${figure}`)}
            before={before && t('stats.before', { text: formatNumber(before[figure]) })}
          >
            {formatNumber(total[figure])}
          </Total>
        ))}
        <Total
          label={t('stats.conversion')}
          before={before && t('stats.before', { text: percent(before.leads, before.visitors) })}
        >
          {percent(total.leads, total.visitors)}
        </Total>
      </dl>
      <div className={styles.curves}>
        {(['leads', 'visitors'] as const).map((figure) => {
          const values = figures.map((one) => one[figure]);
          const most = Math.max(...values);
          return (
            <section key={figure}>
              <h2>{t(`stats.${figure}PerDay`)}</h2>
              <Suspense fallback={<Skeleton lines={6} />}>
                <Curve
                  days={days}
                  values={values}
                  label={t('stats.curve', {
                    what: t(`stats.${figure}PerDay`),
                    total: total[figure],
                    most,
                    day: dayText(days[values.indexOf(most)]!),
                  })}
                />
              </Suspense>
              <PrintedBars values={values} />
            </section>
          );
        })}
      </div>
      <details className={styles.asTable}>
        <summary>{t('stats.asTable')}</summary>
        <Table
          label={t('stats.asTable')}
          hasNumbers
          headings={[
            t('stats.day'),
            t('stats.leads'),
            t('stats.visitors'),
            t('stats.pageViews'),
            t('stats.conversion'),
          ]}
        >
          {figures.map(({ day, leads, visitors, pageViews }) => (
            <tr key={day}>
              <th scope="row">{dayText(day)}</th>
              <td>{formatNumber(leads)}</td>
              <td>{formatNumber(visitors)}</td>
              <td>{formatNumber(pageViews)}</td>
              <td>{percent(leads, visitors)}</td>
            </tr>
          ))}
        </Table>
      </details>
      <p className={styles.hint}>{t('stats.text')}</p>
    </>
  );
}
