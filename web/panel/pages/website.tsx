import { useQuery } from '@tanstack/react-query';
import { getRouteApi, lazyRouteComponent, useNavigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useText } from '../language.js';
import { Loaded } from '../parts/feedback/loaded.js';
import { Page } from '../parts/layout/page.js';
import { Tabs } from '../parts/layout/tabs.js';
import { OutsideLink } from '../parts/outside-link.js';
import { inRoom } from '../room.js';
import { type Website, websiteQuery } from './website/queries.js';
import { TABS, type Tab } from './website/search.js';
import { StateBadge } from './website/state-badge.js';
import styles from './website.module.css';

const route = getRouteApi('/shell/websites/$websiteId');

/** The content of each tab, which is loaded once it is selected. */
const CONTENTS: Readonly<Record<Tab, ComponentType<{ website: Website }>>> = {
  overview: lazyRouteComponent(() => import('./website/overview.js'), 'OverviewTab'),
  forms: inRoom(
    'placements',
    lazyRouteComponent(() => import('./website/forms.js'), 'FormsTab'),
  ),
  captcha: inRoom(
    'captcha',
    lazyRouteComponent(() => import('./website/captcha.js'), 'CaptchaTab'),
  ),
  install: inRoom(
    'install',
    lazyRouteComponent(() => import('./website/install.js'), 'InstallTab'),
  ),
  statistics: inRoom(
    'statistics',
    lazyRouteComponent(() => import('./website/statistics.js'), 'StatisticsTab'),
  ),
  settings: lazyRouteComponent(() => import('./website/settings.js'), 'SettingsTab'),
};

/** A website: a tab for each concern. */
export function WebsitePage() {
  const { websiteId } = route.useParams();
  const t = useText();
  const website = useQuery(websiteQuery(websiteId));
  if (website.data) return <WebsiteTabs key={websiteId} website={website.data} />;
  return (
    <Page title={t('websites.title')}>
      <Loaded query={website}>{() => null}</Loaded>
    </Page>
  );
}

function WebsiteTabs({ website }: { website: Website }) {
  const t = useText();
  const { tab = 'overview' } = route.useSearch();
  const navigate = useNavigate();
  const Content = CONTENTS[tab];
  return (
    <Page
      title={website.name}
      actions={
        <p className={styles.facts}>
          <OutsideLink href={website.url}>{website.host}</OutsideLink>
          <StateBadge website={website} />
        </p>
      }
    >
      <Tabs
        label={t('website.tabs', { name: website.name })}
        tabs={TABS.map((id) => ({ id, text: t(`website.tab.${id}`) }))}
        selected={tab}
        onSelect={(selected) =>
          navigate({
            to: '.',
            search: ({ team }) => ({ team, tab: selected === 'overview' ? undefined : selected }),
          })
        }
      >
        <Content website={website} />
      </Tabs>
    </Page>
  );
}
