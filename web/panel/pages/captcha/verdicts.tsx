import { Link, lazyRouteComponent } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Section } from '../../parts/layout/page.js';
import { Table } from '../../parts/layout/table.js';
import { Breakdown } from '../../parts/statistics/breakdown.js';
import { type Days, listDays } from '../../parts/statistics/period.js';
import styles from '../../parts/statistics/statistics.module.css';
import type { Figures } from './queries.js';
import { reasonWords } from './reason-words.js';
import { sumOf, type Totals, totalsByDay, VERDICTS } from './totals.js';

// The canvas weighs as much as all the rest of the page.
const Curve = lazyRouteComponent(() => import('../../parts/charts/curve.js'));

const countsOf = (totals: Totals): number[] => VERDICTS.map((verdict) => totals[verdict]);

/** What steps said in some days: in all, by day, by provider and by website, and why visitors were refused. */
export function Verdicts({ figures, days }: { figures: Figures; days: Days }) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  const { perDay, perProvider, perWebsite, refusals } = figures;
  const byDay = totalsByDay(listDays(days), perDay);
  const dates = byDay.map(({ day }) => day);
  const total = sumOf(byDay);
  const dayText = (day: string) => formatDate(day, { dateStyle: 'medium', timeZone: 'UTC' });
  const columns = VERDICTS.map((verdict) => t(`console.${verdict}`));
  const none = t('console.none');
  return (
    <>
      <dl className={styles.totals}>
        {VERDICTS.map((verdict) => (
          <div key={verdict}>
            <dt>{t(`console.${verdict}`)}</dt>
            <dd>{formatNumber(total[verdict])}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.curves}>
        {VERDICTS.map((verdict) => {
          const values = byDay.map((totals) => totals[verdict]);
          const most = Math.max(...values);
          return (
            <section key={verdict}>
              <h3>{t(`console.${verdict}`)}</h3>
              <Suspense fallback={<Skeleton lines={6} />}>
                <Curve
                  days={dates}
                  values={values}
                  label={t('stats.curve', {
                    what: t(`console.${verdict}`),
                    total: total[verdict],
                    most,
                    day: dayText(dates[values.indexOf(most)]!),
                  })}
                />
              </Suspense>
            </section>
          );
        })}
      </div>
      <details className={styles.asTable}>
        <summary>{t('stats.asTable')}</summary>
        <Table label={t('stats.asTable')} hasNumbers headings={[t('stats.day'), ...columns]}>
          {byDay.map(({ day, ...totals }) => (
            <tr key={day}>
              <th scope="row">{dayText(day)}</th>
              {countsOf(totals).map((count, index) => (
                <td key={VERDICTS[index]}>{formatNumber(count)}</td>
              ))}
            </tr>
          ))}
        </Table>
      </details>
      <p className={styles.hint}>{t('console.text')}</p>
      <div className={styles.breakdowns}>
        <Breakdown
          title={t('console.byProvider')}
          headings={[t('console.provider'), ...columns]}
          rows={perProvider.map(({ type, ...totals }) => ({
            id: type,
            name: t(`step.type.${type}`),
            counts: countsOf(totals),
          }))}
          none={none}
        />
        <Breakdown
          title={t('console.refusals')}
          note={t('console.refusalsNote')}
          headings={[t('console.reason'), t('console.provider'), t('console.count')]}
          rows={refusals.map(({ type, reason, count }) => ({
            id: `${type} ${reason}`,
            name: t(...reasonWords(reason)),
            texts: [t(`step.type.${type}`)],
            counts: [count],
          }))}
          none={t('console.noRefusals')}
        />
      </div>
      <Section title={t('console.byWebsite')}>
        <Breakdown
          title={t('console.byWebsite')}
          isUntitled
          headings={[t('filter.website'), ...columns]}
          rows={perWebsite.map(({ websiteId, website, ...totals }) => ({
            id: websiteId,
            name: (
              <Link
                to="/websites/$websiteId"
                params={{ websiteId }}
                search={({ team }) => ({ team, tab: 'captcha' as const })}
              >
                {website.name}
              </Link>
            ),
            counts: countsOf(totals),
          }))}
          none={none}
        />
      </Section>
    </>
  );
}
