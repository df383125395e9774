import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { printablePanelSchema } from '../../src/panel.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { createToken, provision, team } from '../support/factories.js';
import { recordedLeads, setSearchWords } from '../support/leads.js';
import { createAccount, type PanelData, panelClient } from '../support/panel.js';
import {
  type Caller,
  type Made,
  type MatrixIds,
  type Refusal,
  type Row,
  type Rows,
  WHO,
  type Who,
} from './matrix/row.js';

/** The roles are those in the team `own`; the stranger owns the team `other`. */
type Side = 'own' | 'other';

type Case = Readonly<{
  operation: string;
  row: Row;
  who: Who;
  side: Side;
  expected: 'ok' | 'empty' | Refusal;
}>;

const EMAILS: Readonly<Record<Exclude<Who, 'nobody'>, string>> = {
  staff: 'staff@agency.test',
  owner: 'owner@own.test',
  admin: 'admin@own.test',
  member: 'member@own.test',
  stranger: 'owner@other.test',
};

const files = readdirSync(new URL('./matrix/', import.meta.url)).filter((name) => name !== 'row.ts');
const domains = await Promise.all(
  files.map(async (name) => (await import(`./matrix/${name.replace(/ts$/, 'js')}`)) as { default: Rows }),
);
const rows = domains.flatMap(({ default: domain }) => Object.entries(domain));

const schema = printablePanelSchema();
const operations = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {}).map((name) => `${type?.name}.${name}`),
);

function expectation(row: Row, who: Who, side: Side): Case['expected'] {
  if (who === 'nobody' && !row.allowed.includes(who)) return row.refusal?.nobody ?? 'UNAUTHENTICATED';
  const isStranger = row.scope === 'team' && (who === 'stranger' || side === 'other');
  if (isStranger) return row.empties ? 'empty' : (row.refusal?.stranger ?? 'NOT_FOUND');
  return row.allowed.includes(who) ? 'ok' : (row.refusal?.[who] ?? 'FORBIDDEN');
}

const cases: Case[] = rows
  .flatMap(([operation, row]) => [
    ...WHO.map((who) => ({ operation, row, who, side: 'own' as const })),
    ...(row.scope === 'team' ? (['owner', 'admin', 'member'] as const) : []).map((who) => ({
      operation,
      row,
      who,
      side: 'other' as const,
    })),
  ])
  .map((one) => ({ ...one, expected: expectation(one.row, one.who, one.side) }));

const answered = cases.filter(({ expected }) => expected === 'ok');
const empty = cases.filter(({ expected }) => expected === 'empty');
const refused = cases.filter((one) => !answered.includes(one) && !empty.includes(one));

const titled = (list: Case[]) =>
  list.map((one) => [one.operation, one.who, one.side, one.expected, one] as const);

let app: TestApp;
let ids: Record<Side, MatrixIds>;
let before: Record<string, string[]>;
const ready = new Map<Case, { cookie: string; variables: object }>();

/** A team with a submission and a token. */
async function idsOf(slug: Side): Promise<MatrixIds> {
  const { db } = app.services;
  const row = await db.orm.team.findUniqueOrThrow({
    where: { slug },
    include: { memberships: true, websites: true, forms: true, tokens: true },
  });
  const member = (role: string) => row.memberships.find((one) => one.role === role)!.userId;
  const [website] = row.websites;
  const [submissionId] = await recordedLeads(app.services, website!.id, 1);
  await db.orm.submission.update({
    where: { id: submissionId! },
    data: {
      values: { email: `visitor@${slug}.test` },
      emails: [`visitor@${slug}.test`],
    },
  });
  await setSearchWords(db, submissionId!, `visitor ${slug} test`);
  return {
    teamId: row.id,
    slug,
    planId: row.planId,
    submissionId: submissionId!,
    ownerId: member('owner'),
    adminId: member('admin'),
    memberId: member('member'),
    websiteId: website!.id,
    host: website!.host,
    tokenId: row.tokens[0]!.id,
    formId: row.forms[0]!.id,
    formSlug: row.forms[0]!.slug,
  };
}

/** Opens a session of its own for a case, so that none is ended by another, and makes what it needs. */
async function prepare({ row, who, side }: Case): Promise<{ cookie: string; variables: object }> {
  const { db, sessions } = app.services;
  let caller: Caller = { who, userId: null, sessionId: null, email: null };
  let cookie = '';
  if (who !== 'nobody') {
    const { id: userId } = await db.orm.user.findUniqueOrThrow({ where: { email: EMAILS[who] } });
    const secret = await sessions.open(db.orm, userId, { ip: '127.0.0.1', userAgent: 'test' });
    const viewer = await sessions.viewerOf(secret);
    caller = { who, userId, sessionId: viewer!.sessionId, email: EMAILS[who] };
    cookie = `formgate=${secret}`;
  }
  const made: Made = (await row.prepare?.(app.services, ids[side], caller)) ?? {};
  return { cookie, variables: row.variables(ids[side], made) };
}

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('own'), team('other')]);
  await createAccount(app.services, { email: EMAILS.staff, staff: true });
  for (const slug of ['own', 'other']) await createToken(app.services, slug, `owner@${slug}.test`);
  ids = { own: await idsOf('own'), other: await idsOf('other') };
  for (const one of [...refused, ...empty]) ready.set(one, await prepare(one));
  before = await dumpTables(app.database.url);
});
afterAll(() => app.close());

async function send(one: Case) {
  const { cookie, variables } = ready.get(one) ?? (await prepare(one));
  return panelClient(app.url, cookie).send(one.row.query, variables);
}

/** Whether an answer shows nothing: no entry of a list, a count of none, none deleted. */
function isEmpty(data: PanelData): boolean {
  const root = Object.values(data)[0] as PanelData;
  if (Array.isArray(root)) return root.length === 0;
  if (root && typeof root === 'object' && 'edges' in root) return root.edges.length === 0;
  if (root && typeof root === 'object' && 'matched' in root) return root.matched === 0;
  return !root;
}

test('the matrix has one row for each operation of the schema', () => {
  expect(rows.map(([operation]) => operation).sort()).toEqual(operations.sort());
});

describe('the operation', () => {
  test.each(titled(refused))(
    '%s is refused to %s for team %s: %s',
    async (_operation, _who, _side, expected, one) => {
      const { errors } = await send(one);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual([expected]);
    },
  );

  test.each(titled(empty))(
    '%s finds nothing for %s of team %s',
    async (_operation, _who, _side, _expected, one) => {
      const { errors, data } = await send(one);
      expect(errors).toBeUndefined();
      expect(isEmpty(data)).toBe(true);
    },
  );

  test('that is refused or finds nothing writes nothing', async () => {
    expect(await dumpTables(app.database.url)).toEqual(before);
  });

  test.each(titled(answered))(
    '%s is answered to %s for team %s',
    async (_operation, _who, _side, _expected, one) => {
      const { errors, data } = await send(one);
      expect(errors).toBeUndefined();
      if (one.row.empties) expect(isEmpty(data)).toBe(false);
    },
  );
});
