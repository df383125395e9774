import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { shell } from './outer-routes.js';
import { readAuditSearch } from './pages/audit/search.js';
import { readCaptchaSearch } from './pages/captcha/search.js';
import { readPeopleSearch } from './pages/people/search.js';
import { queryClient } from './queries.js';
import { inRoom } from './room.js';
import { viewerQuery } from './session.js';

/** What a page of staff alone has beside its own: for other accounts there is no such page. */
const forStaff = {
  beforeLoad: async () => {
    if (!(await queryClient.ensureQueryData(viewerQuery))?.staff) throw notFound();
  },
  notFoundComponent: lazyRouteComponent(() => import('./pages/not-found.js'), 'NotFound'),
};

export const plans = createRoute({
  getParentRoute: () => shell,
  path: '/plans',
  ...forStaff,
  component: inRoom(
    'teams',
    lazyRouteComponent(() => import('./pages/plans.js'), 'PlansPage'),
  ),
});

export const newTeam = createRoute({
  getParentRoute: () => shell,
  path: '/teams/new',
  ...forStaff,
  component: inRoom(
    'teams',
    lazyRouteComponent(() => import('./pages/teams/new.js'), 'NewTeamPage'),
  ),
});

export const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  validateSearch: readPeopleSearch,
  ...forStaff,
  component: inRoom(
    'people',
    lazyRouteComponent(() => import('./pages/people.js'), 'PeoplePage'),
  ),
});

export const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: readAuditSearch,
  ...forStaff,
  component: inRoom(
    'audit',
    lazyRouteComponent(() => import('./pages/audit.js'), 'AuditPage'),
  ),
});

export const captcha = createRoute({
  getParentRoute: () => shell,
  path: '/captcha',
  validateSearch: readCaptchaSearch,
  ...forStaff,
  component: inRoom(
    'console',
    lazyRouteComponent(() => import('./pages/captcha.js'), 'CaptchaPage'),
  ),
});

export const captchaIncidents = createRoute({
  getParentRoute: () => shell,
  path: '/captcha/incidents',
  validateSearch: readCaptchaSearch,
  ...forStaff,
  component: inRoom(
    'console',
    lazyRouteComponent(() => import('./pages/captcha/incidents-page.js'), 'IncidentsPage'),
  ),
});
