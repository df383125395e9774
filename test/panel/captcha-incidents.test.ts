import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const LIST = `query ($site: ID, $team: ID, $first: Int, $after: String, $reason: String, $type: CaptchaType, $since: DateTimeISO, $until: DateTimeISO) {
  incidents(websiteId: $site, teamId: $team, first: $first, after: $after, reason: $reason, type: $type, since: $since, until: $until) {
    edges { node { linkKey reason count requestId firstSeenAt lastSeenAt } } pageInfo { hasNextPage endCursor }
  }
}`;

let app: TestApp;
let owner: PanelClient;
let site: string;

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  site = await websiteId(app.services, 'www.acme.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  await app.services.db.orm.incident.createMany({
    data: [1, 2, 3, 4, 5].map((n) => ({
      websiteId: site,
      stepKey: `${n === 3 ? 'hcaptcha' : 'turnstile'}:l${n}`,
      reason: n % 2 ? 'timeout' : 'pass_through',
      minute: at(n),
      count: n,
      requestId: `r${n}`,
      firstSeenAt: at(n),
      lastSeenAt: at(n),
    })),
  });
});

afterAll(() => app.close());

const counts = async (variables: object) => {
  const { incidents } = await owner.ask(LIST, variables);
  return incidents.edges.map(({ node }: { node: { count: number } }) => node.count);
};

test('incidents are listed newest first, by website, team, reason, type and period, page by page', async () => {
  const { incidents } = await owner.ask(LIST, { site, first: 2 });
  expect(incidents.edges[0].node).toEqual({
    linkKey: 'turnstile:l5',
    reason: 'timeout',
    count: 5,
    requestId: 'r5',
    firstSeenAt: at(5).toISOString(),
    lastSeenAt: at(5).toISOString(),
  });
  expect(incidents.pageInfo.hasNextPage).toBe(true);
  const { teamId } = await app.services.db.orm.website.findUniqueOrThrow({ where: { id: site } });
  expect(await counts({ team: teamId, first: 3, after: incidents.pageInfo.endCursor })).toEqual([3, 2, 1]);
  expect(await counts({ reason: 'pass_through' })).toEqual([4, 2]);
  expect(await counts({ type: 'hcaptcha' })).toEqual([3]);
  expect(await counts({ type: 'turnstile' })).toEqual([5, 4, 2, 1]);
  expect(await counts({ since: at(2), until: at(4) })).toEqual([3, 2]);
  expect(await counts({ reason: '\0' })).toEqual([]);
});

test('incidents refuse the cursor of another list', async () => {
  const after = Buffer.from('["2026-99-99","x"]').toString('base64url');
  expect(await owner.refused(LIST, { after })).toBe('BAD_USER_INPUT');
});
