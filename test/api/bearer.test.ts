import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateSecret } from '../../src/tokens/token-secret.js';
import type { TestApp } from '../support/app.js';
import { addWebsite, call, createIntegrator, freshIp, startApiApp } from '../support/integrator.js';
import { describeWithOwnRedis, startRedisServer } from '../support/redis.js';
import { eventually } from '../support/wait.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

const withHeader = (Authorization: string, ip?: string) =>
  call(app.url, 'GET', '/tokens', { headers: { Authorization }, ip });

describe('an Authorization header', () => {
  test.each([['Bearer {}'], ['bearer {}'], ['BEARER   {}'], ['Bearer {}  ']])(
    '%s authenticates',
    async (form) => {
      const { token } = await createIntegrator(app.services);
      expect((await withHeader(form.replace('{}', token))).status).toBe(200);
    },
  );

  test.each([
    ['{}'],
    ['Bearer'],
    ['Bearer{}'],
    ['Basic {}'],
    ['Token {}'],
    ['Bearer {} {}'],
    ['Bearer 0{}'],
    ['Bearer +{}'],
    ['Bearer {}x'],
    ['Bearer "{}"'],
    ['Bearer 2147483648|{}'],
    ['Bearer 99999999999999999999|{}'],
    [`Bearer 1|${'A'.repeat(7000)}`],
    ['Bearer 1|é'],
  ])('%s is a 401', async (form) => {
    const { token } = await createIntegrator(app.services);
    const value = Buffer.from(form.replaceAll('{}', token)).toString('latin1');
    const answer = await withHeader(value);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ message: 'Unauthenticated.' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('a token in the query or the body does not authenticate', async () => {
    const { token } = await createIntegrator(app.services);
    const query = `?token=${encodeURIComponent(token)}&access_token=${encodeURIComponent(token)}`;
    expect((await call(app.url, 'GET', `/tokens${query}`)).status).toBe(401);
    const body = { name: 'a', token, access_token: token };
    expect((await call(app.url, 'POST', '/tokens', { body })).status).toBe(401);
  });
});

describe('guessing tokens', () => {
  const guess = (ip: string) => withHeader(`Bearer 1|${generateSecret()}`, ip);

  test('is limited to exactly 30 attempts a minute for an address, over all endpoints', async () => {
    const ip = freshIp();
    const tries = Array.from({ length: 100 }, (_, index) =>
      index % 2 ? guess(ip) : withHeader(index % 4 ? 'Bearer nonsense' : 'Basic dXNlcjpwYXNz', ip),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(70);

    const refused = await guess(ip);
    expect(refused.body).toEqual({ message: 'Too many requests.' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toBe('"auth-failures";q=30;w=60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"auth-failures";r=0;t=\d+$/);
  });

  test('answers a valid token with 429 once the limit is used up, and limits no other address', async () => {
    const { token } = await createIntegrator(app.services);
    const ip = '2001:db8:1:1::1';
    await Promise.all(Array.from({ length: 40 }, () => guess(ip)));
    expect((await call(app.url, 'GET', '/tokens', { token, ip: '2001:db8:1:1:ffff::2' })).status).toBe(429);
    expect((await call(app.url, 'GET', '/tokens', { token, ip: '2001:db8:1:2::1' })).status).toBe(200);
  });

  test('is limited on submit as well', async () => {
    const { teamId } = await createIntegrator(app.services);
    const { id } = await addWebsite(app.services, teamId);
    const ip = freshIp();
    await Promise.all(Array.from({ length: 30 }, () => guess(ip)));
    const token = `1|${generateSecret()}`;
    const answer = await call(app.url, 'POST', `/websites/${id}/forms/contact/submit`, {
      token,
      ip,
      body: {},
    });
    expect(answer.status).toBe(429);
  });

  test('does not count a call without a header', async () => {
    const ip = freshIp();
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => call(app.url, 'GET', '/tokens', { ip })),
    );
    expect(answers.every(({ status }) => status === 401)).toBe(true);
  });

  test('does not count by an address that the client made up', async () => {
    const direct = await startApiApp({ env: { TRUST_PROXY: '' } });
    const answers = [];
    for (let count = 0; count < 35; count += 1) {
      answers.push(await call(direct.url, 'GET', '/tokens', { token: randomUUID() }));
    }
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    await direct.close();
  });
});

describeWithOwnRedis('with a Redis that goes away', () => {
  test('without Redis every call is answered, and the limits hold', async () => {
    const redis = await startRedisServer();
    const own = await startApiApp({ redisUrl: redis.url });
    await eventually(async () => (await fetch(`${own.url}/readyz`)).ok);
    const { token, teamId } = await createIntegrator(own.services);
    await addWebsite(own.services, teamId, { name: 'Still here' });
    expect((await call(own.url, 'GET', '/websites', { token })).status).toBe(200);
    await redis.stop();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => call(own.url, 'GET', '/websites', { token })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(80);
    await own.close();
  });
});
