import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { createForm, formInput } from '../support/panel-forms.js';

let app: TestApp;
let staff: PanelClient;
let teamId: number;
let statements = 0;

const query = pg.Client.prototype.query;

/** The change feed is checked at intervals, however long a list is. */
const isOfChangeFeed = (asked: string | { text: string }) =>
  /catalogue_changes/.test(typeof asked === 'string' ? asked : asked.text);

beforeAll(async () => {
  app = await startTestApp();
  const websites = Array.from({ length: 12 }, (_, n) =>
    website(`w${n}.acme.test`, { forms: [{ slug: 'contact' }], captcha: [{ key: 'altcha:own' }] }),
  );
  const forms = Array.from({ length: 12 }, (_, n) =>
    contactForm({ slug: n === 0 ? 'contact' : `form-${n}` }),
  );
  const others = Array.from({ length: 11 }, (_, n) => team(`team-${n}`));
  await provision(app.services, [team('acme', { websites, forms }), ...others]);
  const { db } = app.services;
  teamId = (await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
  for (let n = 0; n < 12; n += 1) {
    await createToken(app.services, 'acme', n % 2 ? 'owner@acme.test' : 'admin@acme.test');
  }
  const sites = await db.orm.website.findMany({ where: { teamId } });
  for (const { id } of sites) {
    const [submissionId] = await recordedLeads(app.services, id, 1);
    await db.orm.submissionNote.create({ data: { submissionId: submissionId!, text: 'A note' } });
  }
  pg.Client.prototype.query = function counted(this: pg.Client, ...given: [string | { text: string }]) {
    if (!isOfChangeFeed(given[0])) statements += 1;
    return Reflect.apply(query, this, given as never);
  } as typeof query;
});
afterAll(async () => {
  pg.Client.prototype.query = query;
  await app.close();
});

const LISTS: Record<string, string> = {
  submissions: `submissions(first: $first) { edges { node { website { name } form { name } isFormVersionKept summary { title }
    stateChangedByName fields { label } consents { __typename }
    notification { state attempts { number } recipients { address } } requestedEmails { state } notes { text authorName } stateHistory { to }
    legalHoldHistory { step } } } }`,
  websites: `websites(first: $first, teamId: $teamId) { edges { node { departments { code } captchaChain { key }
    team { name } leadsPerDay lastProbeOk health { kind summary }
    formLinks { form { name locales } website { name } } } } }`,
  forms: `forms(first: $first, teamId: $teamId) { edges { node { fields { label } locales
    missingTranslations { locale } versions(first: 2) { edges { node { savedByName } } } links { website { name captchaChain { key } } } } } }`,
  teams:
    'teams(first: $first) { edges { node { plan { code } members { account { email } } usage { month } } } }',
  auditEvents: 'auditEvents(first: $first) { edges { node { ip subjectName actor { email } } } }',
};

/** How many statements an operation takes. */
async function count(operation: string, first: number): Promise<number> {
  const before = statements;
  const text = `query ($first: Int, $teamId: ID) { ${operation} ok: me { userId } }`;
  const variables = { first, ...(operation.includes('$teamId') && { teamId }) };
  const declared = operation.includes('$teamId') ? text : text.replace(', $teamId: ID', '');
  const data = await staff.ask(declared, variables);
  const [list] = Object.values(data) as { edges: unknown[] }[];
  expect(list!.edges).toHaveLength(first);
  return statements - before;
}

describe('the number of statements does not grow with the length of a list', () => {
  test.each(Object.entries(LISTS))('of %s', async (_name, operation) => {
    await count(operation, 1);
    const few = await count(operation, 2);
    expect(few).toBeGreaterThan(1);
    expect(await count(operation, 12)).toBe(few);
  });

  test('of tokens', async () => {
    const list = 'query ($teamId: ID!) { tokens(teamId: $teamId) { name bearer { email } } }';
    const taken = async () => {
      const before = statements;
      const { tokens } = await staff.ask(list, { teamId });
      return { tokens: tokens.length, statements: statements - before };
    };
    const many = await taken();
    expect(many.tokens).toBe(12);
    await app.services.db.orm.token.updateMany({ data: { revokedAt: new Date() }, where: { id: { gt: 2 } } });
    const few = await taken();
    expect(few.tokens).toBeLessThan(3);
    expect(few.statements).toBe(many.statements);
  });
});

describe('the number of statements that save a form does not grow with its options and their translations', () => {
  const optionsOf = (count: number, suffix: string) =>
    Array.from({ length: count }, (_, n) => ({
      value: `v${n}`,
      label: `Choix ${n}${suffix}`,
      translations: [{ locale: 'en', label: `Choice ${n}${suffix}` }],
    }));
  const input = (count: number, suffix: string) =>
    formInput(
      ['first', 'second'].map((name) => ({ name, type: 'select', options: optionsOf(count, suffix) })),
      { translations: [{ locale: 'en', submitButtonText: 'Send' }] },
    );

  async function statementsOf(operation: string, count: number, id: string): Promise<number> {
    const isSave = operation.startsWith('save');
    const suffix = isSave ? ' bis' : '';
    const before = statements;
    const data = await staff.ask(
      `mutation ($id: ID!, ${isSave ? '$input: FormInput!' : '$slug: String!'}) {
        ${operation} { fields { options { value label translations { locale label } } } }
      }`,
      { id, ...(isSave ? { input: input(count, suffix) } : { slug: `copy-${count}` }) },
    );
    const [{ fields }] = Object.values(data) as [{ fields: { options: unknown }[] }];
    expect(fields.map(({ options }) => options)).toEqual([
      optionsOf(count, suffix),
      optionsOf(count, suffix),
    ]);
    return statements - before;
  }

  test.each(['duplicateForm(id: $id, slug: $slug)', 'saveForm(id: $id, version: 1, input: $input)'])(
    'by %s',
    async (operation) => {
      const taken = async (count: number) => {
        const id = await createForm(app, `${operation.slice(0, 4)}-${count}`, input(count, ''));
        return statementsOf(operation, count, id);
      };
      expect(await taken(300)).toBe(await taken(3));
    },
  );
});
