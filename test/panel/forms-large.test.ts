import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const FORMS = 12;
const OPTIONS = 500;

let app: TestApp;
let owner: PanelClient;
let teamId: number;
let statements: string[] = [];

const query = pg.Client.prototype.query;

beforeAll(async () => {
  app = await startTestApp({ env: { PLATFORM_LOCALES: 'en,fr' } });
  await provision(app.services, [team('acme')]);
  const { orm } = app.services.db;
  teamId = (await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  await orm.form.deleteMany({ where: { teamId } });
  await orm.$executeRaw`
    WITH form AS (
      INSERT INTO forms (team_id, slug, name, source_locale, submit_button_text, confirmation_message, recipients, updated_at)
      SELECT ${teamId}, 'large-' || n, 'Large', 'en', 'Send', 'Thanks.', '{}', now() FROM generate_series(10, ${9 + FORMS}) n
      RETURNING id
    ), translation AS (
      INSERT INTO form_translations (form_id, locale, submit_button_text) SELECT id, 'fr', 'Envoyer' FROM form
    ), field AS (
      INSERT INTO form_fields (form_id, position, name, type, label) SELECT id, 0, 'f0', 'select', 'Field' FROM form
      RETURNING id
    )
    INSERT INTO field_options (field_id, position, value, label)
    SELECT id, n, 'option ' || n, 'Option' FROM field, generate_series(1, ${OPTIONS}) n`;
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(() => app.close());

beforeEach(() => {
  statements = [];
  pg.Client.prototype.query = function noted(this: pg.Client, ...given: [string | { text: string }]) {
    statements.push(typeof given[0] === 'string' ? given[0] : given[0].text);
    return Reflect.apply(query, this, given as never);
  } as typeof query;
});
afterEach(() => {
  pg.Client.prototype.query = query;
});

/** How often options of forms were loaded. */
const optionReads = () =>
  statements.filter((text) => /FROM (field_options|"public"."field_options")/.test(text)).length;

const PAGE = (selection: string) => `{ forms(first: 50) { edges { node { ${selection} } } } }`;

test('languages, translations and recipients of forms are listed without their fields', async () => {
  const { forms } = await owner.ask(
    PAGE('locales translations { locale submitButtonText } recipientRules { recipients }'),
  );
  expect(forms.edges).toHaveLength(FORMS);
  expect(forms.edges[0].node).toEqual({
    locales: ['en', 'fr'],
    translations: [{ locale: 'fr', submitButtonText: 'Envoyer' }],
    recipientRules: [],
  });
  expect(statements.some((text) => text.includes('form_fields'))).toBe(false);
});

test.each([
  [
    'missingTranslations of a team',
    (id: number) =>
      `{ missingTranslations(teamId: ${id}) { form { slug } missing { locale texts { text } } } }`,
  ],
  ['missingTranslations of each form', () => PAGE('slug missingTranslations { locale texts { text } }')],
  ['fields', () => PAGE('fields { name options { value } }')],
  ['unenforcedPatterns', () => PAGE('unenforcedPatterns { field }')],
])('large forms are read in portions: %s', async (_, documentOf) => {
  await owner.ask(documentOf(teamId));
  // 2,000 rows at a time: three forms of 503.
  expect(optionReads()).toBe(4);
});

test('the missing texts of a team are told by form, sorted by slug', async () => {
  const { missingTranslations } = await owner.ask(
    `{ missingTranslations(teamId: ${teamId}) { form { slug } missing { locale texts { field option text } } } }`,
  );
  expect(missingTranslations.map(({ form }: { form: { slug: string } }) => form.slug)).toEqual(
    Array.from({ length: FORMS }, (_, index) => `large-${10 + index}`),
  );
  const [{ missing }] = missingTranslations;
  expect(missing).toHaveLength(1);
  expect(missing[0].locale).toBe('fr');
  expect(missing[0].texts).toHaveLength(OPTIONS + 2);
});

test('more fields and texts than an answer may hold are refused before they are loaded', async () => {
  const { orm } = app.services.db;
  await orm.$executeRaw`
    INSERT INTO field_options (field_id, position, value, label)
    SELECT d.id, 1000 + n, 'more ' || n, 'Option'
      FROM form_fields d JOIN forms f ON f.id = d.form_id, generate_series(1, 9000) n
     WHERE f.team_id = ${teamId}`;
  const message = 'The forms have more than 100000 fields and texts together. Ask for fewer at once.';
  const refusal = { message, extensions: { code: 'OPERATION_TOO_COSTLY' } };
  expect((await owner.send(PAGE('fields { name }'))).errors).toMatchObject([refusal]);
  expect(optionReads()).toBe(0);
  const ofTeam = await owner.send(`{ missingTranslations(teamId: ${teamId}) { form { slug } } }`);
  expect(ofTeam.errors).toMatchObject([refusal]);
});
