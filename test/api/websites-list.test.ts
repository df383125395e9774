import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { addWebsite, call, createIntegrator, createMember, startApiApp } from '../support/integrator.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

const list = (token: string) => call(app.url, 'GET', '/websites', { token });
const namesOf = async (token: string) =>
  ((await list(token)).body as { data: { name: string }[] }).data.map(({ name }) => name);

describe('GET /api/websites', () => {
  test('shows each website with the documented fields and no other', async () => {
    const { teamId, token } = await createIntegrator(app.services);
    const website = await addWebsite(app.services, teamId, {
      name: 'Acme Corse',
      host: 'corse.acme.test',
      url: 'https://corse.acme.test/fr',
      email: 'corse@acme.test',
      company: 'Acme',
      address: '1 rue de la Paix',
      zipcode: '02000',
      city: 'Ajaccio',
      country: 'France',
      phone: '+33 1 02 03 04 05',
      logo: 'https://corse.acme.test/logo.png',
      disabled: true,
      departments: ['2B', '01', '2A', 'BEL'],
    });
    const { status, body, headers } = await list(token);
    expect(status).toBe(200);
    const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;
    expect(body).toEqual({
      data: [
        {
          id: website.id,
          name: 'Acme Corse',
          host: 'corse.acme.test',
          url: 'https://corse.acme.test/fr',
          email: 'corse@acme.test',
          company: 'Acme',
          address: '1 rue de la Paix',
          zipcode: '02000',
          city: 'Ajaccio',
          country: 'France',
          phone: '+33 1 02 03 04 05',
          logo: 'https://corse.acme.test/logo.png',
          departments: [
            { code: '01', name: 'Ain' },
            { code: '2A', name: 'Corse-du-Sud' },
            { code: '2B', name: 'Haute-Corse' },
            { code: 'BEL', name: expect.any(String) },
          ],
          created_at: expect.stringMatching(SECONDS),
          updated_at: expect.stringMatching(SECONDS),
        },
      ],
    });
    expect(headers.get('ratelimit')).toBe('"token-api";r=119;t=60');
  });

  test('sorts by name as a reader expects, and equal names by id', async () => {
    const { teamId, token } = await createIntegrator(app.services);
    for (const name of ['zebra', 'Évry', 'Zoo', 'evry', 'Étampes', '10 rue', 'ångström', 'Evry', 'Apt']) {
      await addWebsite(app.services, teamId, { name });
    }
    expect(await namesOf(token)).toEqual([
      '10 rue',
      'ångström',
      'Apt',
      'Étampes',
      'evry',
      'Evry',
      'Évry',
      'zebra',
      'Zoo',
    ]);
    const twins = await createIntegrator(app.services);
    const low = '01939a60-5c00-7a10-8b20-000000000001';
    const high = 'f1939a60-5c00-7a10-8b20-000000000002';
    await addWebsite(app.services, twins.teamId, { id: high, name: 'Same' });
    await addWebsite(app.services, twins.teamId, { id: low, name: 'Same' });
    expect((await list(twins.token)).body).toMatchObject({ data: [{ id: low }, { id: high }] });
  });

  test('is empty for an organization without websites', async () => {
    const { token } = await createIntegrator(app.services);
    expect((await list(token)).body).toEqual({ data: [] });
  });
});

describe('GET /api/websites refuses', () => {
  test('a bearer without membership, a plain member, and a token without the ability, each with its message', async () => {
    const { teamId, userId, token } = await createIntegrator(app.services, { abilities: ['team:submit'] });
    expect((await list(token)).body).toEqual({ message: 'This token lacks the ability team:read.' });
    const { db } = app.database;
    await db.orm.membership.updateMany({ where: { teamId, userId }, data: { role: 'member' } });
    expect((await list(token)).body).toEqual({
      message: 'The holder of this token no longer has access to this organization.',
    });
    await db.orm.membership.deleteMany({ where: { teamId, userId } });
    const answer = await list(token);
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ message: 'This token does not grant access to any organization.' });
  });
});

describe('GET /api/websites from the cache', () => {
  test('is refused as soon as the right has ended', async () => {
    const { teamId, userId, token } = await createIntegrator(app.services);
    await addWebsite(app.services, teamId, { name: 'Cached' });
    expect(await namesOf(token)).toEqual(['Cached']);
    const { db } = app.database;
    await db.orm.team.update({ where: { id: teamId }, data: { active: false } });
    expect((await list(token)).status).toBe(403);
    await db.orm.team.update({ where: { id: teamId }, data: { active: true } });
    await db.orm.membership.updateMany({ where: { teamId, userId }, data: { role: 'member' } });
    expect((await list(token)).status).toBe(403);
  });

  test('shows each organization its own websites only', async () => {
    const [one, two] = [await createIntegrator(app.services), await createIntegrator(app.services)];
    await addWebsite(app.services, one.teamId, { name: 'One' });
    await addWebsite(app.services, two.teamId, { name: 'Two' });
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => namesOf(index % 2 ? two.token : one.token)),
    );
    expect(answers).toEqual(answers.map((_, index) => [index % 2 ? 'Two' : 'One']));
  });

  test('requires the role in the token’s own organization', async () => {
    const { teamId, userId, token } = await createIntegrator(app.services);
    const other = await createIntegrator(app.services);
    await app.database.db.orm.membership.updateMany({
      where: { teamId, userId },
      data: { teamId: other.teamId },
    });
    expect((await list(token)).status).toBe(403);
    await createMember(app.database.db, [[teamId, 'owner']]);
    expect((await list(token)).status).toBe(403);
  });
});
