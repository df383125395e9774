import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAX_IN_FLIGHT, MAX_WAITING } from '../../src/graphql/in-flight.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { createAccount, loggedIn, type PanelClient, panelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let busy: PanelClient;
let other: PanelClient;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('other')]);
  busy = await loggedIn(app.url, app.services, 'owner@acme.test');
  other = await loggedIn(app.url, app.services, 'owner@other.test');
});
afterAll(() => app.close());

/** Runs work while another transaction has locked a table. */
const whileLocked = <Result>(
  table: 'forms' | 'login_challenges' | 'saved_views',
  work: () => Promise<Result>,
) =>
  app.services.db.orm.$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      return work();
    },
    { timeout: 60_000 },
  );

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await app.services.db.orm.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row.count;
}

const manyAliases = (field: string) =>
  `{ ${Array.from({ length: 10 }, (_, n) => `a${n}: ${field}`).join(' ')} }`;

const TEAMS = '{ teams(first: 5) { edges { node { name } } } }';

test('an account whose statements do not end leaves connections to others', async () => {
  const flood = await whileLocked('forms', async () => {
    const answers = Array.from({ length: 3 }, () =>
      busy.send(manyAliases('forms(first: 1) { edges { node { id } } }')),
    );
    await eventually(async () => (await waiting()) >= 3);
    for (let n = 0; n < 5; n += 1) expect((await other.send(TEAMS)).errors).toBeUndefined();
    return answers;
  });
  await Promise.all(flood);
});

test('what an account waits for with its own connections keeps no other from forms and previews', async () => {
  const formOf = async (slug: string) =>
    (await app.services.db.orm.form.findFirstOrThrow({ where: { team: { slug } } })).id;
  const [own, theirs] = [await formOf('acme'), await formOf('other')];
  const preview = (id: number) => `previewForm(id: ${id}, locale: "fr")`;
  const list = 'forms(first: 2) { edges { node { missingTranslations { locale } } } }';
  const flood = await whileLocked('saved_views', async () => {
    const held = Array.from({ length: 3 }, () => busy.send('{ savedViews { id } }'));
    await eventually(async () => (await waiting()) >= 3);
    const behind = Array.from({ length: 3 }, () =>
      busy.send(`{ ${preview(own)} ${list.replace('forms', 'more: forms')} }`),
    );
    for (let n = 0; n < 5; n += 1) {
      expect((await other.send(`{ ${preview(theirs)} ${list} }`)).errors).toBeUndefined();
    }
    return [...held, ...behind];
  });
  await Promise.all(flood);
});

test('an address without a session leaves connections to accounts', async () => {
  const stranger = panelClient(app.url, `formgate-login=${'x'.repeat(43)}`);
  const flood = await whileLocked('login_challenges', async () => {
    const answers = Array.from({ length: 20 }, () => stranger.send(manyAliases('loginStep')));
    await eventually(async () => (await waiting()) >= 3);
    for (let n = 0; n < 5; n += 1) expect((await other.send(TEAMS)).errors).toBeUndefined();
    return answers;
  });
  await Promise.all(flood);
});

test('beyond those in flight and those that wait, an account is answered RATE_LIMITED', async () => {
  const sent = await whileLocked('forms', async () => {
    const answers = Array.from({ length: MAX_IN_FLIGHT + MAX_WAITING + 5 }, () =>
      busy.fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ forms(first: 1) { edges { node { id } } } }' }),
      }),
    );
    const refused = await Promise.race(answers);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({
      errors: [{ message: 'Too many requests.', extensions: { code: 'RATE_LIMITED', retryAfterS: 1 } }],
    });
    expect((await other.send(TEAMS)).errors).toBeUndefined();
    return answers;
  });
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect((await busy.send(TEAMS)).errors).toBeUndefined();
});

test('an operation that waited has the rights that its account has when it begins', async () => {
  const email = 'leaving@agency.test';
  const id = await createAccount(app.services, { email, staff: true });
  const leaving = await loggedIn(app.url, app.services, email);
  const create =
    'mutation { createUser(input: { email: "again@agency.test", name: "Again", staff: true }) { password } }';
  const [held, last] = await whileLocked('saved_views', async () => {
    // Some more than begin, since the next one may overtake a few on its way.
    const before = Array.from({ length: MAX_IN_FLIGHT + 20 }, () => leaving.send('{ savedViews { id } }'));
    await eventually(async () => (await waiting()) >= 3);
    const behind = leaving.send(create);
    // It has been read once a later request of another account is answered.
    await other.send(TEAMS);
    await app.services.accounts.setDisabled(id, true, { userId: null, channel: 'system' });
    return [before, behind] as const;
  });
  await Promise.all(held);
  expect((await last).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  expect(await app.services.db.orm.user.count({ where: { email: 'again@agency.test' } })).toBe(0);
});
