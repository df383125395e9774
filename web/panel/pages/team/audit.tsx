import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { AuditExport } from '../../audit-export.js';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { AuditFilters } from '../../parts/audit/audit-filters.js';
import { AuditTable } from '../../parts/audit/audit-table.js';
import { MoreButton } from '../../parts/buttons/more-button.js';
import { EmptyState } from '../../parts/feedback/empty-state.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Section } from '../../parts/layout/page.js';
import { startOf } from '../../parts/time/day.js';
import type { Team } from './queries.js';
import type { TeamSearch } from './search.js';

const EVENTS = graphql(`
  query teamEvents(
    $teamId: ID!
    $actorId: ID
    $action: String
    $from: DateTimeISO
    $until: DateTimeISO
    $after: String
  ) {
    auditEvents(
      first: 50
      teamId: $teamId
      actorId: $actorId
      action: $action
      from: $from
      until: $until
      after: $after
    ) {
      edges {
        node {
          id
          createdAt
          action
          subjectType
          subjectId
          subjectName
          channel
          ip
          detail
          actor {
            id
            name
            email
            deleted
          }
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

const ACTORS = graphql(`
  query teamAuditActors($teamId: ID!) {
    auditActors(teamId: $teamId) {
      id
      name
      email
      deleted
    }
  }
`);

/** The accounts that occur in the trail of the team, former members included. */
const actorsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'auditActors'],
    queryFn: async ({ signal }) => (await request(ACTORS, { teamId }, signal)).auditActors,
  });

/** The filter of the gateway for a search, without what the search leaves open. */
const filterOf = (teamId: string, { action, by, from, to }: TeamSearch) => ({
  teamId,
  ...(by && { actorId: by }),
  ...(action && { action }),
  ...(from && { from: startOf(from) }),
  ...(to && { until: startOf(to, 1) }),
});

const eventsQuery = (teamId: string, { action, by, from, to }: TeamSearch) =>
  infiniteQueryOptions({
    queryKey: ['team', teamId, 'audit', action, by, from, to],
    queryFn: async ({ pageParam, signal }) => {
      const filter = filterOf(teamId, { action, by, from, to });
      return (await request(EVENTS, { ...filter, after: pageParam }, signal)).auditEvents;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  });

const route = getRouteApi('/shell/teams/$teamId');

/** Who did what in the team, the latest first. */
export function AuditTab({ team }: { team: Team }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = useNavigate();
  const events = useInfiniteQuery(eventsQuery(team.id, search));
  const actors = useQuery(actorsQuery(team.id));
  const people = (actors.data ?? [])
    .map(({ id, name, email, deleted }) => ({
      id,
      name: deleted ? t('audit.deletedAccount', { id }) : name || email,
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return (
    <Section title={t('audit.title')} actions={<AuditExport filter={filterOf(team.id, search)} />}>
      <AuditFilters
        value={search}
        people={people}
        onChange={(changes) => void navigate({ to: '.', search: (given) => ({ ...given, ...changes }) })}
      />
      {actors.error && <ErrorBox error={actors.error} onRetry={() => void actors.refetch()} />}
      <Loaded query={events}>
        {({ pages }) => {
          const rows = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
          return (
            <div data-old={events.isPlaceholderData || undefined}>
              {rows.length > 0 ? <AuditTable events={rows} /> : <EmptyState title={t('audit.none')} />}
            </div>
          );
        }}
      </Loaded>
      <MoreButton query={events}>{t('audit.more')}</MoreButton>
    </Section>
  );
}
