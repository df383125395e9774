import { useQuery } from '@tanstack/react-query';
import { getRouteApi, lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useText } from '../language.js';
import { Button } from '../parts/buttons/button.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Badge } from '../parts/layout/badge.js';
import { Page } from '../parts/layout/page.js';
import { Tabs } from '../parts/layout/tabs.js';
import { inRoom } from '../room.js';
import { useOversees, useViewer } from '../session.js';
import type { TextId } from '../texts/text-id.js';
import { useViewAs } from '../view-as.js';
import { type Team, teamPageQuery } from './team/queries.js';

const route = getRouteApi('/shell/teams/$teamId');

type Tab = Readonly<{
  id: string;
  text: TextId;
  /** Whether only those who manage the team see it. */
  isManaging?: boolean;
  /** The content, which is loaded once the tab is selected. */
  Content: ComponentType<{ team: Team; teamId: string }>;
}>;

/** The tabs of the page, in their order. */
const TABS: readonly Tab[] = [
  {
    id: 'members',
    text: 'teams.tab.members',
    Content: lazyRouteComponent(() => import('./team/members.js'), 'MembersTab'),
  },
  {
    id: 'tokens',
    text: 'teams.tab.tokens',
    isManaging: true,
    Content: lazyRouteComponent(() => import('./team/tokens.js'), 'TokensTab'),
  },
  {
    id: 'usage',
    text: 'teams.tab.usage',
    Content: lazyRouteComponent(() => import('./team/usage.js'), 'UsageTab'),
  },
  {
    id: 'webhooks',
    text: 'teams.tab.webhooks',
    isManaging: true,
    Content: lazyRouteComponent(() => import('./team/webhooks.js'), 'WebhooksTab'),
  },
  {
    id: 'privacy',
    text: 'teams.tab.privacy',
    Content: inRoom(
      'privacy',
      lazyRouteComponent(() => import('./team/privacy.js'), 'PrivacyTab'),
    ),
  },
  {
    id: 'spam',
    text: 'teams.tab.spam',
    Content: lazyRouteComponent(() => import('./team/spam.js'), 'SpamSettings'),
  },
  {
    id: 'audit',
    text: 'teams.tab.audit',
    isManaging: true,
    Content: lazyRouteComponent(() => import('./team/audit.js'), 'AuditTab'),
  },
];

/** A team: a tab for each concern. */
export function TeamPage() {
  const { teamId } = route.useParams();
  const t = useText();
  const team = useQuery(teamPageQuery(teamId));
  if (team.data) return <TeamTabs key={teamId} team={team.data} />;
  return (
    <Page title={t('teams.title')}>
      <Loaded query={team}>{() => null}</Loaded>
    </Page>
  );
}

function TeamTabs({ team }: { team: Team }) {
  const t = useText();
  const { tab } = route.useSearch();
  const navigate = useNavigate();
  const { staff } = useViewer();
  const view = useViewAs();
  const isManager = useOversees(team.id);
  const tabs = TABS.filter(({ isManaging }) => isManager || !isManaging);
  const { id: selected, Content } = tabs.find(({ id }) => id === tab) ?? tabs[0]!;
  return (
    <Page
      title={team.name}
      actions={
        <>
          {!team.active && <Badge tone="warning">{t('teams.suspended')}</Badge>}
          {staff && (
            <Button onPress={() => view.begin(team.id)} isPending={view.isPending}>
              {t('viewAs.begin')}
            </Button>
          )}
          {view.question}
        </>
      }
    >
      <Tabs
        label={t('teams.tabs', { name: team.name })}
        tabs={tabs.map(({ id, text }) => ({ id, text: t(text) }))}
        selected={selected}
        onSelect={(id) =>
          navigate({
            to: '.',
            search: ({ team: narrowed }) => ({ team: narrowed, tab: id === tabs[0]!.id ? undefined : id }),
          })
        }
      >
        <Content team={team} teamId={team.id} />
      </Tabs>
    </Page>
  );
}
