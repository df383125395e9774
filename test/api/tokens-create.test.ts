import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { call, createIntegrator, createMember, createTokenOf, startApiApp } from '../support/integrator.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

const create = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  call(app.url, 'POST', '/tokens', { token, body, headers });

const namesOf = async (teamId: number) =>
  (await app.database.db.orm.token.findMany({ where: { teamId }, orderBy: { id: 'asc' } })).map(
    ({ name }) => name,
  );

describe('POST /api/tokens with an empty body', () => {
  test.each<[string, RequestInit]>([
    ['without a type', {}],
    ['as JSON', { headers: { 'content-type': 'application/json' } }],
    ['as a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: '' }],
    ['in chunks', { body: new Blob([]).stream(), duplex: 'half' } as RequestInit],
  ])('%s is a 422 for the missing name', async (_how, init) => {
    const { token } = await createIntegrator(app.services);
    const response = await fetch(`${app.url}/api/tokens`, {
      ...init,
      method: 'POST',
      headers: { ...init.headers, authorization: `Bearer ${token}` },
    });
    expect([response.status, await response.json()]).toEqual([
      422,
      { message: 'The given data was invalid.', errors: { name: ['The name is required.'] } },
    ]);
  });

  test('except white space or cut JSON, which is a 400', async () => {
    const { token } = await createIntegrator(app.services);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (const body of ['{', ' ', '\n']) {
      const response = await fetch(`${app.url}/api/tokens`, { method: 'POST', headers, body });
      expect(response.status).toBe(400);
    }
  });
});

describe('POST /api/tokens', () => {
  test('returns a value that authenticates, shown once, and the organization', async () => {
    const { team, token } = await createIntegrator(app.services);
    const answer = await create(token, { name: '  Website sync ', team_id: team.id });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      token: expect.stringMatching(/^\d+\|[0-9A-Za-z]{40}[0-9a-f]{8}$/),
      team: { id: team.id, slug: team.slug },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const created = (answer.body as { token: string }).token;
    expect((await call(app.url, 'GET', '/tokens', { token: created })).status).toBe(200);
    expect(await namesOf(team.id)).toEqual(['A token', 'Website sync']);
  });

  test('copies the abilities of the calling token, whatever the body says', async () => {
    const { team, token } = await createIntegrator(app.services, { abilities: ['team:read'] });
    const body = { name: 'More', abilities: ['team:submit'], expires_at: '2030-01-01', user_id: 1, id: 7 };
    expect((await create(token, body)).status).toBe(201);
    const row = await app.database.db.orm.token.findFirstOrThrow({
      where: { teamId: team.id, name: 'More' },
    });
    expect(row).toMatchObject({ abilities: ['team:read'], expiresAt: null });
  });

  test('copies the expiry of the calling token, through any number of generations', async () => {
    const { team, userId } = await createIntegrator(app.services);
    const expiresAt = new Date('2031-02-03T04:05:06.789Z');
    const lent = await createTokenOf(app.services, { teamId: team.id, userId }, { expiresAt });
    const child = await create(lent.value, { name: 'Child', expires_at: null });
    const grandchild = await create((child.body as { token: string }).token, { name: 'Grandchild' });
    expect([child.status, grandchild.status]).toEqual([201, 201]);
    const { body } = await call(app.url, 'GET', '/tokens', { token: lent.value });
    const { data } = body as { data: { name: string; expires_at: string | null }[] };
    const end = '2031-02-03T04:05:06.789000Z';
    expect(data.slice(-2)).toMatchObject([
      { name: 'Child', expires_at: end },
      { name: 'Grandchild', expires_at: end },
    ]);
  });

  test('records an audit event with actor, subject, time and address', async () => {
    const { team, token, tokenId, userId } = await createIntegrator(app.services);
    await call(app.url, 'POST', '/tokens', { token, body: { name: 'Audited' }, ip: '2001:db8::7' });
    const event = await app.database.db.orm.auditEvent.findFirstOrThrow({
      where: { teamId: team.id, channel: 'api' },
    });
    expect(event).toMatchObject({
      action: 'token.created',
      actorId: userId,
      ip: '2001:db8::7',
      subjectType: 'token',
      detail: { name: 'Audited', bearerId: userId, callingTokenId: tokenId },
    });
    expect(Date.now() - event.createdAt.getTime()).toBeLessThan(60_000);
  });

  test.each([
    ['255 characters', 'é'.repeat(255)],
    ['255 emoji', '📇'.repeat(255)],
    ['another script', 'トークン — «ключ» 🔑'],
  ])('takes a name of %s', async (_what, name) => {
    const { team, token } = await createIntegrator(app.services);
    expect((await create(token, { name })).status).toBe(201);
    expect(await namesOf(team.id)).toEqual(['A token', name]);
  });
});

describe('POST /api/tokens refuses', () => {
  const REQUIRED = { name: ['The name is required.'] };
  const STRING = { name: ['The name must be a string.'] };
  const CONTROL = { name: ['The name must not contain control characters.'] };
  const LONG = { name: ['The name must have at most 255 characters.'] };

  test.each([
    ['no name', {}, REQUIRED],
    ['an empty name', { name: '' }, REQUIRED],
    ['a blank name', { name: ' \t\n ' }, REQUIRED],
    ['a name of null', { name: null }, REQUIRED],
    ['a number for a name', { name: 7 }, STRING],
    ['an array for a name', { name: ['a'] }, STRING],
    ['256 characters', { name: 'x'.repeat(256) }, LONG],
    ['256 emoji', { name: '📇'.repeat(256) }, LONG],
    ['U+0000', { name: 'a\u0000b' }, CONTROL],
    ['half a surrogate pair', '{"name":"a\\ud83d"}', CONTROL],
    ['team_id as text', { name: 'a', team_id: '1' }, { team_id: ['The team_id must be an integer.'] }],
    ['team_id as a fraction', { name: 'a', team_id: 1.5 }, { team_id: ['The team_id must be an integer.'] }],
    ['both faults', { team_id: {} }, { ...REQUIRED, team_id: ['The team_id must be an integer.'] }],
    ['an array as body', [{ name: 'a' }], { body: ['The body must be a JSON object.'] }],
    ['null as body', 'null', { body: ['The body must be a JSON object.'] }],
  ])('%s with 422', async (_what, body, errors) => {
    const { team, token } = await createIntegrator(app.services);
    const answer = await create(token, body);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ message: 'The given data was invalid.', errors });
    expect(await namesOf(team.id)).toEqual(['A token']);
  });

  test.each([[-1], [0], [2 ** 31], [2 ** 53], [1e300]])('organization %d with 403', async (teamId) => {
    const { token } = await createIntegrator(app.services);
    const answer = await create(token, { team_id: teamId });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ message: 'A token can only create tokens for its own organization.' });
  });

  test('an organization that the bearer also belongs to', async () => {
    const { token, userId } = await createIntegrator(app.services);
    const other = await createIntegrator(app.services);
    await app.database.db.orm.membership.create({ data: { teamId: other.teamId, userId, role: 'owner' } });
    expect((await create(token, { name: 'a', team_id: other.teamId })).status).toBe(403);
    expect(await namesOf(other.teamId)).toEqual(['A token']);
  });

  test('what is not JSON, not well-formed or too large', async () => {
    const { token } = await createIntegrator(app.services);
    expect((await create(token, '{"name":')).status).toBe(400);
    expect((await create(token, 'name=a', { 'Content-Type': 'text/plain' })).status).toBe(415);
    const large = await create(token, { name: 'a', padding: 'x'.repeat(262_144) });
    expect(large.status).toBe(413);
    expect(large.body).toEqual({ error: 'payload_too_large' });
  });
});

