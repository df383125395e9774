import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
/** As many as there are connections: a single account does not get all of them. */
const staff: PanelClient[] = [];
let holder: pg.Client;
/** Looks at what the others do: within a transaction it would see the same again and again. */
let watcher: pg.Client;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  for (let n = 0; n < 5; n += 1) {
    await createAccount(app.services, { email: `staff${n}@agency.test`, staff: true });
    staff.push(await loggedIn(app.url, app.services, `staff${n}@agency.test`));
  }
  holder = new pg.Client({ connectionString: app.database.url });
  watcher = new pg.Client({ connectionString: app.database.url });
  await Promise.all([holder.connect(), watcher.connect()]);
});

afterAll(async () => {
  await Promise.all([holder.end(), watcher.end()]);
  await app.close();
});

/** Of tables that no submission reads. */
const QUERIES = [
  '{ captchaVerdicts { count } }',
  '{ auditEvents { edges { node { id } } } }',
  '{ incidents { edges { node { id } } } }',
  '{ submissions { edges { node { notes { text } } } } }',
];

/** Of tables that belong to logins and tokens; no page of a website reads them. */
const OWN_QUERIES = [
  'query ($team: ID!) { tokens(teamId: $team) { id } }',
  '{ me { invitations { id } } }',
  '{ me { secondFactor { required } } }',
];

const countWaiting = async (): Promise<number> => {
  const { rows } = await watcher.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0].count;
};

test('a submission is recorded while statistics occupy every connection of the panel', async () => {
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const path = `/api/websites/${await websiteId(app.services, 'www.acme.test')}/forms/contact/submit`;
  const submit = () =>
    fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'v@x.test' }),
    });
  expect((await submit()).status).toBe(200);
  for (const query of QUERIES) await staff[0]!.ask(query);
  await holder.query('BEGIN');
  await holder.query(
    'LOCK TABLE captcha_counts, audit_events, incidents, submission_notes IN ACCESS EXCLUSIVE MODE',
  );
  const asked = staff.flatMap((client) => QUERIES.map((query) => client.send(query)));
  // No more of them than the panel has connections, however many there are.
  await eventually(async () => (await countWaiting()) === 5);
  const startedAt = performance.now();
  for (let n = 0; n < 5; n += 1) expect((await submit()).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(1_400);
  expect(await countWaiting()).toBe(5);
  await holder.query('ROLLBACK');
  await Promise.all(asked);
});

test('a page gets its form while tokens and logins occupy every connection of the panel', async () => {
  const { db, changeFeed } = app.services;
  const { id } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const path = `/api/websites/${await websiteId(app.services, 'www.acme.test')}/forms/config?f=contact~fr`;
  const readForm = () => fetch(`${app.url}${path}`, { headers: { origin: 'https://www.acme.test' } });
  const ask = (client: PanelClient, query: string) => client.send(query, { team: String(id) });
  expect((await readForm()).status).toBe(200);
  for (const query of OWN_QUERIES) expect((await ask(staff[0]!, query)).errors).toBeUndefined();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE tokens, account_links, second_factors IN ACCESS EXCLUSIVE MODE');
  const asked = staff.flatMap((client) => OWN_QUERIES.map((query) => ask(client, query)));
  await eventually(async () => (await countWaiting()) === 5);
  changeFeed.expire();
  const startedAt = performance.now();
  expect((await readForm()).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(1_400);
  expect(await countWaiting()).toBe(5);
  await holder.query('ROLLBACK');
  await Promise.all(asked);
});
