import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import buttons from '../../parts/buttons/button.module.css';
import { classes } from '../../parts/classes.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { Breakdown } from '../../parts/statistics/breakdown.js';
import { Course } from '../../parts/statistics/course.js';
import { Curves } from '../../parts/statistics/curves.js';
import { figuresOf } from '../../parts/statistics/figures.js';
import { PageName } from '../../parts/statistics/page-name.js';
import { type Days, dayIn, daysOf, listDays } from '../../parts/statistics/period.js';
import { PeriodPicker } from '../../parts/statistics/period-picker.js';
import styles from '../../parts/statistics/statistics.module.css';
import type { Website } from './queries.js';
import { firstOf } from './statistics/first-of.js';
import { type Statistics, statisticsQuery } from './statistics/queries.js';
import { Sources } from './statistics/sources.js';

const route = getRouteApi('/shell/websites/$websiteId');

/** The tab *Statistics*: what visitors and leads of some days come to. */
export function StatisticsTab({ website }: { website: Website }) {
  const t = useText();
  const search = route.useSearch();
  const { formatDateTimeRange } = useIntl();
  const { from, to } = daysOf(search, website.timeZone, new Date());
  const days = useMemo(() => ({ from, to }), [from, to]);
  const statistics = useQuery(statisticsQuery(website, days));
  return (
    <>
      <header className={styles.header}>
        <PeriodPicker search={search} days={days} today={dayIn(new Date(), website.timeZone)} />
        <Link
          to="/statistics"
          search={{
            period: search.period,
            from: search.from,
            to: search.to,
            by: search.by,
            team: website.teamId,
            site: website.id,
          }}
          className={classes(buttons.button, buttons.plain)}
        >
          {t('stats.report')}
        </Link>
        <p className={styles.days}>
          {formatDateTimeRange(new Date(from), new Date(to), { dateStyle: 'long', timeZone: 'UTC' })}
        </p>
      </header>
      <Loaded query={statistics} skeleton={<Skeleton lines={12} />}>
        {(found) => (
          <div className={styles.statistics} data-old={statistics.isPlaceholderData || undefined}>
            <Shown website={website} days={days} found={found} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Shown({ website, days, found }: { website: Website; days: Days; found: Statistics }) {
  const t = useText();
  const { by = 'campaign' } = route.useSearch();
  const { formatDisplayName } = useIntl();
  const { submissionsPerDay, submissionsPerForm, notificationOutcomes } = found;
  const { perDay, pages, languages } = found.visitStatistics;
  const figures = useMemo(
    () => figuresOf(listDays(days), submissionsPerDay, perDay),
    [days, submissionsPerDay, perDay],
  );
  const origin = new URL(website.url).origin;
  return (
    <>
      <Curves figures={figures} />
      <div className={styles.breakdowns}>
        <Sources websiteId={website.id} days={days} by={by} />
        <Breakdown
          title={t('stats.pages')}
          headings={[t('stats.page'), t('stats.overTime'), t('stats.pageViews')]}
          rows={pages.items.map(({ value, pageViews, pageViewsPerStep }) => ({
            id: value ?? '',
            name: value?.startsWith(`${origin}/`) ? (
              value.slice(origin.length)
            ) : value === null ? (
              t('stats.without')
            ) : (
              <PageName url={value} />
            ),
            course: (
              <Course
                what={t('stats.pageViews')}
                counts={pageViewsPerStep ?? []}
                steps={pages}
                to={days.to}
              />
            ),
            counts: [pageViews ?? 0],
          }))}
          none={t('stats.noVisits')}
          note={firstOf(pages, t)}
        />
        <Breakdown
          title={t('stats.forms')}
          headings={[t('stats.form'), t('stats.leads')]}
          rows={submissionsPerForm.map(({ formId, form, count }) => ({
            id: formId,
            name: (
              <Link to="/forms/$formId" params={{ formId }} search={({ team }) => ({ team })}>
                {form.name}
              </Link>
            ),
            counts: [count],
          }))}
          none={t('stats.noLeads')}
        />
        <Breakdown
          title={t('stats.languages')}
          headings={[t('stats.language'), t('stats.overTime'), t('stats.leads')]}
          rows={languages.items.map(({ value, submissions, submissionsPerStep }) => ({
            id: value ?? '',
            name: formatDisplayName(value ?? '', { type: 'language' }) ?? value,
            course: (
              <Course
                {...{
                  what: t('stats.leads'),
                  counts: submissionsPerStep ?? [],
                  steps: languages,
                  to: days.to,
                }}
              />
            ),
            counts: [submissions ?? 0],
          }))}
          none={t('stats.noLeads')}
          note={firstOf(languages, t)}
        />
        <Breakdown
          title={t('stats.emails')}
          headings={[t('stats.state'), t('stats.emails')]}
          rows={notificationOutcomes.map(({ state, count }) => ({
            id: state,
            name: t(`email.${state}`),
            counts: [count],
          }))}
          none={t('stats.noLeads')}
        />
      </div>
    </>
  );
}
