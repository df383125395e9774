import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { loggedIn, panelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const lines: { msg: string }[] = [];
const said = (message: string) => lines.filter(({ msg }) => msg === message);

let app: TestApp;

beforeAll(async () => {
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  app = await startTestApp({ log });
  await provision(app.services, [team('acme')]);
});

afterAll(() => app?.close());

/** Has a database refuse its users, as one that is away does. @returns what brings it back. */
async function takeAway(database: string): Promise<() => Promise<void>> {
  const sql = new pg.Client({ connectionString: process.env.TEST_DATABASE_SERVER });
  await sql.connect();
  await eventually(async () => {
    await sql.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
    return sql.query(`ALTER DATABASE ${database} RENAME TO ${database}_away`).catch(() => null);
  });
  return async () => {
    await sql.query(`ALTER DATABASE ${database}_away RENAME TO ${database}`);
    await sql.end();
  };
}

/** A line about a failure names its cause, and shows where in the program it happened. */
const FAILURE = { level: 50, cause: 'sqlstate_42P01', err: { stack: expect.stringContaining('at ') } };

test('requests and operations that fail for one reason are a line of each, with the cause', async () => {
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const site = await websiteId(app.services, 'www.acme.test');
  const owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  await app.services.db.orm.$executeRaw`ALTER TABLE submissions RENAME TO put_aside`;
  for (const email of ['ada@example.com', 'bob@example.com']) {
    const { status } = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    expect(status).toBe(500);
    expect(await owner.refused('{ submissions(first: 1) { edges { node { id } } } }')).toBe(
      'INTERNAL_SERVER_ERROR',
    );
  }
  expect(said('Request failed')).toMatchObject([{ ...FAILURE, websiteId: site }]);
  expect(said('GraphQL operation failed')).toMatchObject([FAILURE]);
});

test('the line of an operation has the codes that the client reads', async () => {
  const stranger = panelClient(app.url);
  expect(await stranger.refused('{ submissions(first: 1) { edges { node { id } } } }')).toBe(
    'UNAUTHENTICATED',
  );
  expect(said('GraphQL operation').at(-1)).toMatchObject({ codes: ['UNAUTHENTICATED'] });
});

test('operations that PostgreSQL does not answer are told of in one line, whichever statement met it', async () => {
  const owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  const comesBack = await takeAway(new URL(app.database.url).pathname.slice(1));
  try {
    for (const query of ['{ me { email } }', '{ submissions(first: 1) { edges { node { id } } } }']) {
      expect(await owner.refused(query)).toBe('SERVICE_UNAVAILABLE');
    }
  } finally {
    await comesBack();
  }
  expect(said('GraphQL operations refused: PostgreSQL is away')).toMatchObject([{ level: 40 }]);
});
