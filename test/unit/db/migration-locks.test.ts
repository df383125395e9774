import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { describeLocks } from '../../../src/db/migration/migration-locks.js';
import { createEmptyDatabase } from '../../support/database.js';
import { openClient } from '../../support/migrations.js';

let client: pg.Client;

beforeAll(async () => {
  client = await openClient((await createEmptyDatabase()).url);
  await client.query(`
    CREATE TABLE teams (id int PRIMARY KEY);
    CREATE TABLE leads (id int, "type" text, "key" varchar(255));
    CREATE INDEX leads_id_idx ON leads(id);
    INSERT INTO leads SELECT generate_series(1, 1000);
    ANALYZE leads, teams`);
});

afterAll(() => client.end());

const ROWS = 'about 1000 rows, \\d+ kB';

test.each([
  [
    'ALTER TABLE "leads" ADD COLUMN "name" TEXT, ADD COLUMN "type2" TEXT',
    'leads in ACCESS EXCLUSIVE \\(reads and writes wait\\) for moments',
  ],
  [
    'ALTER TABLE leads ALTER COLUMN "type" SET STATISTICS 0',
    'leads in SHARE UPDATE EXCLUSIVE \\(reads and writes go on\\) for moments',
  ],
  [
    'ALTER TABLE leads ALTER COLUMN id TYPE bigint',
    `leads in ACCESS EXCLUSIVE \\(reads and writes wait\\) while it rewrites ${ROWS}`,
  ],
  [
    'ALTER TABLE "leads" ALTER COLUMN "key" TYPE VARCHAR(270)',
    'leads in ACCESS EXCLUSIVE \\(reads and writes wait\\) for moments',
  ],
  ['ALTER TABLE leads ALTER key SET DATA TYPE text', 'leads in ACCESS EXCLUSIVE .* for moments'],
  [
    'ALTER TABLE leads ALTER COLUMN "key" TYPE VARCHAR(254)',
    `leads in ACCESS EXCLUSIVE .* while it rewrites ${ROWS}`,
  ],
  [
    'ALTER TABLE leads ALTER COLUMN "key" TYPE VARCHAR(270) USING lower("key")',
    `leads in ACCESS EXCLUSIVE .* while it rewrites ${ROWS}`,
  ],
  [
    'ALTER TABLE leads ADD COLUMN key uuid DEFAULT gen_random_uuid()',
    `leads in ACCESS EXCLUSIVE .* while it rewrites ${ROWS}`,
  ],
  ['ALTER TABLE leads ALTER id SET NOT NULL', `leads in ACCESS EXCLUSIVE .* while it reads ${ROWS}`],
  [
    'ALTER TABLE leads ADD CONSTRAINT c CHECK (id IN (1, 2)) NOT VALID',
    'leads in ACCESS EXCLUSIVE .* for moments',
  ],
  ['ALTER TABLE leads VALIDATE CONSTRAINT c', `leads in SHARE UPDATE EXCLUSIVE .* while it reads ${ROWS}`],
  [
    'ALTER TABLE leads ADD CONSTRAINT f FOREIGN KEY (id) REFERENCES "teams"(id)',
    `leads in SHARE ROW EXCLUSIVE \\(writes wait\\) while it reads ${ROWS}; teams in SHARE ROW EXCLUSIVE \\(writes wait\\) for moments`,
  ],
  ['CREATE INDEX "i" ON "leads"("id")', `leads in SHARE \\(writes wait\\) while it reads ${ROWS}`],
  [
    'CREATE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "leads"("id")',
    `leads in SHARE UPDATE EXCLUSIVE \\(reads and writes go on\\) while it reads ${ROWS}`,
  ],
  ['DROP INDEX "leads_id_idx"', 'leads in ACCESS EXCLUSIVE .* for moments'],
  ['UPDATE "leads" SET id = 1', `leads in ROW EXCLUSIVE \\(reads and writes go on\\) while it reads ${ROWS}`],
  [
    'CREATE TRIGGER t AFTER INSERT ON leads EXECUTE FUNCTION f()',
    'leads in SHARE ROW EXCLUSIVE .* for moments',
  ],
  [
    "CREATE TABLE new (id int); -- ALTER TABLE leads\nINSERT INTO new VALUES ('; DROP TABLE leads;')",
    'no table that exists',
  ],
  [
    'UPDATE leads SET id = 1; ALTER TABLE leads DROP COLUMN id',
    `leads in ACCESS EXCLUSIVE .* while it reads ${ROWS}`,
  ],
])('the locks of %s are announced', async (sql, expected) => {
  expect(await describeLocks(client, sql)).toMatch(new RegExp(`^${expected}$`));
});