describe('POST /api/tokens with a hostile body', () => {
  test('creates a token of the bearer, not of another member', async () => {
    const { team, token } = await createIntegrator(app.services);
    const colleague = await createMember(app.database.db, [[team.id, 'owner']]);
    const theirs = await createTokenOf(app.services, { teamId: team.id, userId: colleague });
    await create(token, { name: 'Mine' });
    const { body } = await call(app.url, 'GET', '/tokens', { token: theirs.value });
    expect(body).toMatchObject({ data: [{ id: theirs.id }] });
  });

  test('treats names such as __proto__ as ordinary names', async () => {
    const { token } = await createIntegrator(app.services);
    const answer = await create(token, '{"__proto__":{"name":"inherited"}}');
    expect(answer.status).toBe(422);
    expect((await create(token, { name: '__proto__' })).status).toBe(201);
  });
});

describe('the tokens of a bearer', () => {
  async function fill(holder: { teamId: number; userId: number }, count: number): Promise<void> {
    await app.database.db.orm.$executeRaw`
      INSERT INTO tokens (team_id, user_id, name, abilities, secret_hash, expires_at)
      SELECT ${holder.teamId}, ${holder.userId}, 'filler', '{}', '', now() - interval '1 day'
        FROM generate_series(1, ${count}::int)`;
  }

  test('are 1,000 for an organization at most, of which concurrent calls create the last', async () => {
    const { teamId, userId, token } = await createIntegrator(app.services);
    await fill({ teamId, userId }, 997);
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(token, { name: 'One more' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422]);
    expect(answers.find(({ status }) => status === 422)?.body).toEqual({
      message: 'The given data was invalid.',
      errors: {
        name: ['A bearer has 1,000 tokens of an organization at most. Revoke those that are no longer used.'],
      },
    });
    await app.database.db.orm.token.updateMany({
      where: { teamId, name: 'filler' },
      data: { revokedAt: new Date() },
    });
    expect((await create(token, { name: 'One more' })).status).toBe(201);
  });

  test('are created by 600 calls a minute, however many tokens they call with', async () => {
    const { teamId, userId, token } = await createIntegrator(app.services);
    const values = [token];
    for (let n = 0; n < 5; n += 1) values.push((await createTokenOf(app.services, { teamId, userId })).value);
    const statuses: number[] = [];
    for (const value of values) {
      const calls = Array.from({ length: 105 }, () => create(value, { name: 'One of many' }));
      statuses.push(...(await Promise.all(calls)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    const refused = await create(token, { name: 'One of many' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit-policy')).toBe('"token-creations";q=600;w=60');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});
