import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NIL } from 'uuid';
import { createDb, type Db, type Transaction } from '../../src/db/client.js';
import { Prisma } from '../../src/generated/prisma/client.js';
import { countAdmissions } from '../../src/rollups/captcha-counts.queries.js';
import { countDays } from '../../src/rollups/daily-counts.queries.js';
import { deleteOldSpam } from '../../src/spam/purge.queries.js';
import { deleteSubmissionsOf } from '../../src/submissions/person/erasure.queries.js';
import { nextIdsOf } from '../../src/submissions/person/person.queries.js';
import { countDue, deletePortion } from '../../src/submissions/retention/retention.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';

/** So many that the planner, which may, prefers to read the whole table where a statement lets it. */
const LEADS = 30_000;

let app: TestApp;
/** Connections that may scan tables, as the panel's and those behind a pooler. */
let db: Db;
let site: string;
let formId: number;

/** The plan of a statement, which is not carried out. */
async function planOf({ text, values }: Prisma.Sql): Promise<string> {
  const rows = await db.sql<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values } as Prisma.Sql);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** The plan of the statement that a function runs in a transaction of Prisma. */
async function planOfRaw(work: (tx: Transaction) => Promise<unknown>): Promise<string> {
  let plan = '';
  const explain = async (strings: TemplateStringsArray, ...values: unknown[]) => {
    plan = await planOf(Prisma.sql(strings, ...values));
    return [];
  };
  await work({ $executeRaw: explain, $queryRaw: explain } as unknown as Transaction);
  return plan;
}

/** The plan of the statement that a function runs. */
async function planOfSql(work: (db: Db) => Promise<unknown>): Promise<string> {
  let plan = '';
  const explaining = {
    async sql(statement: Prisma.Sql) {
      plan = await planOf(statement);
      return [];
    },
  };
  await work(explaining as unknown as Db);
  return plan;
}

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  db = createDb(app.database.url, { use: 'panel' });
  site = await websiteId(app.services, 'www.acme.test');
  ({ formId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: site } }));
  await db.orm.$executeRaw`
    WITH lead AS (
      INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails, created_at)
      SELECT gen_random_uuid(), w.team_id, w.id, ${formId}::int, 1, 'en', '{}', ARRAY[CASE WHEN n % 10 = 0 THEN 'often' ELSE n::text END || '@x.test'],
             now() - n * interval '1 hour'
        FROM generate_series(1, ${LEADS}::int) n, websites w WHERE w.id = ${site}::uuid RETURNING id)
    INSERT INTO notifications (submission_id, state) SELECT id, 'sent' FROM lead`;
  for (const table of ['submissions', 'notifications'])
    await db.orm.$executeRawUnsafe(`VACUUM (ANALYZE) ${table}`);
});
afterAll(async () => {
  await db.close();
  await app.close();
});

test('retention looks up the addresses of what it counts and deletes in their index', async () => {
  const now = new Date();
  const plans = [
    await planOfSql((explaining) => deletePortion(explaining, { now, limit: 250 })),
    await planOfSql((explaining) => countDue(explaining, [{ formId, months: 36 }], { now, limit: 10_000 })),
  ];
  for (const plan of plans) expect(plan).toContain('Bitmap Index Scan on submissions_emails_idx');
  expect(plans[0]).not.toContain('Seq Scan on submissions');
});

test('days are counted without a look at the leads of the other days', async () => {
  const days = Array.from({ length: 30 }, (_, ago) => ({
    websiteId: site,
    formId,
    day: new Date(Date.now() - (ago + 2) * 86_400_000).toISOString().slice(0, 10),
  }));
  const plans = [
    await planOfRaw((tx) => countDays(tx, days)),
    await planOfRaw((tx) => countAdmissions(tx, days)),
  ];
  for (const plan of plans) {
    expect(plan).toMatch(/Index (Only )?Scan using .* on submissions s .*\n\s*Index Cond: .*created_at >= /);
    expect(plan).not.toMatch(/Seq Scan on (submissions|notifications)/);
  }
});

test('spam that is kept no longer is found by its age', async () => {
  const plan = await planOfRaw((tx) => deleteOldSpam(tx, 500));
  expect(plan).toMatch(
    /using submissions_team_id_state_created_at_id_idx on submissions s .*\n.*created_at < /,
  );
  expect(plan).not.toContain('Seq Scan on submissions');
});

test('a frequent address is looked up in its index, also where its first submissions are asked for', async () => {
  const { teamId } = await db.orm.website.findUniqueOrThrow({ where: { id: site } });
  const person = { teamId, email: 'often@x.test', limit: 500 };
  const plans = [
    await planOfRaw((tx) => deleteSubmissionsOf(tx, person)),
    await planOfRaw((tx) => nextIdsOf({ orm: tx } as unknown as Db, person, NIL)),
  ];
  for (const plan of plans) expect(plan).toContain('Bitmap Index Scan on submissions_emails_idx');
});

test('connections of gateway and worker have PostgreSQL compile no statement', async () => {
  const shown = await app.services.db.sql<{ jit: string }>(Prisma.sql`SHOW jit`);
  expect(shown).toEqual([{ jit: 'off' }]);
  expect(await app.services.db.orm.$queryRaw`SHOW jit`).toEqual([{ jit: 'off' }]);
});
