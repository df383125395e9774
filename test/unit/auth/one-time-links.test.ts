import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOneTimeLinks } from '../../../src/auth/one-time-links.js';
import { createKeyring } from '../../../src/lib/crypto/keyring.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const [OLD, NEW] = [1, 2].map((fill) => Buffer.alloc(32, fill)) as [Buffer, Buffer];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a link that the previous key signed is valid while that key is set, and so is a new one', async () => {
  const { db } = database;
  const linksUnder = (...keys: [Buffer, Buffer?]) =>
    createOneTimeLinks({
      db,
      clock: () => new Date(),
      publicUrl: 'http://formgate.test',
      keyring: createKeyring(...keys),
    });
  const { id: userId } = await db.orm.user.create({ data: { email: 'a@b.test', name: 'A' } });
  const expiresAt = new Date(Date.now() + 60_000);
  const link = await db.orm.oneTimeLink.create({ data: { purpose: 'password_reset', userId, expiresAt } });
  const tokenOf = (links: ReturnType<typeof linksUnder>) => links.addressOf(link).split('#')[1]!;
  const [before, rotating, after] = [linksUnder(OLD), linksUnder(NEW, OLD), linksUnder(NEW)];

  for (const links of [before, rotating])
    expect(await links.find(tokenOf(before), 'password_reset')).toMatchObject({ id: link.id });
  for (const links of [rotating, after])
    expect(await links.find(tokenOf(rotating), 'password_reset')).toMatchObject({ id: link.id });
  expect(await after.find(tokenOf(before), 'password_reset')).toBeNull();
  expect(await rotating.find(tokenOf(linksUnder(Buffer.alloc(32, 3))), 'password_reset')).toBeNull();
});
