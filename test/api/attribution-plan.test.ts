import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Db } from '../../src/db/client.js';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { insertSubmissions, type SubmissionRecord } from '../../src/submissions/submit/record.queries.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const RECORD: SubmissionRecord = {
  id: randomUUID(),
  teamId: 1,
  websiteId: randomUUID(),
  formId: 1,
  formVersion: 1,
  currentFormVersion: null,
  storedSignatureKey: null,
  signatureAgeS: null,
  locale: 'en',
  values: {},
  undeclared: {},
  consents: {},
  pageUrl: null,
  pageTitle: null,
  pageLocale: null,
  visitorHash: 'hash',
  matchedRules: [],
  captchaKey: null,
  captchaGround: 'none',
  needsReview: false,
  proof: null,
  idempotency: null,
  message: '',
  tokenId: null,
  requestId: 'request',
  traceParent: null,
  testRecipient: null,
  emails: [],
  searchWords: '',
  createdAt: new Date(),
};

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  // The settings of a gateway's connections, whose prepared statement has got its lasting plan.
  const options = '-c enable_seqscan=off -c jit=off -c plan_cache_mode=force_generic_plan';
  client = new pg.Client({ connectionString: database.url, options });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The plan that a connection keeps of the statement that records submissions. */
async function keptPlan(): Promise<string> {
  let plan = '';
  const explain = async ({ text, values }: Prisma.Sql) => {
    await client.query(`PREPARE record AS ${text}`);
    const literals = values.map((value) => client.escapeLiteral(String(value)));
    const { rows } = await client.query(`EXPLAIN EXECUTE record(${literals.join(', ')})`);
    plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [];
  };
  await insertSubmissions(explain as Db['sql'], [RECORD], 'alone');
  return plan;
}

test('the first visit of a lead is read by website and hash, by a plan made before there is any visit', async () => {
  const lines = (await keptPlan()).split('\n').map((line) => line.trim());
  const scan = lines.findIndex((line) => line.includes(' on visits v '));
  expect(lines[scan]).toMatch(/Index Scan using visits_website_id_visitor_hash_created_at_idx on visits v /);
  expect(lines[scan + 1]).toMatch(/^Index Cond: .*website_id = .*visitor_hash/);
  expect(lines[scan + 2]).not.toMatch(/^Filter/);
});
