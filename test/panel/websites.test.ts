import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endDirectory } from '../../src/websites/websites.queries.js';
import type { TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { call, startApiApp } from '../support/integrator.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let teamId: number;
let owner: PanelClient;
let staff: PanelClient;
let token: string;

beforeAll(async () => {
  app = await startApiApp({ env: { CAPTCHA_DEFAULT: 'off' } });
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test')] }),
    team('many', {
      websites: ['Zèbre', 'abeille', 'Émeu', 'Ara_1', 'araX1'].map((name, n) =>
        website(`s${n}.many.test`, { name }),
      ),
    }),
  ]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});
afterAll(() => app.close());

const CREATE = `mutation ($teamId: ID!, $input: NewWebsiteInput!) {
  createWebsite(teamId: $teamId, input: $input) {
    id teamId name host url locale timeZone email company address zipcode city country phone logo disabled
    departments { code name }
  }
}`;
const UPDATE = `mutation ($id: ID!, $input: WebsiteChangesInput!) {
  updateWebsite(id: $id, input: $input) { name host disabled departments { code } }
}`;

const UPDATE_VERSION = `mutation ($id: ID!, $input: WebsiteChangesInput!, $version: String) {
  updateWebsite(id: $id, input: $input, version: $version) { version }
}`;
const READ_VERSION = 'query ($id: ID!) { website(id: $id) { version } }';

const settings = (host: string) => ({
  name: host,
  host,
  url: `https://${host}`,
  locale: 'fr',
  email: `a@${host}`,
});

const create = async (host: string, input: object = {}) =>
  (await owner.ask(CREATE, { teamId, input: { ...settings(host), ...input } })).createWebsite;

const update = (id: string, input: object) => owner.ask(UPDATE, { id, input });

/** The directory of the team as its integrators get it. */
async function directory() {
  const { body } = await call(app.url, 'GET', '/websites', { token });
  return (body as { data: { id: string; name: string; departments: object[]; updated_at: string }[] }).data;
}

const formsConfig = (id: string, host: string) =>
  call(app.url, 'GET', `/websites/${id}/forms/config?f=contact~`, { headers: { origin: `https://${host}` } });

const actions = async (id: string) =>
  (
    await app.services.db.orm.auditEvent.findMany({ where: { subjectId: id }, orderBy: { createdAt: 'asc' } })
  ).map(({ action, channel, actorId }) => [action, channel, typeof actorId]);

