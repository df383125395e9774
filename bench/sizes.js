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

/**
 * What a visitor's lead has beside its own rows: a verdict with two reasons, four traces for a day, a webhook's
 * delivery with its attempt for 30 days. `$1` limits the leads, so that a part of them is enough.
 */
const BESIDE_LEADS = {
  spam_verdicts: `
    INSERT INTO spam_verdicts (submission_id, team_id, score, threshold, filter, reasons)
    SELECT id, team_id, 45, 100, 'quarantine',
           '[{"signal": "links", "points": 30, "count": 2}, {"signal": "freeMail", "points": 15, "detail": "mail.test"}]'
      FROM submissions ORDER BY id LIMIT $1`,
  spam_traces: `
    INSERT INTO spam_traces (submission_id, hash, website_id)
    SELECT s.id, ('x' || substr(md5(s.id::text || n), 1, 15))::bit(60)::bigint, s.website_id
      FROM (SELECT * FROM submissions ORDER BY id LIMIT $1) s, generate_series(1, 4) n`,
  spam_samples: `
    INSERT INTO spam_samples (submission_id, is_spam, features)
    SELECT id, false, (SELECT array_agg(('x' || substr(md5(s.id::text || n), 1, 7))::bit(28)::int)
                         FROM generate_series(1, 60) n)
      FROM submissions s ORDER BY id LIMIT $1`,
  webhook_deliveries: `
    INSERT INTO webhook_deliveries (webhook_id, type, submission_id, website_id, form_id, state, attempts)
    SELECT w.id, 'submission.created', s.id, s.website_id, s.form_id, 'delivered', 1
      FROM (SELECT * FROM submissions ORDER BY id LIMIT $1) s JOIN webhooks w USING (team_id)`,
  webhook_attempts: `
    INSERT INTO webhook_attempts (delivery_id, number, status, answer, started_at, duration_ms)
    SELECT id, 1, 200, '{"ok":true}', now(), 80 FROM webhook_deliveries LIMIT $1`,
};

/** Counts of a year of 50 websites with one form each, on every day. */
const DAILY_COUNTS = `
  INSERT INTO daily_counts (website_id, form_id, day, stored, first_at, last_at, emails_sent, is_stale)
  SELECT w.id, (SELECT min(id) FROM forms WHERE team_id = w.team_id), day, 10, day, day, 10, false
    FROM (SELECT * FROM websites LIMIT 50) w, generate_series(now() - interval '1 year', now(), '1 day') day
  ON CONFLICT DO NOTHING`;

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
      databaseUrl: postgres.url,
      appKey: Buffer.alloc(32, 7),
      websites: WEBSITES,
      submissions,
      keepIndexes: true,
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
  await postgres.query(
    `INSERT INTO webhooks (id, team_id, url, events, secret_cipher)
     SELECT gen_random_uuid(), id, 'https://hooks.test/formgate', '{submission.created}', '' FROM teams`,
  );
  for (const [table, statement] of Object.entries(BESIDE_LEADS))
    await measure(`leads in ${table}`, counts.leads, [table], () =>
      postgres.query(statement, [counts.leads]),
    );
  await measure('days of a form on a website', 50 * 366, ['daily_counts'], () =>
    postgres.query(DAILY_COUNTS),
  );
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
