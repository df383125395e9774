import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { v4 as uuid } from 'uuid';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { createServices, type Services } from '../../../src/services.js';
import { testConfig } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { provision, team, website } from '../../support/factories.js';

let database: TestDatabase;
let services: Services;

beforeAll(async () => {
  database = await createTestDatabase();
  services = createServices(
    testConfig({ DATABASE_URL: database.url, SMTP_URL: 'smtp://127.0.0.1:1' }),
    createLogger('silent'),
  );
  await provision(services, [team('acme')]);
});

afterAll(async () => {
  await services.close();
  await database.drop();
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** Counts the statements that read an id from the database, from now on. */
function countReads(): (id: string) => number {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  const mentions = (asked: unknown, id: string) =>
    JSON.stringify((asked as pg.QueryConfig).values)?.includes(id);
  return (id) => query.mock.calls.filter(([asked]) => mentions(asked, id)).length;
}

test('an unknown id is looked up once, however many requests there are at once and afterwards', async () => {
  const { websites } = services;
  const readsOf = countReads();
  const id = uuid();
  const asked = Array.from({ length: 50 }, () => websites.find(id));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([null]));
  expect(await websites.find(id)).toBeNull();
  expect(await websites.find(id.toUpperCase())).toBeNull();
  expect(readsOf(id)).toBe(1);
});

test('unknown ids begin no transaction, however many are requested', async () => {
  const { websites } = services;
  const began = jest.spyOn(services.db.orm, '$transaction');
  const found = await Promise.all(Array.from({ length: 500 }, () => websites.find(uuid())));
  expect(new Set(found)).toEqual(new Set([null]));
  expect(began).not.toHaveBeenCalled();
});

test('a text that is no UUID is not looked up', async () => {
  const texts = ['', 'x', "' OR 1=1 --", `${uuid()}0`, uuid().replace('-', '_'), '%00', '\0', 'ä'.repeat(36)];
  const query = jest.spyOn(pg.Client.prototype, 'query');
  for (const text of texts) expect(await services.websites.find(text)).toBeNull();
  expect(query).not.toHaveBeenCalled();
});

test('a website is found as soon as it has been created, though its id was cached as unknown', async () => {
  const { websites } = services;
  for (let round = 0; round < 5; round++) {
    const id = uuid();
    expect(await websites.find(id)).toBeNull();
    expect(await websites.find(id)).toBeNull();
    const host = `new-${round}.acme.test`;
    await provision(services, [team('acme', { websites: [website(host, { id })] })]);
    expect(await websites.find(id)).toMatchObject({ id, host });
  }
});

test('a lookup that a creation overtakes is not cached', async () => {
  const { websites } = services;
  const id = uuid();
  const [overtaken] = await Promise.all([
    websites.find(id),
    provision(services, [team('acme', { websites: [website('late.acme.test', { id })] })]),
  ]);
  expect(overtaken).toBeNull();
  expect(await websites.find(id)).toMatchObject({ id });
});
