import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { printablePanelSchema } from '../../src/panel.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

/** Stands for lists in lists, deeper than a stack is, which the body of a request has room for. */
const DEEP = '@deep';
const LEVELS = 60_000;

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 'x');

const bodyOf = (value: object): string =>
  JSON.stringify(value).replaceAll(`"${DEEP}"`, `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`);

const TEXTS = ['\0', 'abc.d\udfff', '', "%_\\' OR 1=1; --", '__proto__', 'x'.repeat(9_000), '9'.repeat(400)];

const IDS = [
  '0',
  '-1',
  '2147483648',
  '1e3',
  ' 1',
  '',
  '\0',
  '\ud800',
  '00000000-0000-0000-0000-00000000000\0',
];

/** What is sent in place of a good value, by scalar. */
const HOSTILE: Readonly<Record<string, readonly unknown[]>> = {
  String: TEXTS,
  ID: IDS,
  Int: [0, -1, 2147483647, -2147483648, 2147483648, 1.5, 1e308],
  Float: [0, -1, 1e308, -1e308, 5e-324],
  Boolean: [true],
  DateTimeISO: [
    // PostgreSQL has no year 0.
    '0000-01-01T00:00:00Z',
    ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '+275760-09-13T00:00:00.000Z'],
    ...['-271821-04-20T00:00:00.000Z', '-004713-01-01T00:00:00.000Z', '2026-02-30T00:00:00Z', '\0', ''],
    ...[8.64e15, -8.64e15, 0, 1e300],
  ],
  JSON: [
    deep(200),
    DEEP,
    { match: DEEP },
    { '\0': '\ud800' },
    { match: 'all', rules: [deep(50)] },
    { match: 'all', rules: DEEP },
    [],
    1e308,
    '\0',
    null,
  ],
  JSONObject: [
    { '\0': 'x' },
    { x: '\0' },
    { x: '\ud800' },
    { __proto__x: {} },
    { x: DEEP },
    { x: deep(200) },
    { x: null },
  ],
};

const schema = printablePanelSchema();
const operations = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) =>
  Object.values(type.getFields())
    .filter(({ args }) => args.length > 0)
    .map((field) => ({ kind: type.name.toLowerCase(), field })),
);
type Operation = (typeof operations)[number];

/** What a field gives, and what that is made of. */
function selection(type: GraphQLOutputType, levels = 1): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const wanted = Object.values(named.getFields()).flatMap((field: GraphQLField<unknown, unknown>) => {
    if (field.args.some((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)) return [];
    const isLeaf = !isObjectType(getNamedType(field.type));
    if (isLeaf) return [field.name];
    return levels > 0 ? [`${field.name} ${selection(field.type, levels - 1)}`] : [];
  });
  return `{ __typename ${wanted.join(' ')} }`;
}

type Base = Readonly<Record<string, unknown>>;

let app: TestApp;
let staff: PanelClient;
let base: Base;

beforeAll(async () => {
  app = await startTestApp();
  const { services } = app;
  await provision(services, [team('acme')]);
  await createToken(services, 'acme', 'owner@acme.test');
  await createAccount(services, { email: 'both@agency.test', staff: true });
  const stored = await services.db.orm.team.findUniqueOrThrow({
    where: { slug: 'acme' },
    include: { websites: true, forms: true, memberships: true },
  });
  const { id: both } = await services.db.orm.user.findUniqueOrThrow({ where: { email: 'both@agency.test' } });
  await services.db.orm.membership.create({ data: { teamId: stored.id, userId: both, role: 'owner' } });
  staff = await loggedIn(app.url, services, 'both@agency.test');
  const site = stored.websites[0]!.id;
  const [submissionId] = await recordedLeads(services, site, 1);
  base = {
    teamId: stored.id,
    websiteId: site,
    formId: stored.forms[0]!.id,
    planId: stored.planId,
    submissionId,
    ids: [submissionId],
    userId: stored.memberships[2]!.userId,
    websiteIds: [site],
    formIds: [stored.forms[0]!.id],
    version: 1,
    locale: 'fr',
    sourceLocale: 'fr',
    host: 'new.acme.test',
    email: 'new@acme.test',
    url: 'https://new.acme.test',
    key: 'altcha:own',
    slug: 'spare',
    code: 'spare',
    type: 'text',
    name: 'spare',
    timeZone: 'Europe/Paris',
    logo: '',
    recipients: ['a@acme.test'],
    departments: ['75'],
    privacyNoticeUrl: 'https://acme.test',
    linkUrl: 'https://acme.test',
    cssSelector: '#x',
    from: '2026-11-01',
    to: '2026-11-02',
    password: 'a password',
    current: 'x',
    new: 'a password',
    by: 'UTM_SOURCE',
    role: 'member',
    staff: false,
    action: 'token.',
    reason: 'any',
    text: 'spare',
    options: [],
    translations: [],
    attributes: {},
    visibility: null,
    appearance: {},
    htmlWrapper: '<div></div>',
  };
});
afterAll(() => app.close());

