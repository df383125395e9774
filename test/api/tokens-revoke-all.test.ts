import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { call, createIntegrator, createMember, createTokenOf, startApiApp } from '../support/integrator.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

const revokeAll = (token: string) => call(app.url, 'DELETE', '/tokens', { token, ip: '192.0.2.77' });
const statusOf = async (token: string) => (await call(app.url, 'GET', '/tokens', { token })).status;

test('DELETE /api/tokens revokes every token of the bearer for the organization, the calling one included', async () => {
  const { team, userId, token } = await createIntegrator(app.services);
  const second = await createTokenOf(app.services, { teamId: team.id, userId });
  const answer = await revokeAll(token);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ message: 'All tokens of this organization have been revoked.' });
  expect([await statusOf(token), await statusOf(second.value)]).toEqual([401, 401]);
  const { db } = app.database;
  const events = await db.orm.auditEvent.findMany({
    where: { teamId: team.id, action: 'token.all_revoked' },
  });
  expect(events).toMatchObject([
    {
      actorId: userId,
      channel: 'api',
      ip: '192.0.2.77',
      detail: { tokenIds: [expect.any(Number), expect.any(Number)] },
    },
  ]);
});

test('DELETE /api/tokens is a 401 the second time', async () => {
  const { token } = await createIntegrator(app.services);
  await revokeAll(token);
  expect((await revokeAll(token)).status).toBe(401);
});

test('DELETE /api/tokens keeps the tokens of other members and of the bearer’s other organizations', async () => {
  const { team, userId, token } = await createIntegrator(app.services);
  const colleague = await createMember(app.database.db, [[team.id, 'admin']]);
  const theirs = await createTokenOf(app.services, { teamId: team.id, userId: colleague });
  const other = await createIntegrator(app.services);
  await app.database.db.orm.membership.create({ data: { teamId: other.teamId, userId, role: 'admin' } });
  const elsewhere = await createTokenOf(app.services, { teamId: other.teamId, userId });
  expect((await revokeAll(token)).status).toBe(200);
  expect([await statusOf(theirs.value), await statusOf(elsewhere.value)]).toEqual([200, 200]);
});
