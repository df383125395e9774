import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { call, createIntegrator, createMember, createTokenOf, startApiApp } from '../support/integrator.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

const revoke = (token: string, id: string | number) => call(app.url, 'DELETE', `/tokens/${id}`, { token });
const statusOf = async (token: string) => (await call(app.url, 'GET', '/tokens', { token })).status;

describe('DELETE /api/tokens/{id}', () => {
  test('revokes that token only, at once', async () => {
    const { team, userId, token } = await createIntegrator(app.services);
    const [doomed, kept] = [
      await createTokenOf(app.services, { teamId: team.id, userId }),
      await createTokenOf(app.services, { teamId: team.id, userId }),
    ];
    const answer = await revoke(token, doomed.id);
    expect([answer.status, answer.body]).toEqual([200, { message: 'Token revoked.' }]);
    expect(await statusOf(doomed.value)).toBe(401);
    expect(await statusOf(kept.value)).toBe(200);
  });

  test('revokes the calling token, and an expired one', async () => {
    const { team, userId, token, tokenId } = await createIntegrator(app.services);
    const expired = await createTokenOf(
      app.services,
      { teamId: team.id, userId },
      { expiresAt: new Date(Date.now() - 1000) },
    );
    expect((await revoke(token, expired.id)).status).toBe(200);
    expect((await revoke(token, tokenId)).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  test('keeps the row and records an audit event', async () => {
    const { team, userId, token, tokenId } = await createIntegrator(app.services);
    const { id } = await createTokenOf(app.services, { teamId: team.id, userId });
    await call(app.url, 'DELETE', `/tokens/${id}`, { token, ip: '::ffff:192.0.2.9' });
    const { db } = app.database;
    const row = await db.orm.token.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ revokedAt: expect.any(Date), revokedById: userId });
    const event = await db.orm.auditEvent.findFirstOrThrow({
      where: { teamId: team.id, action: 'token.revoked' },
    });
    expect(event).toMatchObject({
      actorId: userId,
      ip: '192.0.2.9',
      subjectId: String(id),
      detail: { bearerId: userId, callingTokenId: tokenId },
    });
  });
});

describe('DELETE /api/tokens/{id} refuses', () => {
  test.each([
    ['0'],
    ['-1'],
    ['1.0'],
    ['1e3'],
    ['0x10'],
    ['007'],
    ['abc'],
    ['%00'],
    ['1%20'],
    ['१'],
    ['2147483647'],
    ['2147483648'],
    ['9999999999'],
    ['99999999999999999999'],
    ['1%7Csecret'],
  ])('the id %s as not found', async (id) => {
    const { token } = await createIntegrator(app.services);
    const answer = await revoke(token, id);
    expect([answer.status, answer.body]).toEqual([404, { message: 'Token not found.' }]);
  });

  test('a revoked token and another member’s with the same answer', async () => {
    const { team, userId, token } = await createIntegrator(app.services);
    const revoked = await createTokenOf(app.services, { teamId: team.id, userId });
    await revoke(token, revoked.id);
    const colleague = await createMember(app.database.db, [[team.id, 'owner']]);
    const theirs = await createTokenOf(app.services, { teamId: team.id, userId: colleague });
    for (const id of [revoked.id, theirs.id]) {
      const answer = await revoke(token, id);
      expect([answer.status, answer.body]).toEqual([404, { message: 'Token not found.' }]);
    }
    expect(await statusOf(theirs.value)).toBe(200);
  });
});

describe('DELETE /api/tokens/ without an id', () => {
  test('revokes no token', async () => {
    const { token } = await createIntegrator(app.services);
    expect((await revoke(token, '')).status).toBe(404);
    expect(await statusOf(token)).toBe(200);
  });
});
