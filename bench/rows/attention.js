import { quantile } from '../../faults/table.js';
import { ask } from '../load.js';
import { logIn } from '../panel.js';

const TIMES = 60;

const WEBSITES = 500;

/** Websites of which each has one more thing that needs attention. */
const SILENT = 40;

/** Days for which probes are kept: one a day of each website, 45,000 in all. */
const PROBE_DAYS = 90;

/** Websites whose probes have failed for a month, and those whose captcha's credentials are refused. */
const FAILING = 10;

const INCIDENTS = 20_000;

/** What the panel's start page asks for. */
const ATTENTION = `query Attention($first: Int) {
  attention(first: $first) {
    edges {
      node {
        id kind severity since summary action teamId websiteId formId
        website { name timeZone } form { name } team { name }
      }
    }
    pageInfo { endCursor hasNextPage }
  }
}`;

const TODAY = `{ today { leads usualLeads leadsPerDay attentionCount checkedAt emails { sent pending unsent }
     quotas { teamId teamName used limit } } }`;

/** Fills what workers would have counted, in one statement each, and lets some websites be silent. */
async function count(database) {
  await database.query(`
    INSERT INTO daily_counts (website_id, day, form_id, stored, first_at, last_at, emails_sent, emails_pending,
                              emails_unsent, is_stale)
    SELECT s.website_id, (s.created_at AT TIME ZONE w.time_zone)::date, s.form_id, count(*), min(s.created_at),
           max(s.created_at), count(*) FILTER (WHERE n.state = 'sent'),
           count(*) FILTER (WHERE n.state = 'pending'), count(*) FILTER (WHERE n.state NOT IN ('sent', 'pending')),
           false
      FROM submissions s JOIN websites w ON w.id = s.website_id LEFT JOIN notifications n ON n.submission_id = s.id
     GROUP BY 1, 2, 3`);
  await database.query(`
    INSERT INTO lead_habits (website_id, leads, first_at, last_at, weekdays, weeks, hours, silent_at)
    SELECT website_id, sum(stored), min(first_at), max(last_at), '{1,1,1,1,1,1,1}', '{}', array_fill(1, '{168}'),
           CASE WHEN row_number() OVER (ORDER BY website_id) <= ${SILENT} THEN now() END
      FROM daily_counts GROUP BY 1`);
}

/** Adds what else needs attention, or once did: probes, bounces, incidents, used quotas. */
async function breakSome(database) {
  await database.query(
    `INSERT INTO probes (id, website_id, ok, steps, started_at, finished_at, certificate_expires_at)
     SELECT gen_random_uuid(), id, ok, (
              SELECT jsonb_agg(jsonb_build_object('name', name, 'ok', ok OR name <> 'email', 'ms', 40, 'detail', null,
                                                  'finding', CASE WHEN NOT ok AND name = 'email' THEN 'mail_refused' END))
                FROM unnest('{page,configuration,signature,captcha,recorded,email}'::text[]) AS name),
            at, at + interval '2 seconds', now() + interval '60 days'
       FROM (SELECT w.id, now() - day * interval '1 day' - w.n * interval '150 seconds' AS at,
                    NOT (w.n <= $2::int AND day < 30) AND (w.n + day * 7) % 41 > 0 AS ok
               FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM websites) w,
                    generate_series(0, $1::int - 1) AS day) run`,
    [PROBE_DAYS, FAILING],
  );
  await database.query(`
    INSERT INTO bounces (email_id, address, kind, submission_id, status, detail, reported_at)
    SELECT s.id, w.email, 'bounced', s.id, '5.1.1', 'User unknown', s.created_at + interval '1 minute'
      FROM submissions s JOIN websites w ON w.id = s.website_id
     WHERE s.created_at > now() - interval '30 days' AND get_byte(uuid_send(s.id), 14) < 1`);
  await database.query(
    `INSERT INTO incidents (id, website_id, link_key, reason, minute, count, request_id, first_seen_at, last_seen_at)
     SELECT gen_random_uuid(), w.id, 'turnstile:main',
            CASE WHEN w.number <= $3::int THEN 'secret_refused' ELSE 'timeout' END, at, 3, 'seed', at, at
       FROM generate_series(1, $1::int) AS n
       JOIN (SELECT id, row_number() OVER (ORDER BY id) AS number FROM websites) w ON w.number = 1 + n % $2::int
      CROSS JOIN LATERAL (SELECT date_trunc('minute', now()) - n * interval '3 minutes' AS at) moment
     ON CONFLICT DO NOTHING`,
    [INCIDENTS, WEBSITES, FAILING],
  );
  await database.query(`UPDATE plans SET notifications_per_month = 2000 WHERE code = 'seed'`);
  await database.query('VACUUM (ANALYZE)');
}

/** The start page of staff over 500 websites with a million leads, one request after the other. */
export async function measure(stack) {
  const database = await stack.database({ websites: WEBSITES, submissions: 1_000_000 });
  await count(database);
  await breakSome(database);
  const gateway = await stack.gateway(database);
  const cookie = await logIn(gateway.url, 'staff@seed.test');
  const queries = {
    list: { query: ATTENTION, variables: { first: 50 } },
    day: { query: TODAY },
  };
  const rows = [];
  for (const [name, body] of Object.entries(queries)) {
    const request = {
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    };
    const latencies = [];
    for (let i = 0; i <= TIMES; i++) {
      const from = performance.now();
      const [{ data, errors }] = await ask(gateway.url, [request]);
      if (errors) throw new Error(`${name}: ${JSON.stringify(errors)}`);
      if (data.attention?.edges.length < SILENT)
        throw new Error('Attention does not list the silent websites.');
      // The first one reads from the disk.
      if (i > 0) latencies.push(performance.now() - from);
    }
    const path = `attention, ${WEBSITES} websites, 1,000,000 leads, ${name}`;
    rows.push({ path: `${path}, p50 in ms`, figure: quantile(latencies, 0.5) });
    rows.push({ path: `${path}, p95 in ms`, figure: quantile(latencies, 0.95), atMost: 100 });
  }
  await gateway.stop();
  return rows;
}
