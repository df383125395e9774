import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GraphQLError, parse } from 'graphql';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { createAccount, loggedIn, type PanelClient, type PanelError } from '../support/panel.js';

const times = (count: number, part: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join(' ');

/** A document of as many parts as the limit of tokens has room for. */
function longest(make: (count: number) => string): string {
  let count = 1;
  const fits = (parts: number) => {
    try {
      parse(make(parts), { maxTokens: 1_000 });
      return true;
    } catch (error) {
      if (error instanceof GraphQLError && /token/.test(error.message)) return false;
      throw error;
    }
  };
  while (fits(count * 2)) count *= 2;
  for (let step = count / 2; step >= 1; step /= 2) if (fits(count + step)) count += step;
  return make(count);
}

const spread = (count: number, of: (n: number) => string) =>
  `{ me { ...f0 } } ${times(count, (n) => `fragment f${n} on Viewer { email ${of(n)} }`)}`;

const [INVALID, SYNTAX] = ['GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED'];
const [COSTLY, INPUT] = ['OPERATION_TOO_COSTLY', 'BAD_USER_INPUT'];

type Sent = Readonly<{ query: string; variables?: object; code: string }>;

/** What is sent, and the code with which all of it is refused. */
const DOCUMENTS: Readonly<Record<string, Sent>> = {
  'more tokens than a document may have': { query: `{ me { ${'email '.repeat(1_001)} } }`, code: SYNTAX },
  'a body full of one list': { query: `{ me(a: [${'1 '.repeat(100_000)}]) { email } }`, code: SYNTAX },
  'a value deeper than a stack': { query: `{ me(a: ${'['.repeat(100_000)}) { email } }`, code: SYNTAX },
  'fields that do not exist': {
    query: longest((count) => `{ ${times(count, (n) => `no${n}`)} }`),
    code: INVALID,
  },
  'one name of 200,000 letters': { query: `{ ${'m'.repeat(200_000)} }`, code: INVALID },
  'names of 200 letters': {
    query: longest((count) => `{ ${times(count, (n) => `${'me'.repeat(100)}${n}`)} }`),
    code: INVALID,
  },
  'arguments that do not exist': {
    query: longest((count) => `{ teams(${times(count, (n) => `no${n}: 1`)}) { pageInfo { endCursor } } }`),
    code: INVALID,
  },
  'one argument many times': {
    query: longest((count) => `{ teams(${'first: 1 '.repeat(count)}) { pageInfo { endCursor } } }`),
    code: INVALID,
  },
  'one directive many times': {
    query: longest((count) => `{ me { email ${'@include(if: true) '.repeat(count)} } }`),
    code: INVALID,
  },
  'directives that do not exist': {
    query: longest((count) => `{ me { email ${times(count, (n) => `@no${n}`)} } }`),
    code: INVALID,
  },
  'fragments that nothing uses': {
    query: longest(
      (count) => `{ me { email } } ${times(count, (n) => `fragment f${n} on Viewer { email }`)}`,
    ),
    code: INVALID,
  },
  'fragments that do not exist': {
    query: longest((count) => `{ me { ${times(count, (n) => `...f${n}`)} } }`),
    code: INVALID,
  },
  'a long chain of fragments': {
    query: longest(
      (count) => `${spread(count, (n) => `...f${n + 1}`)} fragment f${count} on Viewer { email }`,
    ),
    code: INVALID,
  },
  'a circle of fragments': {
    query: longest((count) => spread(count, (n) => `...f${(n + 1) % count}`)),
    code: INVALID,
  },
  'fragments that all spread all': {
    query: longest((count) => spread(count, () => times(count, (n) => `...f${n}`))),
    code: INVALID,
  },
  '8,000 fields by three fragments': {
    query:
      '{ teams { edges { node { ...f0 } } } }' +
      times(3, (n) => `fragment f${n} on Team { ${`...f${n + 1} `.repeat(20)} }`) +
      'fragment f3 on Team { id }',
    code: COSTLY,
  },
  'fields within fields': {
    query: longest(
      (count) => `{ form(id: 1) ${'{ links { form '.repeat(count)} { id } ${'} }'.repeat(count)} }`,
    ),
    code: INVALID,
  },
  'fragments within fragments': {
    query: longest((count) => `{ me ${'{ ... '.repeat(count)} { email } ${'}'.repeat(count)} }`),
    code: INVALID,
  },
  'more aliases than a page needs': {
    query: `{ ${times(31, (n) => `a${n}: me { email }`)} }`,
    code: INVALID,
  },
  'one alias for many fields': {
    query: longest(
      (count) => `{ me { ${times(count, () => 'a: email')} ${times(count, () => 'a: name')} } }`,
    ),
    code: INVALID,
  },
  'one field with many arguments': {
    query: longest((count) => `{ ${times(count, (n) => `team(id: ${n}) { id }`)} }`),
    code: INVALID,
  },
  'anonymous operations': { query: longest((count) => '{ me { email } } '.repeat(count)), code: INVALID },
  'variables that nothing uses': {
    query: longest((count) => `query (${times(count, (n) => `$v${n}: Int`)}) { me { email } }`),
    code: INVALID,
  },
  'variables that nothing declares': {
    query: longest((count) => `{ ${times(count, (n) => `team(id: $v${n}) { id }`)} }`),
    code: INVALID,
  },
  'definitions of types': {
    query: longest((count) => times(count, (n) => `type T${n} { a: Int }`)),
    code: INVALID,
  },
  'words that an enum does not have': {
    query: longest(
      (count) =>
        `{ submissions(filter: { states: [${times(count, (n) => `no${n}`)}] }) { pageInfo { endCursor } } }`,
    ),
    code: INVALID,
  },
  'a list of 9,000 faults': {
    query: 'mutation ($ids: [ID!]!) { deleteSubmissions(ids: $ids) }',
    variables: { ids: Array.from({ length: 9_000 }, () => ({})) },
    code: INPUT,
  },
  'an input object of 9,000 fields that do not exist': {
    query: 'mutation ($input: CreatePlanInput!) { createPlan(input: $input) { id } }',
    variables: { input: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`no${n}`, 1])) },
    code: INPUT,
  },
  'a list of 60,000 ids': {
    query: 'mutation ($ids: [ID!]!) { deleteSubmissions(ids: $ids) }',
    variables: { ids: Array.from({ length: 60_000 }, () => '1') },
    code: INPUT,
  },
  'pages within pages': {
    query:
      '{ forms(first: 100) { edges { node { links { website { formLinks { form { links { formId } } } } } } } } }',
    code: COSTLY,
  },
  'a page that costs less than nothing': {
    query: '{ teams(first: -2000000000) { edges { node { id } } } }',
    code: INPUT,
  },
};

