import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useText } from '../language.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Skeleton } from '../parts/feedback/skeleton.js';
import { Page } from '../parts/layout/page.js';
import { dayIn, daysOf } from '../parts/statistics/period.js';
import styles from '../parts/statistics/statistics.module.css';
import { useMayManage, useViewer } from '../session.js';
import { Filters } from './statistics/filters.js';
import { MonthlyReport } from './statistics/monthly-report.js';
import {
  breakdownsQuery,
  type ReportedTeam,
  type ReportedWebsite,
  statisticsQuery,
  teamQuery,
  websiteQuery,
} from './statistics/queries.js';
import { Report } from './statistics/report.js';
import { TeamChoice } from './statistics/team-choice.js';

const route = getRouteApi('/shell/statistics');

/** The figures of a team or one of its websites: leads, visits, conversion, pages, campaigns and languages. */
export function StatisticsPage() {
  const t = useText();
  const { team: inAddress } = route.useSearch();
  const { staff, teams } = useViewer();
  const only = !staff && teams.length === 1 ? teams[0]!.team.id : undefined;
  const id = inAddress ?? only;
  return (
    <Page title={t('report.title')}>{id === undefined ? <TeamChoice /> : <TeamStatistics id={id} />}</Page>
  );
}

function TeamStatistics({ id }: { id: string }) {
  const { site } = route.useSearch();
  const team = useQuery(teamQuery(id));
  const website = useQuery({ ...websiteQuery(site!), enabled: site !== undefined });
  return (
    <Loaded query={team} skeleton={<Skeleton lines={12} />}>
      {(found) =>
        site === undefined ? (
          <Figures team={found} website={null} />
        ) : (
          <Loaded query={website} skeleton={<Skeleton lines={12} />}>
            {(one) => <Figures team={found} website={one} />}
          </Loaded>
        )
      }
    </Loaded>
  );
}

function Figures({ team, website }: { team: ReportedTeam; website: ReportedWebsite | null }) {
  const search = route.useSearch();
  const { by = 'campaign' } = search;
  const mayManage = useMayManage(team.id);
  const timeZone = website?.timeZone ?? team.reportTimeZone;
  const now = new Date();
  const { from, to } = daysOf(search, timeZone, now);
  const days = useMemo(() => ({ from, to }), [from, to]);
  const subject = { team: team.id, site: website?.id };
  const statistics = useQuery(statisticsQuery(subject, days));
  const breakdowns = useQuery(breakdownsQuery(subject, days, by));
  const isOld = statistics.isPlaceholderData || breakdowns.isPlaceholderData;
  return (
    <>
      <Filters teamId={team.id} website={website} days={days} today={dayIn(now, timeZone)} />
      <Loaded query={statistics} skeleton={<Skeleton lines={12} />}>
        {(found) => (
          <div className={styles.statistics} data-old={isOld || undefined}>
            <Report
              name={website?.name ?? team.name}
              subject={subject}
              days={days}
              by={by}
              statistics={found}
              breakdowns={breakdowns}
            />
          </div>
        )}
      </Loaded>
      {mayManage && <MonthlyReport team={team} />}
    </>
  );
}
