import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { PANEL, parseSearch, stringifySearch } from './address.js';
import { loadTexts } from './language.js';
import { readAuditSearch } from './pages/audit/search.js';
import { readCaptchaSearch } from './pages/captcha/search.js';
import { RouteError } from './pages/error.js';
import { readFormSearch } from './pages/form/search.js';
import { readInboxSearch } from './pages/inbox/search.js';
import { readPeopleSearch } from './pages/people/search.js';
import { readStatisticsSearch } from './pages/statistics/search.js';
import { readTeamSearch } from './pages/team/search.js';
import { readTeamsSearch } from './pages/teams/search.js';
import { readWebsiteSearch } from './pages/website/search.js';
import { readWebsitesSearch } from './pages/websites/search.js';
import { Skeleton } from './parts/skeleton.js';
import { queryClient } from './queries.js';
import { inRoom } from './room.js';
import { viewerQuery } from './session.js';

const root = createRootRoute({ component: Outlet });

/** Reads a search parameter that is a text; undefined where it is not given. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  /** `to`: the address, below the panel's, that asked for the login. */
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } => ({ to: text(to) }),
  component: lazyRouteComponent(() => import('./pages/login.js'), 'LoginPage'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/invitation.js'), 'InvitationPage'),
});

const email = createRoute({
  getParentRoute: () => root,
  path: '/email',
  component: lazyRouteComponent(() => import('./pages/email.js'), 'EmailPage'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyRouteComponent(() => import('./pages/reset.js'), 'ResetPage'),
});

/** Whatever needs a login: navigation and account around the page, and the team that it is narrowed to. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  validateSearch: ({ team }: Record<string, unknown>): { team?: string } => ({ team: text(team) }),
  search: { middlewares: [retainSearchParams(['team'])] },
  beforeLoad: async ({ location }) => {
    const viewer = await queryClient.ensureQueryData(viewerQuery);
    const to = location.href === '/' ? undefined : location.href;
    if (!viewer) throw redirect({ to: '/login', search: { to }, replace: true });
    if (viewer.language) await loadTexts(viewer.language);
  },
  component: lazyRouteComponent(() => import('./shell/shell.js'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: inRoom(
    'attention',
    lazyRouteComponent(() => import('./pages/attention.js'), 'AttentionPage'),
  ),
});

/** List and lead are one page, whose address may name a lead. */
const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  validateSearch: readInboxSearch,
  component: inRoom(
    'inbox',
    lazyRouteComponent(() => import('./pages/inbox.js'), 'InboxPage'),
  ),
});

const lead = createRoute({ getParentRoute: () => inbox, path: '/$id' });

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
    email: text(address),
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
    'websites',
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
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => ({ q: text(q) }),
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

const plans = createRoute({
  getParentRoute: () => shell,
  path: '/plans',
  component: inRoom(
    'teams',
    lazyRouteComponent(() => import('./pages/plans.js'), 'PlansPage'),
  ),
});

const newTeam = createRoute({
  getParentRoute: () => shell,
  path: '/teams/new',
  component: inRoom(
    'teams',
    lazyRouteComponent(() => import('./pages/teams/new.js'), 'NewTeamPage'),
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

const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  validateSearch: readPeopleSearch,
  component: inRoom(
    'people',
    lazyRouteComponent(() => import('./pages/people.js'), 'PeoplePage'),
  ),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: inRoom(
    'audit',
    lazyRouteComponent(() => import('./pages/audit.js'), 'AuditPage'),
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

const captcha = createRoute({
  getParentRoute: () => shell,
  path: '/captcha',
  validateSearch: readCaptchaSearch,
  // Staff alone has this page.
  beforeLoad: async () => {
    if (!(await queryClient.ensureQueryData(viewerQuery))?.staff) throw notFound();
  },
  notFoundComponent: lazyRouteComponent(() => import('./pages/not-found.js'), 'NotFound'),
  component: inRoom(
    'console',
    lazyRouteComponent(() => import('./pages/captcha.js'), 'CaptchaPage'),
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
}