describe('websites', () => {
  test('are created, changed, disabled and deleted, and REST shows each at once', async () => {
    await directory();
    const input = {
      timeZone: 'Europe/Paris',
      company: 'Acme',
      address: '1 rue X',
      zipcode: '75002',
      city: 'Paris',
      country: 'France',
      phone: '+33 1',
      logo: 'https://new.acme.test/l.png',
      departments: ['2A', '75'],
    };
    const made = await create('New.Acme.test', input);
    expect(made).toEqual({
      ...settings('New.Acme.test'),
      ...input,
      host: 'new.acme.test',
      disabled: false,
      id: made.id,
      teamId: String(teamId),
      departments: [
        { code: '2A', name: expect.any(String) },
        { code: '75', name: expect.any(String) },
      ],
    });
    expect((await directory()).find(({ id }) => id === made.id)).toMatchObject({
      name: 'New.Acme.test',
      departments: made.departments,
    });

    await update(made.id, { name: 'Renamed', departments: ['75'] });
    expect((await directory()).find(({ id }) => id === made.id)).toMatchObject({
      name: 'Renamed',
      departments: [{ code: '75' }],
    });

    expect((await formsConfig(made.id, 'new.acme.test')).status).toBe(200);
    expect(await owner.refused(UPDATE, { id: made.id, input: { disabled: true } })).toBe('FORBIDDEN');
    await staff.ask(UPDATE, { id: made.id, input: { disabled: true } });
    expect(await owner.refused(UPDATE, { id: made.id, input: { disabled: false } })).toBe('FORBIDDEN');
    expect((await update(made.id, { disabled: true })).updateWebsite.disabled).toBe(true);
    const off = { ...settings('off.acme.test'), disabled: true };
    expect(await owner.refused(CREATE, { teamId, input: off })).toBe('FORBIDDEN');
    const refused = await eventually(async () => {
      const answer = await formsConfig(made.id, 'new.acme.test');
      return answer.status === 403 && answer;
    });
    expect(refused.body).toEqual({ message: 'This website is disabled.' });
    await staff.ask(UPDATE, { id: made.id, input: { disabled: false } });
    await eventually(async () => (await formsConfig(made.id, 'new.acme.test')).status === 200);

    await update(made.id, { name: 'Renamed' });
    expect(await owner.ask('mutation ($id: ID!) { deleteWebsite(id: $id) }', { id: made.id })).toEqual({
      deleteWebsite: true,
    });
    expect((await directory()).map(({ id }) => id)).not.toContain(made.id);
    await eventually(async () => (await formsConfig(made.id, 'new.acme.test')).status === 404);
    expect(await owner.refused('query ($id: ID!) { website(id: $id) { id } }', { id: made.id })).toBe(
      'NOT_FOUND',
    );
    expect(await actions(made.id)).toEqual([
      ['website.created', 'panel', 'number'],
      ['website.updated', 'panel', 'number'],
      ['website.updated', 'panel', 'number'],
      ['website.updated', 'panel', 'number'],
      ['website.deleted', 'panel', 'number'],
    ]);
  });

  test('are changed over the version that was read, and no other', async () => {
    const { id } = await create('version.acme.test', { departments: ['75', '2A'] });
    const read = async () => (await owner.ask(READ_VERSION, { id })).website.version as string;
    const change = (version: string | null, input: object) =>
      owner.ask(UPDATE_VERSION, { id, input, version });
    const first = await read();
    expect(await read()).toBe(first);
    const saved = await change(first, { email: 'mine@acme.test' });
    const second = await read();
    expect(saved.updateWebsite.version).toBe(second);
    expect(second).not.toBe(first);

    const late = { id, version: first, input: { email: 'late@acme.test' } };
    expect(await owner.refused(UPDATE_VERSION, late)).toBe('CONFLICT');
    expect(await app.services.db.orm.website.findUniqueOrThrow({ where: { id } })).toMatchObject({
      email: 'mine@acme.test',
    });

    await change(second, { departments: ['2A'] });
    expect(await owner.refused(UPDATE_VERSION, { ...late, version: second })).toBe('CONFLICT');
    await change(null, { phone: '+33 1' });
    await staff.ask(UPDATE, { id, input: { disabled: true } });
    expect(new Set([first, second, await read()]).size).toBe(3);
    await owner.ask('mutation ($id: ID!) { deleteWebsite(id: $id) }', { id });
  });

  test('that one operation changes twice are answered as each change has left them', async () => {
    const { id } = await create('twice.acme.test', { departments: ['13'] });
    const { first, second } = await owner.ask(
      `mutation ($id: ID!) {
        first: updateWebsite(id: $id, input: { departments: ["75"] }) { version departments { code } }
        second: updateWebsite(id: $id, input: { departments: ["2A"] }) { version departments { code } }
      }`,
      { id },
    );
    expect(first.departments).toEqual([{ code: '75' }]);
    expect(second.departments).toEqual([{ code: '2A' }]);
    expect(second.version).not.toBe(first.version);
    expect((await owner.ask(READ_VERSION, { id })).website.version).toBe(second.version);
    await owner.ask('mutation ($id: ID!) { deleteWebsite(id: $id) }', { id });
  });

  test('of ten changes of one version at once one is saved', async () => {
    const { id } = await create('race.acme.test');
    const { version } = (await owner.ask(READ_VERSION, { id })).website;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        owner.ask(UPDATE_VERSION, { id, version, input: { phone: `${n}` } }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await owner.ask('mutation ($id: ID!) { deleteWebsite(id: $id) }', { id });
  });

  test('get a new signature key, which invalidates former signatures at once', async () => {
    const id = await websiteId(app.services, 'www.acme.test');
    const visitor = createVisitor({ url: app.url, websiteId: id, origin: 'https://www.acme.test' });
    const former = await visitor.sign();
    expect((await visitor.submit({ headers: former })).status).toBe(200);
    const regenerate = 'mutation ($id: ID!) { regenerateSignatureKey(websiteId: $id) }';
    expect(await owner.ask(regenerate, { id })).toEqual({ regenerateSignatureKey: true });
    expect((await visitor.submit({ headers: former })).body).toEqual({ error: 'invalid_signature' });
    expect((await visitor.submit({ headers: await visitor.sign() })).status).toBe(200);
  });

  test('have the time of their new signature key in the directory at once', async () => {
    const { id } = await create('key.acme.test');
    const { orm } = app.services.db;
    const yesterday = new Date(Date.now() - 86_400_000);
    const shown = async () => (await directory()).find((one) => one.id === id)!.updated_at;
    await orm.website.update({ where: { id }, data: { updatedAt: yesterday } });
    await orm.$transaction((tx) => endDirectory(tx, teamId));
    expect(new Date(await shown()).getTime()).toBeLessThan(Date.now() - 86_000_000);
    await owner.ask('mutation ($id: ID!) { regenerateSignatureKey(websiteId: $id) }', { id });
    const { updatedAt } = await orm.website.findUniqueOrThrow({ where: { id } });
    expect(await shown()).toBe(updatedAt.toISOString().replace(/\.\d+Z$/, '+00:00'));
    await owner.ask('mutation ($id: ID!) { deleteWebsite(id: $id) }', { id });
  });

  test('are listed in natural order, searched, and paged in both directions', async () => {
    const LIST = `query ($first: Int, $after: String, $last: Int, $before: String, $teamId: ID, $search: String) {
      websites(first: $first, after: $after, last: $last, before: $before, teamId: $teamId, search: $search) {
        edges { cursor node { name departments { code } } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }
      }
    }`;
    const { id } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'many' } });
    const list = async (variables: object) =>
      (await staff.ask(LIST, { teamId: id, ...variables })).websites as {
        edges: { cursor: string; node: { name: string } }[];
        pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string; startCursor: string };
      };
    const names = ({ edges }: Awaited<ReturnType<typeof list>>) => edges.map(({ node }) => node.name);

    const all = names(await list({}));
    expect(all).toEqual(['Ara_1', 'abeille', 'araX1', 'Émeu', 'Zèbre'].sort(new Intl.Collator('en').compare));
    const first = await list({ first: 2 });
    expect([names(first), first.pageInfo.hasNextPage]).toEqual([all.slice(0, 2), true]);
    const rest = await list({ first: 3, after: first.pageInfo.endCursor });
    expect([names(rest), rest.pageInfo.hasNextPage]).toEqual([all.slice(2), false]);
    const back = await list({ last: 2, before: rest.pageInfo.startCursor });
    expect([names(back), back.pageInfo.hasPreviousPage]).toEqual([all.slice(0, 2), false]);

    expect(names(await list({ search: 'ARA_' }))).toEqual(['Ara_1']);
    expect(names(await list({ search: 's0.many' }))).toEqual(['Zèbre']);
    expect(names(await list({ search: '%' }))).toEqual([]);
    expect(names(await list({ search: '\0' }))).toEqual([]);
    expect(names(await list({ teamId: null, search: '.test' }))).toContain('www.acme.test');

    for (const after of [
      'x',
      Buffer.from('["a","b"]').toString('base64url'),
      Buffer.from('["\\u0000",1]').toString('base64url'),
    ]) {
      expect(await staff.refused(LIST, { after })).toBe('BAD_USER_INPUT');
    }
  });

  test('are visible to their team only', async () => {
    const { websites } = await owner.ask('{ websites { edges { node { teamId } } } }');
    expect(new Set(websites.edges.map(({ node }: { node: { teamId: string } }) => node.teamId))).toEqual(
      new Set([String(teamId)]),
    );
  });
});

