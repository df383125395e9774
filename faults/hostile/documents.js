// GraphQL requests that ask for too much, each sent as a team's owner. Either way the answer comes at once: an error
// (`refused`), or what it asks for in the bounds of a page.
const times = (count, textOf) => Array.from({ length: count }, (_, index) => textOf(index)).join(' ');

const PAGE = '{ edges { node { id } } pageInfo { hasNextPage } }';

/** A selection that goes down and up again between forms and the websites that show them. */
const upAndDown = (levels) =>
  levels === 0 ? '{ id }' : `{ links { website { formLinks { form ${upAndDown(levels - 1)} } } } }`;

const deepList = (levels) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

const variable = (type, value, field = 'forms(search: $v)') => ({
  query: `query ($v: ${type}) { ${field} ${PAGE} }`,
  variables: { v: value },
});

/**
 * @type {{ name: string, request: { query: string, variables?: object, operationName?: string }, refused: boolean }[]}
 */
export const DOCUMENTS = [
  { name: 'the usual', refused: false, request: { query: `{ forms(first: 10) ${PAGE} }` } },
  { name: 'first: -2000000000', refused: true, request: { query: `{ forms(first: -2000000000) ${PAGE} }` } },
  { name: 'first: 2000000000', refused: true, request: { query: `{ forms(first: 2000000000) ${PAGE} }` } },
  { name: 'first: 9e99', refused: true, request: { query: `{ forms(first: 9e99) ${PAGE} }` } },
  { name: 'last: 0', refused: true, request: { query: `{ forms(last: 0) ${PAGE} }` } },
  {
    name: 'first of a variable, -2147483648',
    refused: true,
    request: variable('Int', -2_147_483_648, 'forms(first: $v)'),
  },
  {
    name: 'a negative page that is to pay for a costly one',
    refused: true,
    request: {
      query: `{ a: forms(first: -2000000000) ${PAGE} b: forms(first: 100) { edges { node { fields { options { label } } } } } }`,
    },
  },
  {
    name: '29 aliases of the longest page with all that belongs to it',
    refused: true,
    request: {
      query: `{ ${times(29, (index) => `a${index}: forms(first: 100) { edges { node { fields { options { label } } } } }`)} }`,
    },
  },
  {
    name: '60 aliases',
    refused: true,
    request: { query: `{ ${times(60, (index) => `a${index}: me { userId }`)} }` },
  },
  {
    name: '1,000 aliases',
    refused: true,
    request: { query: `{ ${times(1_000, (index) => `a${index}: me { userId }`)} }` },
  },
  {
    name: 'the same field 900 times',
    refused: true,
    request: { query: `{ me { ${times(900, () => 'userId')} } }` },
  },
  { name: '12,000 times', refused: true, request: { query: `{ me { ${times(12_000, () => 'userId')} } }` } },
  {
    name: 'up and down between forms and websites, 40 levels',
    refused: true,
    request: { query: `{ forms { edges { node ${upAndDown(10)} } } }` },
  },
  {
    name: '20,000 levels',
    refused: true,
    request: { query: `${'{ a '.repeat(20_000)}${'}'.repeat(20_000)}` },
  },
  {
    name: 'fragments in a circle',
    refused: true,
    request: { query: '{ me { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }' },
  },
  {
    name: 'a chain of 60 fragments that each spread the next twice',
    refused: true,
    request: {
      query: `{ me { ...F0 } } ${times(60, (index) => `fragment F${index} on Viewer { userId ...F${index + 1} ...F${index + 1} }`)} fragment F60 on Viewer { userId }`,
    },
  },
  {
    name: '25 fragments that each double',
    refused: true,
    request: {
      query: `{ ...F0 } ${times(25, (index) => `fragment F${index} on Query { a${index}: me { userId } ...F${index + 1} b${index}: me { userId } ...F${index + 1} }`)} fragment F25 on Query { me { userId } }`,
    },
  },
  {
    name: '180 directives at one field',
    refused: true,
    request: { query: `{ me { userId ${'@include(if: true) '.repeat(180)} } }` },
  },
  {
    name: '450 directives that there are not',
    refused: true,
    request: { query: `{ me { userId ${'@a '.repeat(450)} } }` },
  },
  {
    name: 'a variable of 250,000 characters',
    refused: false,
    request: variable('String', 'a'.repeat(250_000)),
  },
  {
    name: 'a variable of 120,000 wildcards',
    refused: false,
    request: variable('String', '%_'.repeat(60_000)),
  },
  {
    name: 'a text of 200,000 characters in the document',
    refused: false,
    request: { query: `{ forms(search: "${'a'.repeat(200_000)}") ${PAGE} }` },
  },
  {
    name: 'a list of 60,000 ids',
    refused: true,
    request: {
      query: `query ($v: [ID!]) { submissions(filter: { formIds: $v }) ${PAGE} }`,
      variables: { v: Array.from({ length: 60_000 }, () => 1) },
    },
  },
  {
    name: 'an input 60,000 lists deep',
    refused: true,
    request: {
      query:
        'mutation ($v: FormFieldInput!) { createForm(teamId: 1, slug: "a", input: { name: "a", sourceLocale: "en", submitButtonText: "a", confirmationMessage: "a", fields: [$v] }) { id } }',
      variables: { v: { name: 'a', type: 'text', label: 'a', visibility: '@deep' } },
    },
  },
  {
    name: '200 variables',
    refused: true,
    request: { query: `query (${times(200, (index) => `$v${index}: Int`)}) { me { userId } }` },
  },
  {
    name: '120 operations of which one runs',
    refused: false,
    request: { query: times(120, (index) => `query Q${index} { me { userId } }`), operationName: 'Q1' },
  },
  {
    name: 'a cursor of 200,000 characters',
    refused: true,
    request: variable('String', 'A'.repeat(200_000), 'forms(after: $v)'),
  },
  {
    name: 'introspection',
    refused: true,
    request: { query: '{ __schema { types { fields { type { fields { type { name } } } } } } }' },
  },
  {
    name: 'languages, missing translations and fields of 100 forms',
    refused: false,
    request: {
      query:
        '{ forms(first: 100) { edges { node { locales missingTranslations(against: PLATFORM) { locale } fields { name } } } } }',
    },
  },
  {
    name: 'all patterns of 100 forms',
    refused: false,
    request: { query: '{ forms(first: 100) { edges { node { unenforcedPatterns { reason } } } } }' },
  },
];

/** A request's body; `@deep` stands for lists in lists, deeper than `JSON.stringify` goes. */
export const bodyOf = (request) => JSON.stringify(request).replace('"@deep"', deepList(60_000));
