import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const VIEWS = '{ savedViews { id name filter lastDays } }';
const SAVE = `mutation ($name: String!, $filter: SubmissionFilter!, $lastDays: Int) {
  saveView(name: $name, filter: $filter, lastDays: $lastDays) { id name filter lastDays }
}`;
const RENAME = 'mutation ($id: ID!, $name: String!) { renameView(id: $id, name: $name) { id name } }';
const DELETE = 'mutation ($id: ID!) { deleteView(id: $id) }';

let app: TestApp;
let member: PanelClient;
let stranger: PanelClient;
let teamId: string;
let site: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  stranger = await loggedIn(app.url, app.services, 'owner@globex.test');
  teamId = String((await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id);
  site = await websiteId(app.services, 'www.acme.test');
});

beforeEach(() => app.services.db.orm.savedView.deleteMany());

afterAll(() => app?.close());

const views = async (client: PanelClient) => (await client.ask(VIEWS)).savedViews;
const save = async (client: PanelClient, name: string, filter: object = {}) =>
  (await client.ask(SAVE, { name, filter })).saveView;

test('a view keeps its filter as the inbox takes it', async () => {
  const form = await app.services.db.orm.form.findFirstOrThrow({ where: { team: { slug: 'acme' } } });
  const filter = {
    teamId,
    websiteIds: [site.toUpperCase()],
    formIds: [String(form.id)],
    states: ['new', 'done'],
    locale: 'fr',
    from: '2026-01-01T00:00:00.000Z',
    to: null,
    text: ' devis jardin ',
    needsReview: false,
    notificationStates: ['pending'],
  };
  const { to: _, ...kept } = { ...filter, websiteIds: [site], text: 'devis jardin' };
  const { saveView } = await member.ask(SAVE, { name: ' Jardins ', filter, lastDays: 30 });
  expect(saveView).toEqual({ id: saveView.id, name: 'Jardins', filter: kept, lastDays: 30 });
  expect(await views(member)).toEqual([saveView]);

  const [id] = await recordedLeads(app.services, site, 1);
  const list = 'query ($filter: SubmissionFilter) { submissions(filter: $filter) { edges { node { id } } } }';
  expect(await member.ask(list, { filter: saveView.filter })).toEqual({ submissions: { edges: [] } });
  const plain = await save(member, 'Neu', { states: ['new'], teamId });
  const { submissions } = await member.ask(list, { filter: plain.filter });
  expect(submissions.edges).toEqual([{ node: { id } }]);
});

test('views are sorted by name, and saving under a name replaces that view', async () => {
  for (const name of ['Zürich', 'école', 'Atelier']) await save(member, name);
  const { id } = (await views(member))[1];
  expect(await save(member, 'école', { states: ['spam'] })).toMatchObject({
    id,
    filter: { states: ['spam'] },
  });
  expect((await views(member)).map(({ name }: { name: string }) => name)).toEqual([
    'Atelier',
    'école',
    'Zürich',
  ]);
});

test('a view is renamed and deleted by its account alone', async () => {
  const { id } = await save(member, 'Mine');
  await save(member, 'Other');
  expect(await views(stranger)).toEqual([]);
  for (const [query, more] of [
    [RENAME, { name: 'Theirs' }],
    [DELETE, {}],
  ] as const) {
    expect(await stranger.refused(query, { id, ...more })).toBe('NOT_FOUND');
    expect(await member.refused(query, { id: 'x', ...more })).toBe('NOT_FOUND');
  }
  expect(await member.refused(RENAME, { id, name: 'Other' })).toBe('CONFLICT');
  expect(await member.ask(RENAME, { id, name: 'Renamed' })).toEqual({ renameView: { id, name: 'Renamed' } });
  expect(await member.ask(DELETE, { id })).toEqual({ deleteView: true });
  expect((await views(member)).map(({ name }: { name: string }) => name)).toEqual(['Other']);
});

test('an account has fifty views at most, also when it saves several at once', async () => {
  const { id: userId } = await app.services.db.orm.user.findUniqueOrThrow({
    where: { email: 'member@acme.test' },
  });
  await app.services.db.orm.savedView.createMany({
    data: Array.from({ length: 48 }, (_, n) => ({ userId, name: `View ${n}`, filter: {} })),
  });
  const answers = await Promise.all(
    ['A', 'B', 'C', 'D'].map((name) => member.send(SAVE, { name, filter: {} })),
  );
  const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'saved').sort();
  expect(codes).toEqual(['CONFLICT', 'CONFLICT', 'saved', 'saved']);
  expect(await views(member)).toHaveLength(50);
  await save(member, 'View 0', { states: ['done'] });
  await save(stranger, 'First');
});

test.each<[string, object, string]>([
  [' ', { filter: {} }, 'name'],
  ['x'.repeat(101), { filter: {} }, 'name'],
  ['two\nlines', { filter: {} }, 'name'],
  ['v', { filter: { text: 'a' } }, 'filter.text'],
  ['v', { filter: { text: 'ada@example.com' } }, 'filter.text'],
  ['v', { filter: { locale: 'french' } }, 'filter.locale'],
  ['v', { filter: {}, lastDays: 0 }, 'lastDays'],
])('a view named %j with %j is refused by its path', async (name, more, path) => {
  const { errors } = await member.send(SAVE, { name, ...more });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    errors: { [path]: [expect.any(String)] },
  });
});

test('a view of another team is not saved', async () => {
  expect(await stranger.refused(SAVE, { name: 'Theirs', filter: { teamId } })).toBe('NOT_FOUND');
  expect(await views(stranger)).toEqual([]);
});
