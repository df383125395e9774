import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { createToken, provision, team } from '../support/factories.js';
import { call } from '../support/integrator.js';
import { createAccount, loggedIn } from '../support/panel.js';

const CREATE = `mutation ($teamId: ID!, $input: CreateTokenInput!) {
  createToken(teamId: $teamId, input: $input) {
    value token { id name abilities expiresAt lastUsedAt bearer { email } }
  }
}`;
const REVOKE = 'mutation ($id: ID!) { revokeToken(id: $id) }';
const LIST = 'query ($teamId: ID!) { tokens(teamId: $teamId) { id name bearer { email } } }';

let app: TestApp;
let teamId: number;
let aheadMs = 0;
beforeAll(async () => {
  app = await startTestApp({ clock: () => new Date(Date.now() + aheadMs) });
  await provision(app.services, [team('acme'), team('globex')]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});
afterAll(() => app.close());

const as = (email: string) => loggedIn(app.url, app.services, email);
const reads = async (token: string) => (await call(app.url, 'GET', '/websites', { token })).status;

describe('a token', () => {
  test('is created for the viewer, shown once, and valid until it is revoked', async () => {
    const client = await as('admin@acme.test');
    const input = { name: '  CRM ', abilities: ['team_read', 'team_read'] };
    const { createToken: created } = await client.ask(CREATE, { teamId, input });
    expect(created.token).toMatchObject({
      name: 'CRM',
      abilities: ['team_read'],
      expiresAt: null,
      lastUsedAt: null,
      bearer: { email: 'admin@acme.test' },
    });
    expect(created.value.startsWith(`${created.token.id}|`)).toBe(true);
    expect(await reads(created.value)).toBe(200);

    const secret = created.value.split('|')[1]!;
    expect(JSON.stringify(await client.ask(LIST, { teamId }))).not.toContain(secret);
    expect(JSON.stringify(await dumpTables(app.database.url))).not.toContain(secret);

    await (await as('owner@acme.test')).ask(REVOKE, { id: created.token.id });
    expect(await reads(created.value)).toBe(401);
    expect(await client.refused(REVOKE, { id: created.token.id })).toBe('NOT_FOUND');
    const event = await app.services.db.orm.auditEvent.findFirstOrThrow({
      where: { action: 'token.revoked' },
    });
    expect(event).toMatchObject({ teamId, channel: 'panel', subjectId: created.token.id });
  });

  test('expires at its time', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const input = { name: 'Short', abilities: ['team_read'], expiresAt };
    const { createToken: created } = await (await as('owner@acme.test')).ask(CREATE, { teamId, input });
    expect(created.token.expiresAt).toBe(expiresAt);
    expect(await reads(created.value)).toBe(200);
    aheadMs = 3_600_001;
    expect(await reads(created.value)).toBe(401);
    aheadMs = 0;
  });

  test.each([
    ['name', { name: ' ', abilities: [] }],
    ['name', { name: 'a\0b', abilities: [] }],
    ['name', { name: 'x'.repeat(256), abilities: [] }],
    ['expiresAt', { name: 'Past', abilities: [], expiresAt: '2020-01-01T00:00:00Z' }],
  ])('is refused for a faulty %s', async (field, input) => {
    const { errors } = await (await as('owner@acme.test')).send(CREATE, { teamId, input });
    expect(Object.keys(errors?.[0]?.extensions.errors ?? {})).toEqual([`input.${field}`]);
  });

  test('cannot be held by staff, and the error says why', async () => {
    const input = { name: 'Agency', abilities: ['team_read'] };
    const { errors } = await (await as('staff@agency.test')).send(CREATE, { teamId, input });
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('you do not belong to it'),
      extensions: { code: 'FORBIDDEN' },
    });
  });

  test('cannot be created for a suspended team', async () => {
    const where = { slug: 'acme' };
    await app.services.db.orm.team.update({ where, data: { active: false } });
    const input = { name: 'Late', abilities: ['team_read'] };
    expect(await (await as('owner@acme.test')).refused(CREATE, { teamId, input })).toBe('FORBIDDEN');
    await app.services.db.orm.team.update({ where, data: { active: true } });
  });
});

describe('tokens of a team', () => {
  test('can be listed and revoked by its managers and staff, for any bearer', async () => {
    const { db } = app.services;
    await createToken(app.services, 'globex', 'owner@globex.test');
    await createToken(app.services, 'globex', 'admin@globex.test');
    const globex = await db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    for (const email of ['owner@globex.test', 'admin@globex.test', 'staff@agency.test']) {
      const { tokens } = await (await as(email)).ask(LIST, { teamId: globex.id });
      expect(tokens.map(({ bearer }: { bearer: object }) => bearer)).toEqual([
        { email: 'owner@globex.test' },
        { email: 'admin@globex.test' },
      ]);
    }
    const { tokens } = await (await as('admin@globex.test')).ask(LIST, { teamId: globex.id });
    await (await as('admin@globex.test')).ask(REVOKE, { id: tokens[0].id });
    const { tokens: left } = await (await as('admin@globex.test')).ask(LIST, { teamId: globex.id });
    expect(left.map(({ id }: { id: string }) => id)).toEqual([tokens[1].id]);
  });
});
