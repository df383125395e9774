import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { addWebsite, call, createIntegrator, startApiApp } from '../support/integrator.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

const serving = (token: string, code: string) =>
  call(app.url, 'GET', `/websites/by-department/${code}`, { token });

async function createAgency() {
  const integrator = await createIntegrator(app.services);
  for (const [name, departments] of [
    ['Corse', ['2A', '2B']],
    ['Belgique', ['BEL']],
    ['Ain', ['01']],
    ['Réunion & Ain', ['974', '01']],
  ] as const) {
    await addWebsite(app.services, integrator.teamId, { name, departments });
  }
  return integrator;
}

const namesIn = (body: unknown) => (body as { data: { name: string }[] }).data.map(({ name }) => name);

test('docs/provisioning.md lists the departments of a new installation, and no other', async () => {
  const [, section] = /^## Departments$(.*?)^## /ms.exec(readFileSync('docs/provisioning.md', 'utf8'))!;
  const listed = [...section!.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
    cell!.split(', ').flatMap((entry) => {
      const [first, last] = [...entry.matchAll(/`(\w+)`/g)].map(([, code]) => code!);
      if (last === undefined) return [first!];
      const count = Number(last) - Number(first) + 1;
      return Array.from({ length: count }, (_, index) => String(Number(first) + index).padStart(2, '0'));
    }),
  );
  const codes = await app.services.db.orm.department.findMany({ select: { code: true } });
  expect(listed.sort()).toEqual(codes.map(({ code }) => code).sort());
});

describe('GET /api/websites/by-department/{code}', () => {
  test.each([
    ['2A', ['Corse']],
    ['2a', ['Corse']],
    ['bel', ['Belgique']],
    ['01', ['Ain', 'Réunion & Ain']],
    ['974', ['Réunion & Ain']],
    ['%32a', ['Corse']],
  ])(
    '%s: lists the websites that serve it, in the order and shape of the whole list',
    async (code, names) => {
      const { token } = await createAgency();
      const answer = await serving(token, code);
      expect(answer.status).toBe(200);
      expect(namesIn(answer.body)).toEqual(names);
      const whole = (await call(app.url, 'GET', '/websites', { token })).body as { data: { name: string }[] };
      expect(answer.body).toEqual({ data: whole.data.filter(({ name }) => names.includes(name)) });
    },
  );
});

describe('GET /api/websites/by-department/{code} refuses', () => {
  test.each([
    ['75', 'which none of its websites serves'],
    ['1', 'without its leading zero'],
    ['001', 'with a zero too many'],
    ['ZZZ', 'that does not exist'],
    ['2A%20', 'with a space'],
    ['%00', 'of U+0000'],
    ['2A%00', 'that ends in U+0000'],
    ['%F0%9F%93%87', 'of an emoji'],
    ['x'.repeat(2000), 'of 2,000 characters'],
    ['2A,2B', 'of two'],
    ['%25', 'of a wildcard'],
  ])('a code %s, with the same 404 (%#)', async (code) => {
    const { token } = await createAgency();
    const answer = await serving(token, code);
    expect(answer.status).toBe(404);
    expect(answer.text).toBe('{"message":"Department not found."}');
  });

  test('a code that is not UTF-8', async () => {
    const { token } = await createAgency();
    expect((await serving(token, '%FF')).status).toBe(400);
  });

  test('a bearer who is no longer a member', async () => {
    const { teamId, userId, token } = await createAgency();
    await app.database.db.orm.membership.deleteMany({ where: { teamId, userId } });
    const answer = await serving(token, '2A');
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({
      message: 'The holder of this token no longer has access to this organization.',
    });
  });
});

describe('GET /api/websites/by-department/{code} of another organization', () => {
  test('answers like an unknown code', async () => {
    await createAgency();
    const { token } = await createIntegrator(app.services);
    const [foreign, unknown] = [await serving(token, '2A'), await serving(token, 'QQ')];
    expect(foreign.text).toBe(unknown.text);
    const fields = ['content-length', 'content-type', 'etag', 'cache-control'];
    for (const name of fields) expect(foreign.headers.get(name)).toBe(unknown.headers.get(name));
  });
});