let app: TestApp;
let staff: PanelClient;
let teamId: number;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});
afterAll(() => app.close());

type Answer = Readonly<{ status: number; data?: unknown; errors: PanelError[] }>;

async function send(query: string, variables: object = {}): Promise<Answer> {
  const body = JSON.stringify({ query, variables });
  const headers = { 'content-type': 'application/json' };
  const response = await staff.fetch('/graphql', { method: 'POST', headers, body });
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) };
}

describe('a document with', () => {
  test.each(Object.entries(DOCUMENTS))('%s is refused', async (_what, { query, variables, code }) => {
    const { status, data, errors } = await send(query, variables);
    expect({ status, data, code: errors[0]!.extensions.code }).toEqual({
      status: 400,
      data: undefined,
      code,
    });
    expect(errors.length).toBeLessThanOrEqual(11);
  });
});

describe('the operation name', () => {
  test('that an anonymous operation does not have is a 400', async () => {
    const response = await staff.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { email } }', operationName: 'other' }),
    });
    expect(response.status).toBe(400);
  });
});

describe('an argument that scales an answer', () => {
  const pages = ['teams', 'users', 'websites', 'forms', 'submissions', 'auditEvents', 'incidents'];
  const outOfBounds = [
    'first: -2000000000',
    'first: 0',
    'first: 101',
    'last: -1',
    'last: 2147483647',
    'first: 1, last: 1',
  ];
  const period = `from: "2026-11-01", to: "2026-11-02"`;

  test.each([
    ...pages.flatMap((list) =>
      outOfBounds.map((args) => [`${list}(${args})`, `${list}(${args}) { pageInfo { endCursor } }`]),
    ),
    ...[-1, 0, 101].flatMap((limit) => [
      [
        `topPages(limit: ${limit})`,
        `visitStatistics(teamId: 1, ${period}) { topPages(limit: ${limit}) { pageUrl } }`,
      ],
      [
        `attribution(limit: ${limit})`,
        `visitStatistics(teamId: 1, ${period}) { attribution(by: UTM_SOURCE, limit: ${limit}) { value } }`,
      ],
    ]),
    ...[-1, 0, 1_001].map((limit) => [
      `submissionBreakdown(limit: ${limit})`,
      `submissionBreakdown(by: WEBSITE, limit: ${limit}) { total }`,
    ]),
  ])('is refused with the whole document: %s', async (_what, field) => {
    const { status, data, errors } = await send(`{ me { email } ${field} }`);
    expect({ status, data, count: errors.length }).toEqual({ status: 400, data: undefined, count: 1 });
    const name = /(limit|last|first)/.exec(field.includes('last') ? 'last' : field)![1]!;
    expect(errors[0]!.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { [name]: [expect.any(String)] },
    });
  });
});

describe('a mutation', () => {
  test('whose answer would cost too much is not executed', async () => {
    const { id } = await app.services.db.orm.form.findFirstOrThrow({ where: { teamId } });
    const links = `${'links { form { '.repeat(5)} id ${'} } '.repeat(5)}`;
    const { errors } = await send(`mutation { duplicateForm(id: ${id}, slug: "copy") { ${links} } }`);
    expect(errors[0]!.extensions.code).toBe('OPERATION_TOO_COSTLY');
    expect(await app.services.db.orm.form.count({ where: { slug: 'copy' } })).toBe(0);
  });
});
