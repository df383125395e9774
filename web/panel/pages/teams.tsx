import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useIntl } from 'react-intl';
import { useText } from '../language.js';
import { NoTeam } from '../no-team.js';
import { MoreButton } from '../parts/buttons/more-button.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Badge } from '../parts/layout/badge.js';
import { Page } from '../parts/layout/page.js';
import { Table } from '../parts/layout/table.js';
import { useViewer } from '../session.js';
import { Filters } from './teams/filters.js';
import { type ListedTeam, listedTeamsQuery } from './teams/queries.js';
import { isNarrowed } from './teams/search.js';
import styles from './teams.module.css';

const route = getRouteApi('/shell/teams');

/** The teams in view: plan, usage, websites and state of each. */
export function TeamsPage() {
  const t = useText();
  const search = route.useSearch();
  const { staff } = useViewer();
  const teams = useInfiniteQuery(listedTeamsQuery(search));
  const rows = (teams.data?.pages ?? []).flatMap(({ edges }) => edges.map(({ node }) => node));
  return (
    <Page
      title={t('teams.title')}
      actions={
        staff && (
          <p className={styles.actions}>
            <Link to="/plans">{t('plans.title')}</Link>
            <Link to="/teams/new">{t('teams.new')}</Link>
          </p>
        )
      }
    >
      <Filters />
      <Loaded query={teams}>
        {() =>
          rows.length > 0 && (
            <div data-old={teams.isPlaceholderData || undefined}>
              <Teams teams={rows} />
            </div>
          )
        }
      </Loaded>
      <div role="status">{teams.data && rows.length === 0 && <NoTeams isSearch={isNarrowed(search)} />}</div>
      <MoreButton query={teams}>{t('teams.showMore')}</MoreButton>
    </Page>
  );
}

function NoTeams({ isSearch }: { isSearch: boolean }) {
  const t = useText();
  const { staff } = useViewer();
  if (!isSearch) return staff ? <EmptyState title={t('teams.first')} /> : <NoTeam />;
  return (
    <EmptyState title={t('teams.noneFound')}>
      <Link to="/teams" search={({ team }) => ({ team })}>
        {t('filter.widen')}
      </Link>
    </EmptyState>
  );
}

function Teams({ teams }: { teams: readonly ListedTeam[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const headings = ['teams.name', 'plans.plan', 'usage.thisMonth', 'teams.websites', 'teams.state'] as const;
  return (
    <Table label={t('teams.title')} headings={headings.map((id) => t(id))}>
      {teams.map(({ id, name, slug, active, plan, notificationsUsed, websiteCount }) => (
        <tr key={id}>
          <td>
            <Link to="/teams/$teamId" params={{ teamId: id }}>
              {name}
            </Link>{' '}
            <span className={styles.slug}>{slug}</span>
          </td>
          <td>{plan.name}</td>
          <td>
            {plan.notificationsPerMonth === null
              ? t('usage.unlimited', { used: notificationsUsed })
              : t('usage.ofLimit', {
                  used: notificationsUsed,
                  limit: plan.notificationsPerMonth,
                })}
          </td>
          <td>{formatNumber(websiteCount)}</td>
          <td>
            {active ? (
              <Badge tone="good">{t('teams.active')}</Badge>
            ) : (
              <Badge tone="warning">{t('teams.suspended')}</Badge>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
