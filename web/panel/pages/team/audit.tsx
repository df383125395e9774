import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { graphql, request } from '../../graphql.js';
import { useText } from '../../language.js';
import { AuditFilters } from '../../parts/audit/audit-filters.js';
import { AuditTable } from '../../parts/audit/audit-table.js';
import { Button } from '../../parts/button.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Loaded } from '../../parts/loaded.js';
import { Section } from '../../parts/page.js';
import { membersQuery } from './members/queries.js';
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

/** The instant at which a day begins by the clock of the browser, some days later; null for no day. */
function startOf(day: string | undefined, daysLater = 0): string | null {
  if (!day) return null;
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}

const eventsQuery = (teamId: string, { action, by, from, to }: TeamSearch) =>
  infiniteQueryOptions({
    queryKey: ['team', teamId, 'audit', action, by, from, to],
    queryFn: async ({ pageParam, signal }) => {
      const filter = { actorId: by ?? null, action: action ?? null, from: startOf(from) };
      const variables = { teamId, ...filter, until: startOf(to, 1), after: pageParam };
      return (await request(EVENTS, variables, signal)).auditEvents;
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
  const { data: members = [] } = useQuery(membersQuery(team.id));
  return (
    <Section title={t('audit.title')}>
      <AuditFilters
        value={search}
        people={members.map(({ account }) => account)}
        onChange={(changes) =>
          void navigate({ to: '.', search: (given) => ({ ...given, ...changes }), replace: true })
        }
      />
      <Loaded query={events}>
        {({ pages }) => {
          const rows = pages.flatMap(({ edges }) => edges.map(({ node }) => node));
          return rows.length > 0 ? <AuditTable events={rows} /> : <EmptyState title={t('audit.none')} />;
        }}
      </Loaded>
      {events.hasNextPage && (
        <Button onPress={() => void events.fetchNextPage()} isPending={events.isFetchingNextPage}>
          {t('audit.more')}
        </Button>
      )}
    </Section>
  );
}
