import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

/** Names that every object of JavaScript has: as names of fields and values of options they are like any other. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

const recordOf = <T>(make: (name: string) => T): Record<string, T> =>
  Object.fromEntries(NAMES.map((name) => [name, make(name)]));

const form = {
  slug: 'inert',
  name: 'Inert',
  source_locale: 'fr',
  submit_button_text: 'Envoyer',
  confirmation_message: 'Merci.',
  fields: [
    ...NAMES.map((name) => ({
      name,
      type: 'select',
      label: `Champ ${name}`,
      options: NAMES.map((value) => ({ value, label: `Choix ${value}` })),
    })),
    {
      name: '__detail',
      type: 'text',
      label: 'Détail',
      is_required: true,
      visibility: {
        match: 'all',
        rules: NAMES.map((name) => ({ field: name, operator: 'equals', value: name })),
      },
    },
  ],
  translations: {
    en: {
      fields: recordOf((name) => ({
        label: `Field ${name}`,
        options: recordOf((value) => `Choice ${value}`),
      })),
    },
  },
};

let app: TestApp;
let owner: PanelClient;
let token: string;
let site: string;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  const websites = [website('www.acme.test', { locale: 'en', forms: [{ slug: 'inert' }] })];
  await provision(app.services, [team('acme', { forms: [form], websites })]);
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  site = await websiteId(app.services, 'www.acme.test');
});

afterAll(() => app.close());

async function submit(body: object): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/inert/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

test('fields and options named such as __proto__ are served in the visitor’s language', async () => {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/config?f=inert~en`, {
    headers: { origin: 'https://www.acme.test' },
  });
  const { forms } = (await response.json()) as {
    forms: Record<string, { fields: Record<string, unknown>[] }>;
  };
  const fields = forms['inert~en']!.fields.slice(0, NAMES.length);
  expect(fields).toMatchObject(
    NAMES.map((name) => ({
      name,
      label: `Field ${name}`,
      options: NAMES.map((value) => ({ value, label: `Choice ${value}` })),
    })),
  );
});

test('fields named such as __proto__ are validated, and drive conditions', async () => {
  const wrong = await submit(recordOf(() => 'valueOf'));
  expect(wrong.status).toBe(422);
  expect(Object.keys(wrong.answer.errors as object)).toEqual(NAMES);
  const incomplete = await submit(recordOf((name) => name));
  expect(incomplete.status).toBe(422);
  expect(Object.keys(incomplete.answer.errors as object)).toEqual(['__detail']);
});

test('fields named such as __proto__ are mailed, shown in the panel and exported', async () => {
  const values = { ...recordOf((name) => name), __detail: 'yes' };
  const undeclared = { valueOf: recordOf((name) => [name]) };
  const { status, answer } = await submit({ ...values, ...undeclared });
  expect(status).toBe(200);
  const id = String(answer.lead_id);

  const { mail } = await app.sink.waitFor(({ raw }) => raw.includes(id));
  for (const name of NAMES) expect(mail.text).toContain(`Field ${name}: Choice ${name}`);

  const { submission } = await owner.ask(
    'query ($id: ID!) { submission(id: $id) { undeclared fields { name label text } } }',
    { id },
  );
  expect(submission.fields.slice(0, NAMES.length)).toEqual(
    NAMES.map((name) => ({ name, label: `Field ${name}`, text: `Choice ${name}` })),
  );
  expect(JSON.stringify(submission.undeclared)).toContain('"__proto__":["__proto__"]');

  const csv = await (await owner.fetch('/panel/exports/submissions.csv')).text();
  expect(csv).toContain(`Needs review,${NAMES.join(',')},__detail,Other`);
  expect(csv).toContain(`false,${NAMES.join(',')},yes,"{""valueOf"":`);
  const ndjson = await (await owner.fetch('/panel/exports/submissions.ndjson')).text();
  expect(Object.entries(JSON.parse(ndjson).values).sort()).toEqual(Object.entries(values).sort());
});
