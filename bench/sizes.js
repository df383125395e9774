// `node bench/sizes.js --leads N --visits N`: prints the bytes that a lead and a page view take on disk, rows, indexes
// and log, as they grow in a PostgreSQL of its own. Nothing is measured in time, so the machine may be busy.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPostgres } from '../faults/postgres.js';
import { seed } from './seed.js';

const WEBSITES = 400;

/** Tables that keep a row for a lead until it is deleted. */
const LEAD_TABLES = ['submissions', 'notifications', 'notification_attempts'];

/** Page views of a month: three a visitor, one visitor in five from a campaign. */
const VISITS = `
  INSERT INTO visits (id, website_id, visitor_hash, page_url, page_title, page_locale, referrer, utm_source,
                      utm_medium, utm_campaign, created_at)
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
            || '8' || substr(md5(n::text), 4, 15))::uuid,
         sites.ids[1 + floor(random() * array_length(sites.ids, 1))::int],
         encode(sha256((n / 3)::text::bytea), 'hex'),
         'https://www.site-' || n % 400 || '.test/services/garden-design-' || n % 50, 'Garden design in your town',
         'fr', CASE WHEN n % 3 = 0 THEN 'https://www.google.com/' END,
         CASE WHEN n % 15 < 3 THEN 'newsletter' END, CASE WHEN n % 15 < 3 THEN 'email' END,
         CASE WHEN n % 15 < 3 THEN 'spring-2026' END, at
    FROM (SELECT n, now() - interval '30 days' * (1 - n::float8 / $1) AS at FROM generate_series(1, $1::int) n) v,
         (SELECT array_agg(id) AS ids FROM websites) sites`;

const { values } = parseArgs({
  options: { leads: { type: 'string', default: '100000' }, visits: { type: 'string', default: '100000' } },
});
const counts = { leads: Number(values.leads), visits: Number(values.visits) };

const directory = await mkdtemp(join(tmpdir(), 'formgate-sizes-'));
const postgres = await createPostgres(directory);
try {
  const position = async () =>
    (await postgres.query(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`))[0].bytes;
  const addLeads = (submissions) =>
    seed({
      ...{
        databaseUrl: postgres.url,
        appKey: Buffer.alloc(32, 7),
        websites: WEBSITES,
        submissions,
        keepIndexes: true,
      },
    });
  const measure = async (what, count, tables, work) => {
    const before = Number(await position());
    await work();
    const log = Number(await position()) - before;
    // What has been inserted moves from the lists of pending entries into the indexes.
    await postgres.query('VACUUM');
    const rows = await postgres.query(
      `SELECT name, pg_table_size(name::regclass)::float8 AS rows, pg_indexes_size(name::regclass)::float8 AS indexes
         FROM unnest($1::text[]) name`,
      [tables],
    );
    console.log(`\n${count.toLocaleString('en')} ${what}: bytes of each`);
    for (const { name, rows: own, indexes } of [...rows, total(rows)])
      console.log(`  ${name.padEnd(24)} rows ${perEach(own, count)}  indexes ${perEach(indexes, count)}`);
    console.log(`  ${'write-ahead log'.padEnd(24)}      ${perEach(log, count)}`);
  };
  await addLeads(0);
  await measure('leads', counts.leads, LEAD_TABLES, () => addLeads(counts.leads));
  await measure('page views', counts.visits, ['visits'], () => postgres.query(VISITS, [counts.visits]));
} finally {
  await postgres.close();
  await rm(directory, { recursive: true, force: true });
}

function total(rows) {
  const sum = (key) => rows.reduce((bytes, row) => bytes + row[key], 0);
  return { name: 'together', rows: sum('rows'), indexes: sum('indexes') };
}

function perEach(bytes, count) {
  return String(Math.round(bytes / count)).padStart(5);
}
