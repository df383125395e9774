import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { PANEL, parseSearch, stringifySearch } from './address.js';
import { email, invitation, login, reset, root, shell } from './outer-routes.js';
import { RouteError } from './pages/error.js';
import { readFormSearch } from './pages/form/search.js';
import { readFormsSearch } from './pages/forms/address.js';
import { readInboxSearch } from './pages/inbox/search.js';
import { readStatisticsSearch } from './pages/statistics/search.js';
import { readTeamSearch } from './pages/team/search.js';
import { readTeamsSearch } from './pages/teams/search.js';
import { readWebsiteSearch } from './pages/website/search.js';
import { readWebsitesSearch } from './pages/websites/search.js';
import { Skeleton } from './parts/feedback/skeleton.js';
import { text } from './parts/search/search-params.js';
import { inRoom } from './room.js';
import { audit, captcha, captchaIncidents, newTeam, people, plans } from './staff-routes.js';

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: inRoom(
    'attention',
    lazyRouteComponent(() => import('./pages/attention.js'), 'AttentionPage'),
  ),
});

/** A chunk that does not come is told by the component that needs it. */
const ignore = () => undefined;

/**
 * Reads the list of the inbox, which the page waits for as long as it may come soon: shell and list are then rendered
 * together.
 */
const readInboxAhead = (search: Record<string, unknown>): Promise<void> =>
  import('./pages/inbox.js').then(
    ({ readAhead }) => readAhead({ ...readInboxSearch(search), team: text(search.team) }),
    ignore,
  );

/** List and lead are one page, whose address may name a lead. What shows a lead comes with the first that is opened. */
const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  validateSearch: readInboxSearch,
  staticData: { readAhead: readInboxAhead },
  loader: ({ location }) => readInboxAhead(location.search),
  component: inRoom(
    'inbox',
    lazyRouteComponent(() => import('./pages/inbox.js'), 'InboxPage'),
  ),
});

const lead = createRoute({
  getParentRoute: () => inbox,
  path: '/$id',
  component: lazyRouteComponent(() => import('./pages/inbox/lead/lead-view.js'), 'LeadView'),
});

const consent = createRoute({
  getParentRoute: () => shell,
  path: '/inbox/$id/consent',
  component: inRoom(
    'privacy',
    lazyRouteComponent(() => import('./pages/consent.js'), 'ConsentPage'),
  ),
});

const privacy = createRoute({
  getParentRoute: () => shell,
  path: '/privacy',
  validateSearch: ({ email: address }: Record<string, unknown>): { email?: string } => ({
    // In the case of letters in which addresses are compared.
    email: text(address)?.trim().toLowerCase(),
  }),
  component: inRoom(
    'privacy',
    lazyRouteComponent(() => import('./pages/privacy.js'), 'PrivacyPage'),
  ),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  component: inRoom(
    'account',
    lazyRouteComponent(() => import('./pages/account.js'), 'AccountPage'),
  ),
});

const websites = createRoute({
  getParentRoute: () => shell,
  path: '/websites',
  validateSearch: readWebsitesSearch,
  component: inRoom(
    'websites',
    lazyRouteComponent(() => import('./pages/websites.js'), 'WebsitesPage'),
  ),
});

const newWebsite = createRoute({
  getParentRoute: () => shell,
  path: '/websites/new',
  component: inRoom(
    'websites',
    lazyRouteComponent(() => import('./pages/websites/new.js'), 'NewWebsitePage'),
  ),
});

const websiteImport = createRoute({
  getParentRoute: () => shell,
  path: '/websites/import',
  component: inRoom(
    'websiteImport',
    lazyRouteComponent(() => import('./pages/websites/import.js'), 'ImportPage'),
  ),
});

const website = createRoute({
  getParentRoute: () => shell,
  path: '/websites/$websiteId',
  validateSearch: readWebsiteSearch,
  component: inRoom(
    'websites',
    lazyRouteComponent(() => import('./pages/website.js'), 'WebsitePage'),
  ),
});

const forms = createRoute({
  getParentRoute: () => shell,
  path: '/forms',
  validateSearch: readFormsSearch,
  component: inRoom(
    'forms',
    lazyRouteComponent(() => import('./pages/forms.js'), 'FormsPage'),
  ),
});

const form = createRoute({
  getParentRoute: () => shell,
  path: '/forms/$formId',
  validateSearch: readFormSearch,
  component: inRoom(
    'forms',
    lazyRouteComponent(() => import('./pages/form.js'), 'FormPage'),
  ),
});

const teams = createRoute({
  getParentRoute: () => shell,
  path: '/teams',
  validateSearch: readTeamsSearch,
  component: inRoom(
    'teams',
    lazyRouteComponent(() => import('./pages/teams.js'), 'TeamsPage'),
  ),
});

const team = createRoute({
  getParentRoute: () => shell,
  path: '/teams/$teamId',
  validateSearch: readTeamSearch,
  component: inRoom(
    'teams',
    lazyRouteComponent(() => import('./pages/team.js'), 'TeamPage'),
  ),
});

const statistics = createRoute({
  getParentRoute: () => shell,
  path: '/statistics',
  validateSearch: readStatisticsSearch,
  component: inRoom(
    'report',
    lazyRouteComponent(() => import('./pages/statistics.js'), 'StatisticsPage'),
  ),
});

/** Any other path below the panel. */
const unknown = createRoute({
  getParentRoute: () => shell,
  path: '$',
  component: lazyRouteComponent(() => import('./pages/not-found.js'), 'NotFound'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    reset,
    invitation,
    email,
    shell.addChildren([
      home,
      inbox.addChildren([lead]),
      websites,
      newWebsite,
      websiteImport,
      website,
      forms,
      form,
      consent,
      privacy,
      teams,
      newTeam,
      team,
      plans,
      people,
      audit,
      statistics,
      captcha,
      captchaIncidents,
      account,
      unknown,
    ]),
  ]),
  basepath: PANEL,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Skeleton lines={6} />,
  defaultPendingMinMs: 0,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Asks for what the page at an address shows first, before the router has come to it. */
    readAhead?(search: Record<string, unknown>): Promise<void>;
  }
  interface HistoryState {
    /** The address typed at the login, for the page that sends a link to it. */
    email?: string;
  }
}
