import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SYSTEM_ACTOR } from '../../src/audit/audit.js';
import type { TestApp } from '../support/app.js';
import { addWebsite, call, createIntegrator, createTokenOf, startApiApp } from '../support/integrator.js';

const IN_FLIGHT = 1_000;
const TOKENS = 12;
/** It waits for a connection, and for the creations in flight. */
const PATIENTLY = { maxWait: 120_000, timeout: 120_000 };

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

type Sent = Readonly<{ kind: string; sentAt: number; answeredAt: number; status: number; created: string }>;

/** One of the calls of a crowd: the reads, and the creation of a token that could outlive its creator. */
async function send(token: string, index: number): Promise<Sent> {
  const sentAt = performance.now();
  const [kind, method, path, body] =
    index % 3 === 0
      ? (['create', 'POST', '/tokens', { name: `Racer ${index}` }] as const)
      : index % 3 === 1
        ? (['list', 'GET', '/tokens', undefined] as const)
        : (['websites', 'GET', '/websites', undefined] as const);
  const answer = await call(app.url, method, path, { token, body });
  const created = (answer.body as { token?: string }).token ?? '';
  return { kind, sentAt, answeredAt: performance.now(), status: answer.status, created };
}

async function createCrowd() {
  const integrator = await createIntegrator(app.services);
  await addWebsite(app.services, integrator.teamId);
  // Several tokens, so that the limit per token does not thin out the crowd.
  const holder = { teamId: integrator.teamId, userId: integrator.userId };
  const more = await Promise.all(
    Array.from({ length: TOKENS - 1 }, () => createTokenOf(app.services, holder)),
  );
  return { ...holder, tokens: [integrator.token, ...more.map(({ value }) => value)] };
}

describe('with 1,000 requests in flight', () => {
  test.each([
    [
      'revoking all tokens',
      async (crowd: Awaited<ReturnType<typeof createCrowd>>) => {
        const { status } = await call(app.url, 'DELETE', '/tokens', { token: crowd.tokens[0] });
        expect(status).toBe(200);
      },
    ],
    [
      'demoting the bearer',
      (crowd: Awaited<ReturnType<typeof createCrowd>>) =>
        app.database.db.orm.$transaction(
          (tx) => app.services.teams.setRole(tx, holderOf(crowd), 'member', SYSTEM_ACTOR),
          PATIENTLY,
        ),
    ],
    [
      'removing the bearer',
      (crowd: Awaited<ReturnType<typeof createCrowd>>) =>
        app.database.db.orm.$transaction(
          (tx) => app.services.teams.setRole(tx, holderOf(crowd), null, SYSTEM_ACTOR),
          PATIENTLY,
        ),
    ],
  ])(
    '%s: no call is accepted after the answer, and no token created before it stays valid',
    async (_what, end) => {
      const crowd = await createCrowd();
      const tokenOf = (index: number) => crowd.tokens[index % TOKENS]!;
      const inFlight = Array.from({ length: IN_FLIGHT }, (_, index) => send(tokenOf(index), index));
      await Promise.race(inFlight);
      await end(crowd);
      const answeredAt = performance.now();
      const late = await Promise.all(Array.from({ length: 100 }, (_, index) => send(tokenOf(index), index)));
      const all = [...(await Promise.all(inFlight)), ...late];

      // A crowd may outrun the connections to the database: 503 is a refusal as well.
      for (const { status } of all) expect([200, 201, 401, 403, 503]).toContain(status);
      const accepted = all.filter(({ status }) => status < 300);
      expect(accepted.length).toBeGreaterThan(0);
      expect(late.filter(({ status }) => status !== 401 && status !== 503)).toEqual([]);
      expect(accepted.filter(({ sentAt }) => sentAt > answeredAt)).toEqual([]);

      const { teamId, userId } = crowd;
      expect(await app.database.db.orm.token.count({ where: { teamId, userId, revokedAt: null } })).toBe(0);
      const racers = await app.database.db.orm.token.count({
        where: { teamId, name: { startsWith: 'Racer' } },
      });
      expect(racers).toBe(accepted.filter(({ kind }) => kind === 'create').length);
      const created = accepted.flatMap((sent) => sent.created || []);
      for (const token of [...crowd.tokens, ...created.slice(0, 20)]) {
        expect((await call(app.url, 'GET', '/tokens', { token })).status).toBe(401);
      }
    },
  );

  test('revoking one token refuses its later calls, creations included', async () => {
    const crowd = await createCrowd();
    const [victim, other] = crowd.tokens as [string, string];
    const id = Number(victim.split('|')[0]);
    const inFlight = Array.from({ length: 100 }, (_, index) => send(victim, index * 3));
    await Promise.race(inFlight);
    expect((await call(app.url, 'DELETE', `/tokens/${id}`, { token: other })).status).toBe(200);
    const { revokedAt } = await app.database.db.orm.token.findUniqueOrThrow({ where: { id } });
    const made = (await Promise.all(inFlight)).filter(({ status }) => status === 201);
    for (const { status } of await Promise.all(inFlight)) expect([201, 401, 503]).toContain(status);
    expect((await send(victim, 0)).status).toBe(401);
    const rows = await app.database.db.orm.token.findMany({
      where: { teamId: crowd.teamId, name: { startsWith: 'Racer' } },
    });
    expect(rows).toHaveLength(made.length);
    for (const { createdAt } of rows)
      expect(createdAt.getTime()).toBeLessThanOrEqual(revokedAt!.getTime() + 1);
  });
});

const holderOf = ({ teamId, userId }: { teamId: number; userId: number }) => ({ teamId, userId });
