import { setTimeout as pause } from 'node:timers/promises';
import { openPanel } from './panel.js';
import { until } from './processes.js';
import { quantile } from './table.js';

const ERASE = `mutation ($teamId: ID!, $email: String!) {
  erasePerson(teamId: $teamId, email: $email) { counts { submissions visits } } }`;

/** Persons whose data is erased while submissions come and expire; each has three leads and a visit. */
const PERSONS = 20;

/**
 * What becomes of the leads that are recorded as if they were old: of a hundred, 64 expire, one is held, two belong to
 * somebody who has written again, and 33 are young.
 */
const FATES = `CASE WHEN n % 100 < 64 THEN 'expired' WHEN n % 100 = 64 THEN 'held'
                    WHEN n % 100 < 67 THEN 'returned' ELSE 'young' END`;

/** Records old leads, each with a notification, an attempt and a note; the address says what is to become of it. */
async function recordOldLeads({ postgres, websites }, count) {
  await postgres.query(
    `WITH place AS (SELECT w.id AS website, w.team_id, l.form_id FROM websites w JOIN form_links l ON l.website_id = w.id
                     WHERE w.id = $1),
     lead AS (
       SELECT n, ${FATES} AS fate,
              now() - CASE WHEN n % 100 < 67 THEN interval '40 months' ELSE interval '20 months' END
                    - n * interval '1 second' AS at
         FROM generate_series(1, $2::int) n),
     written AS (
       INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails, search_words,
                                legal_hold_at, created_at)
       SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
               || '8' || substr(md5(n::text), 4, 15))::uuid,
              team_id, website, form_id, 1, 'en', jsonb_build_object('email', fate || n || '@old.test', 'name', fate || n),
              ARRAY[fate || n || '@old.test'], (fate || n || ' old test')::tsvector,
              CASE WHEN fate = 'held' THEN at END, at
         FROM lead, place RETURNING id, created_at, "values"),
     contact AS (
       INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails)
       SELECT gen_random_uuid(), team_id, website, form_id, 1, 'en', '{}', ARRAY[fate || n || '@old.test']
         FROM lead, place WHERE fate = 'returned' RETURNING id),
     mailed AS (
       INSERT INTO notifications (submission_id, state, attempts, sent_at) SELECT id, 'sent', 1, created_at FROM written)
     INSERT INTO submission_notes (id, submission_id, text, created_at)
     SELECT gen_random_uuid(), id, 'About ' || ("values" ->> 'email'), created_at FROM written`,
    [websites.fine, count],
  );
  await postgres.query(
    `INSERT INTO notification_attempts (submission_id, number, outcome, detail, recipients, started_at, finished_at)
     SELECT submission_id, 1, 'sent', '250 kept', '{}', now(), now() FROM notifications n
      WHERE NOT EXISTS (SELECT FROM notification_attempts a WHERE a.submission_id = n.submission_id)
        AND n.sent_at < now() - interval '1 year'`,
  );
  await postgres.query('ANALYZE submissions');
}

/** Records the leads and visits of the persons who are to be erased. */
async function recordPersons({ postgres, websites }) {
  await postgres.query(
    `WITH lead AS (
       INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails, search_words)
       SELECT gen_random_uuid(), w.team_id, w.id, l.form_id, 1, 'en', jsonb_build_object('email', 'erased' || n || '@old.test'),
              ARRAY['erased' || n || '@old.test'], ('erased' || n)::tsvector
         FROM generate_series(1, $2::int) n, generate_series(1, 3), websites w JOIN form_links l ON l.website_id = w.id
        WHERE w.id = $1 RETURNING id)
     INSERT INTO notifications (submission_id, state) SELECT id, 'no_recipient' FROM lead`,
    [websites.fine, PERSONS],
  );
  await postgres.query(
    `INSERT INTO visits (id, website_id, visitor_hash, page_url)
     SELECT gen_random_uuid(), $1, md5(n::text), 'https://www.fine.test/?utm_term=erased' || n || '%40old.test'
       FROM generate_series(1, $2::int) n`,
    [websites.fine, PERSONS],
  );
}