describe('the panel refuses', () => {
  test('to delete a website that has submissions, and keeps its visits', async () => {
    const id = await websiteId(app.services, 'www.acme.test');
    const visitor = createVisitor({ url: app.url, websiteId: id, origin: 'https://www.acme.test' });
    await visitor.call('POST', 'visits', { body: { page_url: 'https://www.acme.test/' } });
    expect((await visitor.submit({ headers: await visitor.sign() })).status).toBe(200);
    expect(await owner.refused('mutation ($id: ID!) { deleteWebsite(id: $id) }', { id })).toBe('CONFLICT');
    expect(await app.services.db.orm.visit.count({ where: { websiteId: id } })).toBe(1);
    // The same from the database itself, should a submission come in between.
    const { db } = app.services;
    await expect(db.orm.website.delete({ where: { id } })).rejects.toThrow();
  });

  test.each([
    ['a host that is an address', { host: 'https://x.test/' }, 'input.host'],
    ['an address of another scheme', { url: 'javascript:alert(1)' }, 'input.url'],
    ['a language of nobody', { locale: 'xx' }, 'input.locale'],
    ['a time zone of nobody', { timeZone: 'Mars/Base' }, 'input.timeZone'],
    ['a time zone that Node alone knows', { timeZone: 'ECT' }, 'input.timeZone'],
    ['an abbreviation that PostgreSQL reads otherwise', { timeZone: 'IST' }, 'input.timeZone'],
    ['an e-mail address that is none', { email: 'nobody' }, 'input.email'],
    ['a name that is too long', { name: 'x'.repeat(256) }, 'input.name'],
    ['what cannot be stored', { company: 'a\0' }, 'input.company'],
    ['null', { name: null }, 'input.name'],
    ['an unknown department', { departments: ['75', 'XXX'] }, 'input.departments.1'],
    ['the same department twice', { departments: ['75', '75'] }, 'input.departments.1'],
    ['the host of another website of the team', { host: 'WWW.acme.test' }, 'input.host'],
  ])('%s', async (_what, input, path) => {
    const made = await app.services.db.orm.website.findFirst({ where: { host: 'faulty.acme.test' } });
    const id = made?.id ?? (await create('faulty.acme.test')).id;
    const { errors } = await owner.send(UPDATE, { id, input });
    expect(errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { [path]: [expect.any(String)] },
    });
  });

  test('a host that no page has, unless it is stored already', async () => {
    expect(await owner.refused(CREATE, { teamId, input: settings('*.acme.test') })).toBe('BAD_USER_INPUT');
    const { id } = await create('former.acme.test');
    expect(await owner.refused(UPDATE, { id, input: { host: 'a.acme.test,b.acme.test' } })).toBe(
      'BAD_USER_INPUT',
    );
    await app.services.db.orm.website.update({ where: { id }, data: { host: '*.acme.test' } });
    const { updateWebsite } = await update(id, { host: '*.acme.test', name: 'Renamed' });
    expect(updateWebsite).toMatchObject({ host: '*.acme.test', name: 'Renamed' });
    await app.services.db.orm.website.delete({ where: { id } });
  });

  test('to create a website without a setting, or for an unknown team', async () => {
    const { host: _, ...input } = settings('x.test');
    expect(await owner.refused(CREATE, { teamId, input })).toBe('BAD_USER_INPUT');
    expect(await staff.refused(CREATE, { teamId: 2_000_000_000, input: settings('x.test') })).toBe(
      'NOT_FOUND',
    );
    expect(await staff.refused(CREATE, { teamId: 'x', input: settings('x.test') })).toBe('NOT_FOUND');
  });

  test.each(['x', '1', '00000000-0000-7000-8000-000000000000'])('the id %s', async (id) => {
    expect(await staff.refused(UPDATE, { id, input: {} })).toBe('NOT_FOUND');
  });
});
