const HOUR_MS = 3_600_000;
const WEEKS = 10;

/** Leads a week of the least and the most busy website. */
const RATES = [1, 28];

/**
 * A last pause beyond so many usual ones is left out: how often it is taken for a silence is simulated in
 * docs/silence.md.
 */
const LONGEST_PAUSE = 4;

const PORTION = 10_000;

/** Weighs an hour: people write by day, and less at the weekend. Averages one. */
function weightOf(at) {
  const day = new Date(at);
  const byHour = day.getUTCHours() >= 7 && day.getUTCHours() < 20 ? 1.7 : 0.24;
  return byHour * ([0, 6].includes(day.getUTCDay()) ? 0.4 : 1.24);
}

const MOST_WEIGHT = 1.7 * 1.24;

/** Draws when the leads of a website came, as of independent visitors with the hours of people. */
function drawTimes(random, perWeek, now) {
  const usualMs = (7 * 24 * HOUR_MS) / perWeek;
  const times = [];
  for (let at = now - WEEKS * 7 * 24 * HOUR_MS; ; ) {
    at -= (Math.log(1 - random.between(0, 1)) * usualMs) / MOST_WEIGHT;
    if (at >= now) break;
    if (random.between(0, MOST_WEIGHT) < weightOf(at)) times.push(Math.round(at));
  }
  const last = times.at(-1) ?? 0;
  if (now - last > LONGEST_PAUSE * usualMs) times.push(Math.round(now - random.between(0.1, 1) * usualMs));
  return times;
}

/**
 * Records the leads of past weeks of every website, each with the e-mail that was sent, and has the workers count them.
 */
export async function recordHistories({ postgres }, { websiteIds, random, busy }) {
  const now = Date.now();
  const leads = websiteIds.flatMap((id, number) => {
    const perWeek = busy.has(number) ? RATES[1] : RATES[0] * (RATES[1] / RATES[0]) ** random.between(0, 1);
    return drawTimes(random, perWeek, now).map((at) => ({ id, at }));
  });
  for (let start = 0; start < leads.length; start += PORTION) {
    const portion = leads.slice(start, start + PORTION);
    await postgres.query(
      `WITH lead AS MATERIALIZED (
         SELECT website, to_timestamp(ms / 1000.0) AS at,
                (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
                  || substr(md5(random()::text), 1, 15))::uuid AS id
           FROM unnest($1::uuid[], $2::bigint[]) lead (website, ms)),
       written AS (
         INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails, created_at)
         SELECT lead.id, w.team_id, w.id, l.form_id, 1, 'en', '{"email": "past@example.com"}', '{past@example.com}', at
           FROM lead JOIN websites w ON w.id = website JOIN form_links l ON l.website_id = w.id
         RETURNING id, created_at)
       INSERT INTO notifications (submission_id, state, attempts, sent_at, created_at)
       SELECT id, 'sent', 1, created_at, created_at FROM written`,
      [portion.map(({ id }) => id), portion.map(({ at }) => at)],
    );
  }
  await postgres.query('ANALYZE submissions');
  await postgres.query(
    `INSERT INTO daily_counts (website_id, day, form_id)
     SELECT DISTINCT s.website_id, (s.created_at AT TIME ZONE w.time_zone)::date, s.form_id
       FROM submissions s JOIN websites w ON w.id = s.website_id ORDER BY 1, 2, 3
     ON CONFLICT (website_id, day, form_id) DO UPDATE SET is_stale = true`,
  );
  // The hours of the week are counted anew by the first run of an hour, and without a mark by the next one.
  await postgres.query(`DELETE FROM rollup_marks WHERE name = 'daily_counts'`);
  return leads.length;
}

/** Rewrites the past of a website as if its leads had ended some days ago. */
export async function silence({ postgres }, websiteId, days) {
  const values = [websiteId, days];
  await postgres.query(
    `DELETE FROM submissions WHERE website_id = $1 AND created_at::date > now()::date - $2::int`,
    values,
  );
  await postgres.query(
    `DELETE FROM daily_counts WHERE website_id = $1 AND day > now()::date - $2::int`,
    values,
  );
  await postgres.query('UPDATE daily_counts SET is_stale = true WHERE website_id = $1', [websiteId]);
}
