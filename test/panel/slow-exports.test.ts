import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inboxFilterSchema } from '../../src/submissions/inbox/inbox-filter.schema.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';
import { addSubmissions, recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const NDJSON = '/panel/exports/submissions.ndjson';

/** More than the buffers between the gateway and a reader hold. */
const LEADS = 80;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex'), team('initech')]);
  const site = await websiteId(app.services, 'www.acme.test');
  const ids = await recordedLeads(app.services, site, LEADS);
  const undeclared = { much: 'y'.repeat(250_000) };
  await app.services.db.orm.submission.updateMany({ where: { id: { in: ids } }, data: { undeclared } });
}, 60_000);
afterAll(() => app.close());

/** Opens an export of which nothing is read. */
const open = (client: PanelClient, path = NDJSON) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const call = httpRequest(`${app.url}${path}`, { headers: { cookie: client.cookie() } }, (response) => {
      response.pause();
      resolve(response);
    });
    call.on('error', reject);
    call.end();
  });

/** Reads an export to its end. @returns its lines, and whether it came whole. */
async function read(response: IncomingMessage): Promise<{ lines: number; isWhole: boolean }> {
  let lines = 0;
  try {
    for await (const chunk of response) lines += (chunk as Buffer).filter((byte) => byte === 10).length;
    return { lines, isWhole: true };
  } catch {
    return { lines, isWhole: false };
  }
}

test('large leads all come, though few of them are in memory at once', async () => {
  const owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  expect(await read(await open(owner))).toEqual({ lines: LEADS, isWhole: true });
  const all = { teamIds: null, websiteIds: null, formIds: null };
  const sizes: number[] = [];
  for await (const batch of app.services.exports.submissions(all, inboxFilterSchema.parse({})))
    sizes.push(batch.length);
  expect(Math.max(...sizes)).toBe(8);
});

test('an export that finds nothing can be ended after each of its scans', async () => {
  const site = await websiteId(app.services, 'www.initech.test');
  await addSubmissions(app.services, site, 2_500, new Date());
  const { id } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'initech' } });
  const scope = { teamIds: [id], websiteIds: null, formIds: null };
  const batches = app.services.exports.submissions(scope, inboxFilterSchema.parse({ text: 'nothingever' }));
  const sizes: number[] = [];
  for await (const batch of batches) sizes.push(batch.length);
  expect(sizes).toEqual([0, 0, 0]);
});

test('an account has three downloads at once, and others have theirs', async () => {
  const [member, admin] = [
    await loggedIn(app.url, app.services, 'member@acme.test'),
    await loggedIn(app.url, app.services, 'admin@acme.test'),
  ];
  const held = [await open(member), await open(member), await open(member)];
  expect(held.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  const fourth = await open(member, '/panel/exports/submissions.csv');
  expect([fourth.statusCode, fourth.headers['retry-after']]).toEqual([429, '10']);
  fourth.destroy();
  const other = await open(admin);
  expect(other.statusCode).toBe(200);
  other.destroy();
  held[0]!.destroy();
  await eventually(async () => {
    const next = await open(member);
    next.destroy();
    return next.statusCode === 200;
  });
  for (const one of held) one.destroy();
});

test('a team has eight downloads at once, whatever accounts it invites, and others have theirs', async () => {
  const clients = await Promise.all(
    ['owner@acme.test', 'admin@acme.test', 'member@acme.test'].map((email) =>
      loggedIn(app.url, app.services, email),
    ),
  );
  const held: IncomingMessage[] = [];
  for (let n = 0; n < 8; n++) held.push(await open(clients[n % 3]!));
  expect(held.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
  for (const path of [NDJSON, '/panel/exports/submissions.csv']) {
    const ninth = await open(clients[2]!, path);
    ninth.destroy();
    expect(ninth.statusCode).toBe(429);
  }
  const other = await open(await loggedIn(app.url, app.services, 'owner@globex.test'));
  other.destroy();
  expect(other.statusCode).toBe(200);
  for (const one of held) one.destroy();
});

describe('an export is broken off', () => {
  const ends: [string, string, () => Promise<unknown>][] = [
    [
      'once its session has ended',
      'owner@globex.test',
      () => app.services.db.orm.session.deleteMany({ where: { user: { email: 'owner@globex.test' } } }),
    ],
    [
      'once the account has left one of its teams',
      'admin@globex.test',
      () => app.services.db.orm.membership.deleteMany({ where: { user: { email: 'admin@globex.test' } } }),
    ],
  ];
  test.each(ends)('%s', async (_title, email, end) => {
    const { orm } = app.services.db;
    const { id: userId } = await orm.user.findUniqueOrThrow({ where: { email } });
    const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    await orm.membership.create({ data: { userId, teamId, role: 'member' } });
    const client = await loggedIn(app.url, app.services, email);
    const held = await open(client);
    await end();
    const endedAt = performance.now();
    await eventually(() => performance.now() - endedAt > 2_500);
    const { lines, isWhole } = await read(held);
    expect(isWhole).toBe(false);
    expect(lines).toBeLessThan(LEADS);
  });
});
