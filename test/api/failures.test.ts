import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { loggedIn } from '../support/panel.js';

const lines: { msg: string }[] = [];
const said = (message: string) => lines.filter(({ msg }) => msg === message);

let app: TestApp;

beforeAll(async () => {
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  app = await startTestApp({ log });
  await provision(app.services, [team('acme')]);
});

afterAll(() => app?.close());

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
