import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { call, createIntegrator, createMember, createTokenOf, startApiApp } from '../support/integrator.js';
import { eventually } from '../support/wait.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

const list = (token?: string) => call(app.url, 'GET', '/tokens', { token });
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('GET /api/tokens', () => {
  test('lists the tokens of the bearer for the organization, oldest first, without their values', async () => {
    const { team, userId, token, tokenId } = await createIntegrator(app.services, { name: 'Website sync' });
    const expiresAt = new Date('2031-02-03T04:05:06.789Z');
    const second = await createTokenOf(
      app.services,
      { teamId: team.id, userId },
      { name: 'CRM 📇', abilities: ['team:submit'], expiresAt },
    );
    const answer = await list(token);
    expect(answer.status).toBe(200);
    const { data } = answer.body as { data: [object, object] };
    // The call itself may have been noted already: that is off its path.
    expect({ data: [{ ...data[0], last_used_at: null }, data[1]] }).toEqual({
      data: [
        {
          id: tokenId,
          name: 'Website sync',
          team_id: team.id,
          abilities: ['team:read', 'team:submit'],
          created_at: expect.stringMatching(MICROSECONDS),
          last_used_at: null,
          expires_at: null,
        },
        {
          id: second.id,
          name: 'CRM 📇',
          team_id: team.id,
          abilities: ['team:submit'],
          created_at: expect.stringMatching(MICROSECONDS),
          last_used_at: null,
          expires_at: '2031-02-03T04:05:06.789000Z',
        },
      ],
    });
    expect(answer.text).not.toContain(token.split('|')[1]);
  });

  test('tells when a token was last used, once a minute', async () => {
    const { token } = await createIntegrator(app.services);
    await list(token);
    const used = await eventually(async () => {
      const { data } = (await list(token)).body as { data: { last_used_at: string | null }[] };
      return data[0]?.last_used_at;
    });
    expect(used).toMatch(MICROSECONDS);
    await list(token);
    expect((await list(token)).body).toMatchObject({ data: [{ last_used_at: used }] });
  });

  test('is not cacheable, and has the RateLimit fields', async () => {
    const { token } = await createIntegrator(app.services);
    const { headers } = await list(token);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('ratelimit-policy')).toBe('"token-api";q=120;w=60');
    expect(headers.get('ratelimit')).toBe('"token-api";r=119;t=60');
  });
});

describe('GET /api/tokens refuses', () => {
  test('a call without a token', async () => {
    const answer = await list();
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ message: 'Unauthenticated.' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('a token after 120 calls within a minute', async () => {
    const { token } = await createIntegrator(app.services);
    const other = await createIntegrator(app.services);
    const answers = await Promise.all(Array.from({ length: 150 }, () => list(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ message: 'Too many requests.' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(refused?.headers.get('ratelimit')).toMatch(/^"token-api";r=0;t=\d+$/);
    expect((await list(other.token)).status).toBe(200);
  });
});

describe('GET /api/tokens of two members', () => {
  test('shows neither revoked tokens nor those of another member', async () => {
    const { team, token, tokenId, userId } = await createIntegrator(app.services);
    const colleague = await createMember(app.database.db, [[team.id, 'admin']]);
    await createTokenOf(app.services, { teamId: team.id, userId: colleague });
    const revoked = await createTokenOf(app.services, { teamId: team.id, userId });
    await call(app.url, 'DELETE', `/tokens/${revoked.id}`, { token });
    const { data } = (await list(token)).body as { data: { id: number }[] };
    expect(data.map(({ id }) => id)).toEqual([tokenId]);
  });
});
