import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { v4 as uuid } from 'uuid';
import type { Catalogue } from '../../../src/cache/catalogue.js';
import { createCipher } from '../../../src/lib/cipher.js';
import { createLogger } from '../../../src/lib/logger.js';
import { createServices, type Services } from '../../../src/services.js';
import { createWebsites } from '../../../src/websites/websites.service.js';
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

/** Websites whose reads from the database are counted by id. */
function counted() {
  const loads = new Map<string, number>();
  const catalogue: Pick<Catalogue, 'shelf'> = {
    shelf: (options) =>
      services.catalogue.shelf({
        ...options,
        load: (key) => {
          loads.set(String(key), (loads.get(String(key)) ?? 0) + 1);
          return options.load(key);
        },
      }),
  };
  const { db } = services;
  const cipher = createCipher(Buffer.alloc(32, 7));
  return { loads, websites: createWebsites({ db, cipher, catalogue }) };
}

test('an unknown id is looked up once, however many ask at once and afterwards', async () => {
  const { websites, loads } = counted();
  const id = uuid();
  const asked = Array.from({ length: 50 }, () => websites.find(id));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([null]));
  expect(await websites.find(id)).toBeNull();
  expect(await websites.find(id.toUpperCase())).toBeNull();
  expect([...loads]).toEqual([[id, 1]]);
});

test('unknown ids begin no transaction, however many are asked for', async () => {
  const { websites } = counted();
  const began = jest.spyOn(services.db.orm, '$transaction');
  const found = await Promise.all(Array.from({ length: 500 }, () => websites.find(uuid())));
  expect(new Set(found)).toEqual(new Set([null]));
  expect(began).not.toHaveBeenCalled();
  began.mockRestore();
});

test('a text that is no UUID is not looked up', async () => {
  const { websites, loads } = counted();
  const texts = ['', 'x', "' OR 1=1 --", `${uuid()}0`, uuid().replace('-', '_'), '%00', '\0', 'ä'.repeat(36)];
  for (const text of texts) expect(await websites.find(text)).toBeNull();
  expect(loads.size).toBe(0);
});

test('an unknown id is found in the moment that its website has been created', async () => {
  const { websites } = counted();
  for (let round = 0; round < 5; round++) {
    const id = uuid();
    expect(await websites.find(id)).toBeNull();
    expect(await websites.find(id)).toBeNull();
    const host = `new-${round}.acme.test`;
    await provision(services, [team('acme', { websites: [website(host, { id })] })]);
    expect(await websites.find(id)).toMatchObject({ id, host });
  }
});

test('a look-up that a creation overtakes is not remembered', async () => {
  const { websites } = counted();
  const id = uuid();
  const [overtaken] = await Promise.all([
    websites.find(id),
    provision(services, [team('acme', { websites: [website('late.acme.test', { id })] })]),
  ]);
  expect(overtaken).toBeNull();
  expect(await websites.find(id)).toMatchObject({ id });
});
