import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { startApiApp } from '../support/integrator.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let site: string;
let formId: number;
let owner: PanelClient;
let admin: PanelClient;

beforeAll(async () => {
  app = await startApiApp({ env: { CAPTCHA_DEFAULT: 'off' } });
  await provision(app.services, [team('acme', { websites: [website('www.acme.test')] })]);
  site = await websiteId(app.services, 'www.acme.test');
  formId = (await app.services.db.orm.placement.findFirstOrThrow({ where: { websiteId: site } })).formId;
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  admin = await loggedIn(app.url, app.services, 'admin@acme.test');
});
afterAll(() => app.close());

const SAVE = `mutation ($site: ID!, $formId: ID!, $input: FormLinkInput!, $version: String) {
  saveFormLink(websiteId: $site, formId: $formId, input: $input, version: $version) { version recipients appearance }
}`;
const REMOVE = 'mutation ($site: ID!, $formId: ID!) { removeFormLink(websiteId: $site, formId: $formId) }';
const READ = 'query ($site: ID!) { website(id: $site) { formLinks { version recipients appearance } } }';

const whole = {
  enabled: true,
  cssSelector: '#a',
  htmlWrapper: '<div class="b a"></div>',
  appearance: { '--b': '1', '--a': '2' },
  confirmationMessage: 'Merci.',
  recipients: ['b@acme.test', 'a@acme.test'],
  recipientRules: [
    {
      when: { match: 'any', rules: [{ field: 'email', operator: 'contains', value: '@big.test' }] },
      recipients: ['boss@acme.test'],
    },
  ],
};

const read = async (client: PanelClient) => (await client.ask(READ, { site })).website.formLinks[0];
const save = async (client: PanelClient, input: object, version?: string | null): Promise<string> =>
  (await client.ask(SAVE, { site, formId, input, version })).saveFormLink.version;

test('the version of a placement changes with each of its settings, and with nothing else', async () => {
  const seen: string[] = [];
  for (const input of [
    whole,
    { ...whole, enabled: false },
    { ...whole, cssSelector: null },
    { ...whole, htmlWrapper: null },
    { ...whole, appearance: { '--b': '1' } },
    { ...whole, confirmationMessage: null },
    { ...whole, recipients: ['b@acme.test'] },
    { ...whole, recipientRules: [] },
  ]) {
    const version = await save(owner, input);
    expect(await save(admin, input, version)).toBe(version);
    expect((await read(admin)).version).toBe(version);
    seen.push(version);
  }
  expect(new Set(seen).size).toBe(seen.length);
});

test('settings saved over an older read of another account are a CONFLICT, and its change stays', async () => {
  await save(owner, whole);
  const { version } = await read(admin);
  expect((await read(owner)).version).toBe(version);
  await save(owner, { ...whole, recipients: ['new@acme.test'] }, version);
  const colours = { ...whole, appearance: { '--fg-accent': '#036' } };
  expect(await admin.refused(SAVE, { site, formId, input: colours, version })).toBe('CONFLICT');
  const present = await read(admin);
  expect(present).toMatchObject({ recipients: ['new@acme.test'], appearance: whole.appearance });
  await save(admin, { ...colours, recipients: present.recipients }, present.version);
  expect(await read(owner)).toMatchObject({
    recipients: ['new@acme.test'],
    appearance: { '--fg-accent': '#036' },
  });
});

test('of two accounts that save over the same read at once, one is refused', async () => {
  const version = await save(owner, whole);
  const both = await Promise.all(
    [owner, admin].map((client, at) =>
      client.send(SAVE, { site, formId, version, input: { ...whole, recipients: [`r${at}@acme.test`] } }),
    ),
  );
  const codes = both.map(({ errors }) => errors?.[0]?.extensions.code ?? 'saved');
  expect(codes.sort()).toEqual(['CONFLICT', 'saved']);
  const winner = both.find(({ errors }) => !errors)!.data.saveFormLink;
  expect(await read(owner)).toEqual(winner);
});

test('a placement that is to be new is a CONFLICT when there is one, and replaces nothing', async () => {
  await save(owner, whole);
  expect(await admin.refused(SAVE, { site, formId, input: {}, version: '' })).toBe('CONFLICT');
  expect(await read(admin)).toMatchObject({ recipients: whole.recipients });
  await admin.ask(REMOVE, { site, formId });
  const both = await Promise.all(
    [owner, admin].map((client) => client.send(SAVE, { site, formId, version: '', input: whole })),
  );
  const codes = both.map(({ errors }) => errors?.[0]?.extensions.code ?? 'saved');
  expect(codes.sort()).toEqual(['CONFLICT', 'saved']);
});

test('a placement that was removed meanwhile comes back only without a version', async () => {
  const version = await save(owner, whole);
  await admin.ask(REMOVE, { site, formId });
  expect(await owner.refused(SAVE, { site, formId, input: whole, version })).toBe('CONFLICT');
  expect(await read(owner)).toBeUndefined();
  expect(await save(owner, whole, null)).toBe(version);
});