/** The id that an operation is about goes by its name. */
const idFor = (operation: string): unknown => {
  if (/form|Form/.test(operation)) return base.formId;
  if (/website|Website/.test(operation)) return base.websiteId;
  if (/submission/.test(operation)) return base.submissionId;
  if (/Plan/.test(operation)) return base.planId;
  if (/team|Team/.test(operation)) return base.teamId;
  return '1';
};

/** A good value of an argument. */
function good(name: string, type: GraphQLInputType, operation: string): unknown {
  if (isNonNullType(type)) return good(name, type.ofType, operation);
  if (isListType(type)) return base[name] ?? [good(name, type.ofType, operation)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return Object.fromEntries(required.map((field) => [field.name, good(field.name, field.type, operation)]));
  }
  if (type.name === 'ID') return base[name] ?? idFor(operation);
  if (type.name === 'DateTimeISO') return '2027-01-01T00:00:00Z';
  if (type.name === 'Int') return base[name] ?? 5;
  return base[name] ?? (type.name === 'Boolean' ? false : type.name === 'Float' ? 0.5 : 'spare');
}

/** An argument with each hostile value in each of its places, the others good. */
function* hostile(name: string, type: GraphQLInputType, operation: string): Generator<[string, unknown]> {
  if (isNonNullType(type)) return yield* hostile(name, type.ofType, operation);
  if (isListType(type)) {
    for (const [path, value] of hostile(name, type.ofType, operation)) yield [`${path}.0`, [value]];
    yield [`${name} empty`, []];
    yield [`${name} long`, Array.from({ length: 501 }, () => good(name, type.ofType, operation))];
    return;
  }
  if (isEnumType(type)) return;
  if (!isInputObjectType(type)) {
    for (const value of HOSTILE[type.name] ?? []) yield [name, value];
    return;
  }
  const whole = good(name, type, operation) as object;
  for (const field of Object.values(type.getFields())) {
    for (const [path, value] of hostile(field.name, field.type, operation)) {
      yield [`${name}.${path}`, { ...whole, [field.name]: value }];
    }
  }
}

/** What an answer has that none may have; null when it is as it should be. */
async function faultOf(client: PanelClient, query: string, variables: object): Promise<string | null> {
  const response = await client.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodyOf({ query, variables }),
  });
  const text = await response.text();
  const isInside = /prisma|postgres|SQLSTATE|node_modules|\.[jt]s:\d+|stacktrace/i.test(text);
  const isFault = response.status >= 500 || /INTERNAL_SERVER_ERROR|SERVICE_UNAVAILABLE/.test(text);
  return isInside || isFault ? text.slice(0, 300) : null;
}

async function tryAll(client: PanelClient, { kind, field }: Operation): Promise<string[]> {
  const declared = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const query = `${kind} (${declared}) { ${field.name}(${passed}) ${selection(field.type)} }`;
  const isNeeded = (arg: GraphQLArgument) => isNonNullType(arg.type) && arg.defaultValue === undefined;
  const usual = Object.fromEntries(
    field.args.filter(isNeeded).map(({ name, type }) => [name, good(name, type, field.name)]),
  );
  const faults: string[] = [];
  for (const { name, type } of field.args) {
    const cases = [...hostile(name, type, field.name)];
    for (let from = 0; from < cases.length; from += 8) {
      const some = cases.slice(from, from + 8).map(async ([path, value]) => {
        const fault = await faultOf(client, query, { ...usual, [name]: value });
        if (fault) faults.push(`${field.name}(${path} = ${JSON.stringify(value).slice(0, 200)}): ${fault}`);
      });
      await Promise.all(some);
    }
  }
  return faults;
}

describe('hostile values in every argument of the schema', () => {
  test.each(operations.map((operation) => [`${operation.kind} ${operation.field.name}`, operation] as const))(
    'are never a server error: %s',
    async (_name, operation) => {
      expect(await tryAll(staff, operation)).toEqual([]);
    },
    30_000,
  );
});
