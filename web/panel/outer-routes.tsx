import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { loadTexts } from './language.js';
import { text } from './parts/search/search-params.js';
import { queryClient } from './queries.js';
import { inRoom } from './room.js';
import { viewerQuery } from './session.js';

/** The root of all addresses. */
export const root = createRootRoute({ component: Outlet });

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  /** `to`: the address, below the panel's, that asked for the login. */
  validateSearch: ({ to }: Record<string, unknown>): { to?: string } => ({ to: text(to) }),
  component: lazyRouteComponent(() => import('./pages/login.js'), 'LoginPage'),
});

export const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: inRoom(
    'outer',
    lazyRouteComponent(() => import('./pages/invitation.js'), 'InvitationPage'),
  ),
});

export const email = createRoute({
  getParentRoute: () => root,
  path: '/email',
  component: inRoom(
    'outer',
    lazyRouteComponent(() => import('./pages/email.js'), 'EmailPage'),
  ),
});

export const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: inRoom(
    'outer',
    lazyRouteComponent(() => import('./pages/reset.js'), 'ResetPage'),
  ),
});

const narrowed = retainSearchParams<{ team?: string }>(['team']);

/** The team goes along from page to page, unless it is not the viewer's to see: each page would then be refused. */
const retainTeam: typeof narrowed = ({ search, next }) => {
  const viewer = queryClient.getQueryData(viewerQuery.queryKey);
  const isSeen = !viewer || viewer.staff || viewer.teams.some(({ team }) => team.id === search.team);
  return narrowed({ search: isSeen ? search : { ...search, team: undefined }, next });
};

/** Whatever needs a login: navigation and account around the page, and the team that it is narrowed to. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  validateSearch: ({ team }: Record<string, unknown>): { team?: string } => ({ team: text(team) }),
  search: { middlewares: [retainTeam] },
  beforeLoad: async ({ location }) => {
    const viewer = await queryClient.ensureQueryData(viewerQuery);
    const to = location.href === '/' ? undefined : location.href;
    if (!viewer) throw redirect({ to: '/login', search: { to }, replace: true });
    if (viewer.language) await loadTexts(viewer.language);
  },
  component: lazyRouteComponent(() => import('./shell/shell.js'), 'Shell'),
});
