import { expect, test } from '@jest/globals';
import { createOriginCheck } from '../../../src/websites/own-origin.js';
import type { ServedWebsite } from '../../../src/websites/websites.service.js';

const SITE = { host: 'www.acme.test' } as ServedWebsite;
const ORIGIN = 'https://www.acme.test';
const AWAY = new Error('PostgreSQL is away');

/** The check over a website that is read, or not, and one that was read before, or none. */
const checkOf = (find: () => Promise<ServedWebsite | null>, known: ServedWebsite | null) =>
  createOriginCheck({ find, lastKnown: () => known });

test('the origin is that of the website that is found', async () => {
  const check = checkOf(async () => SITE, null);
  expect(await check('id', ORIGIN)).toBe(true);
  expect(await check('id', 'https://evil.test')).toBe(false);
});

test('no origin is that of a website there is not', async () => {
  expect(await checkOf(async () => null, SITE)('id', ORIGIN)).toBe(false);
});

test('the last known website counts while PostgreSQL is away', async () => {
  expect(await checkOf(() => Promise.reject(AWAY), SITE)('id', ORIGIN)).toBe(true);
});

test('without a last known website the check rejects, so that no 200 lacks its CORS headers', async () => {
  await expect(checkOf(() => Promise.reject(AWAY), null)('id', ORIGIN)).rejects.toBe(AWAY);
});