/** Counts the rows of every table, read as text, in which a word stands. */
async function tracesOf({ postgres }, word) {
  const tables = await postgres.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  let traces = 0;
  for (const { name } of tables) {
    const [{ count }] = await postgres.query(
      `SELECT count(*)::int AS count FROM ${name} t WHERE t::text ~* $1`,
      [word],
    );
    traces += count;
  }
  return traces;
}

const sizesOf = async ({ postgres }) =>
  (
    await postgres.query(
      `SELECT pg_size_pretty(pg_table_size('submissions')) AS "table",
              pg_size_pretty(pg_indexes_size('submissions')) AS indexes`,
    )
  )[0];

async function erasePersons(stack) {
  const panel = await openPanel(stack);
  const [{ id: teamId }] = await stack.postgres.query(`SELECT id FROM teams WHERE slug = 'wide'`);
  let erased = 0;
  for (let number = 1; number <= PERSONS; number += 1) {
    const { data } = await panel.ask(ERASE, { teamId, email: `erased${number}@old.test` });
    erased += data?.erasePerson.counts.submissions ?? 0;
  }
  return erased;
}

/** Lets thousands of leads expire and erases persons while visitors submit; then searches the whole database. */
export async function expireUnderLoad(stack, { client, quick, perSecond }) {
  const count = quick ? 10_000 : 300_000;
  await recordOldLeads(stack, count);
  await recordPersons(stack);
  const before = await sizesOf(stack);
  const from = stack.answers().length;
  const load = { perSecond, websites: [stack.websites.fine] };
  await client.ask('start', { ...load, phase: 'before' });
  await pause(quick ? 5_000 : 30_000);
  await client.ask('start', { ...load, phase: 'expiring' });
  // The run of today has ended with nothing to do; it begins again.
  await stack.postgres.query('DELETE FROM retention_runs');
  const startedAt = Date.now();
  const erased = await erasePersons(stack);
  const isFinished = async () =>
    (await stack.postgres.query('SELECT 1 FROM retention_runs WHERE finished_at IS NOT NULL')).length > 0;
  await until('the run has ended', isFinished, 1_200_000);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  await client.ask('stop');
  await stack.postgres.query('VACUUM submissions');
  const after = await sizesOf(stack);

  const answers = stack.answers().slice(from);
  const p99 = (phase) =>
    quantile(
      answers.filter((one) => one.phase === phase).map(({ ms }) => ms),
      0.99,
    );
  const accepted = answers.flatMap(({ lead }) => lead ?? []);
  const [kept] = await stack.postgres.query(
    `SELECT count(*) FILTER (WHERE "values" ->> 'name' ~ '^(held|returned|young)')::int AS old,
            count(*) FILTER (WHERE id = ANY ($1))::int AS new FROM submissions`,
    [accepted],
  );
  const traces = (await tracesOf(stack, 'expired\\d')) + (await tracesOf(stack, 'erased\\d'));
  const tooMany = (count * 36) / 100 - kept.old + (accepted.length - kept.new);
  const refused = answers.filter(({ status }) => status !== 200).length;
  console.log(
    `retention: ${(count * 64) / 100} of ${count} leads in ${seconds} s; p99 ${p99('before')} ms before, ` +
      `${p99('expiring')} ms meanwhile; table ${before.table} and indexes ${before.indexes} before, ` +
      `${after.table} and ${after.indexes} after VACUUM`,
  );
  return [
    {
      ...{ row: 18, promise: 'what expires or is erased under load leaves no trace in any table' },
      figure: `${traces} traces of ${(count * 64) / 100} leads and ${PERSONS} persons (${erased} leads)`,
      ...{ bar: '0', ok: traces === 0 && erased === 3 * PERSONS },
    },
    {
      ...{
        row: 18,
        promise: 'what is young, held, or of a person who came back stays, and so does every new lead',
      },
      figure: `${tooMany} too many of ${(count * 36) / 100 + accepted.length}`,
      ...{ bar: '0', ok: tooMany === 0 },
    },
    {
      ...{ row: 18, promise: 'no submission is refused meanwhile' },
      figure: `${refused} of ${answers.length}; p99 ${p99('before')} to ${p99('expiring')} ms`,
      ...{ bar: '0', ok: refused === 0 },
    },
  ];
}
