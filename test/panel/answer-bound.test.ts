import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql';
import { printablePanelSchema } from '../../src/panel.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let staff: PanelClient;

/** Sixty forms, each on each of sixty websites. */
beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme', { forms: [], websites: [] })]);
  const { db } = app.services;
  const { id } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  await db.orm.$executeRaw`
    INSERT INTO forms (team_id, slug, name, source_locale, submit_button_text, confirmation_message, recipients)
    SELECT ${id}, 'form-' || n, 'Form ' || n, 'fr', 'Envoyer', 'Merci.', '{}' FROM generate_series(1, 60) n`;
  await db.orm.$executeRaw`
    INSERT INTO websites (id, team_id, name, host, url, locale, time_zone, email, signature_key_cipher, updated_at)
    SELECT gen_random_uuid(), ${id}, 'Website ' || n, 'w' || n || '.acme.test', 'https://acme.test', 'fr',
           'Europe/Paris', 'a@acme.test', '', now() FROM generate_series(1, 60) n`;
  await db.orm.$executeRaw`
    INSERT INTO form_links (website_id, form_id, team_id, recipients)
    SELECT w.id, f.id, ${id}, '{}' FROM websites w CROSS JOIN forms f`;
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});
afterAll(() => app.close());

async function send(query: string) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query });
  const response = await staff.fetch('/graphql', { method: 'POST', headers, body });
  return { status: response.status, body: await response.json() };
}

describe('forms and websites that are all linked with each other', () => {
  test('are answered below the bound', async () => {
    const { forms } = await staff.ask(
      '{ forms(first: 60) { edges { node { links { websiteId enabled appearance injectionPosition } } } } }',
    );
    const links = forms.edges.flatMap(({ node }: { node: { links: object[] } }) => node.links);
    expect(links).toHaveLength(3_600);
    expect(links[0]).toEqual({
      websiteId: expect.any(String),
      enabled: true,
      appearance: {},
      injectionPosition: 'inside',
    });
  });

  test('are refused beyond the bound, which the error names', async () => {
    const { status, body } = await send(
      '{ me { email } forms(first: 60) { edges { node { links { website { formLinks { formId } } } } } } }',
    );
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        errors: [
          {
            message: 'The answer has more than 100000 fields. Ask for less at once.',
            extensions: { code: 'OPERATION_TOO_COSTLY' },
          },
        ],
      },
    });
  });
});

describe('leads of the largest size', () => {
  const VALUE = 'a'.repeat(250_000);
  const page = (first: number) => `submissions(first: ${first}) { edges { node { undeclared } } }`;

  beforeAll(async () => {
    const { db } = app.services;
    const { websiteId } = await db.orm.placement.findFirstOrThrow();
    await db.orm.placement.deleteMany({ where: { websiteId, form: { slug: { not: 'form-1' } } } });
    await recordedLeads(app.services, websiteId, 40);
    await db.orm.submission.updateMany({ data: { undeclared: { value: VALUE } } });
  });

  test('are answered together up to 8 million characters', async () => {
    const { submissions } = await staff.ask(`{ ${page(30)} }`);
    expect(submissions.edges).toHaveLength(30);
    expect(submissions.edges[29].node.undeclared).toEqual({ value: VALUE });
  });

  test('are refused beyond', async () => {
    const aliases = Array.from({ length: 20 }, (_, n) => `a${n}: ${page(40)}`);
    const { status, body } = await send(`{ ${aliases.join(' ')} }`);
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        errors: [
          {
            message: 'The texts of the answer have more than 8000000 characters. Ask for less at once.',
            extensions: { code: 'OPERATION_TOO_COSTLY' },
          },
        ],
      },
    });
  });
});

describe('every list of the schema', () => {
  test('has an estimate of its length, except the parts of a form, a text or a connection', () => {
    const parts = new Set([
      'FieldOption',
      'FieldTranslation',
      'OptionTranslation',
      'MissingTranslations',
      'MissingText',
    ]);
    const without = Object.values(printablePanelSchema().getTypeMap()).flatMap((type) =>
      !isObjectType(type) || type.name.startsWith('__')
        ? []
        : Object.values(type.getFields())
            .filter(
              (field) => isListType(getNullableType(field.type)) && isObjectType(getNamedType(field.type)),
            )
            .filter((field) => field.extensions.complexity === undefined && field.name !== 'edges')
            .filter((field) => !parts.has(getNamedType(field.type).name))
            .map((field) => `${type.name}.${field.name}`),
    );
    expect(without).toEqual(['SubmissionCounts.byState']);
  });
});
