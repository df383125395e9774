/** Leads that one statement records. */
const CHUNK = 50_000;

/** Of the leads that are recorded so many are older than their period: two thirds. */
const oldOf = (count) => Math.floor((count * 2) / 3);

/** Remainders, of the number of an old lead by a hundred, of those that are held and of persons who come again. */
const STAYING = { held: [1], returned: [2, 3] };

/** Counts the leads that expire, of so many that are recorded. */
export function expiredOf(count) {
  const stays = new Set(Object.values(STAYING).flat());
  return Array.from({ length: oldOf(count) }, (_, index) => index + 1).filter((n) => !stays.has(n % 100))
    .length;
}

/**
 * What is to become of lead `n`, the oldest being 1: of a hundred old ones one is held, two belong to someone who has
 * written again, and the others expire. All above are young. `$2` is how many there are, `$3` how many of them are old.
 */
const FATE = `CASE WHEN n > $3 THEN 'young' WHEN n % 100 IN (${STAYING.held}) THEN 'held'
                   WHEN n % 100 IN (${STAYING.returned}) THEN 'returned' ELSE 'expired' END`;

/** Nine years of leads, evenly spread, and a month without any around the end of the period of 36 months. */
const MOMENT = `now() - CASE WHEN n > $3 THEN interval '1 day' + ($2 - n) * (interval '35 months' / ($2 - $3))
                             ELSE interval '37 months' + ($3 - n) * (interval '71 months' / $3) END`;

/**
 * The leads numbered `$4` to `$5`, each with a text of some twenty words, a notification and an attempt, and one in ten
 * with a note. Whatever a lead has names its fate and number, so that a search finds what is left of it.
 */
const LEADS = `
  WITH place AS (
    SELECT w.id AS website, w.team_id, l.form_id FROM websites w JOIN form_links l ON l.website_id = w.id WHERE w.id = $1
  ), lead AS (
    SELECT n, fate, fate || n AS name, at, (
             SELECT string_agg('word' || (n * 7919::bigint * i) % 3001, ' ') FROM generate_series(1, 20) i) AS message
      FROM (SELECT n, ${FATE} AS fate, ${MOMENT} AS at FROM generate_series($4::int, $5::int) n) drawn
  ), written AS (
    INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", undeclared, emails,
                             search_words, legal_hold_at, created_at)
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
            || '8' || substr(md5(n::text), 4, 15))::uuid,
           team_id, website, form_id, 1, 'en', jsonb_build_object('email', name || '@old.test', 'name', name),
           jsonb_build_object('message', name || ' ' || message), ARRAY[name || '@old.test'],
           to_tsvector('simple', name || ' old test ' || message), CASE WHEN fate = 'held' THEN at END, at
      FROM lead, place ORDER BY n RETURNING id, created_at, "values"
  ), contact AS (
    INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails)
    SELECT gen_random_uuid(), team_id, website, form_id, 1, 'en', '{}', ARRAY[name || '@old.test']
      FROM lead, place WHERE fate = 'returned'
  ), mailed AS (
    INSERT INTO notifications (submission_id, state, attempts, sent_at) SELECT id, 'sent', 1, created_at FROM written
  ), attempted AS (
    INSERT INTO notification_attempts (submission_id, number, outcome, detail, recipients, started_at, finished_at)
    SELECT id, 1, 'sent', '250 kept ' || ("values" ->> 'name'), '{}', now(), now() FROM written
  )
  INSERT INTO submission_notes (id, submission_id, text, created_at)
  SELECT gen_random_uuid(), id, 'About ' || ("values" ->> 'email'), created_at FROM written
   WHERE ("values" ->> 'name') ~ '0$'`;

/** Records so many leads of nine years, and lets PostgreSQL count and clean them as it would have in that time. */
export async function recordOldLeads({ postgres, websites }, count) {
  const session = await postgres.connect();
  try {
    await session.query('SET synchronous_commit = off');
    for (let from = 1; from <= count; from += CHUNK) {
      const to = Math.min(from + CHUNK - 1, count);
      await session.query(LEADS, [websites.fine, count, oldOf(count), from, to]);
    }
    for (const table of ['submissions', 'notifications', 'notification_attempts', 'submission_notes'])
      await session.query(`VACUUM (ANALYZE) ${table}`);
    await session.query('CHECKPOINT');
  } finally {
    await session.end();
  }
}

/** Records three leads, a visit and a blocked address of each of the persons who are to be erased. */
export async function recordPersons({ postgres, websites }, persons) {
  await postgres.query(
    `WITH lead AS (
       INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails, search_words)
       SELECT gen_random_uuid(), w.team_id, w.id, l.form_id, 1, 'en', jsonb_build_object('email', 'erased' || n || '@old.test'),
              ARRAY['erased' || n || '@old.test'], ('erased' || n)::tsvector
         FROM generate_series(1, $2::int) n, generate_series(1, 3), websites w JOIN form_links l ON l.website_id = w.id
        WHERE w.id = $1 RETURNING id)
     INSERT INTO notifications (submission_id, state) SELECT id, 'no_recipient' FROM lead`,
    [websites.fine, persons],
  );
  await postgres.query(
    `INSERT INTO visits (id, website_id, visitor_hash, page_url)
     SELECT gen_random_uuid(), $1, md5(n::text), 'https://www.fine.test/?utm_term=erased' || n || '%40old.test'
       FROM generate_series(1, $2::int) n`,
    [websites.fine, persons],
  );
  await postgres.query(
    `INSERT INTO spam_rules (id, team_id, kind, value)
     SELECT gen_random_uuid(), w.team_id, 'blocked_sender', 'erased' || n || '@old.test'
       FROM generate_series(1, $2::int) n, websites w WHERE w.id = $1`,
    [websites.fine, persons],
  );
}
