// `node bench/seed.js --websites N --submissions N`: fills the database at DATABASE_URL up to these totals with
// what an agency would have after two years: teams of four websites and three forms, and submissions of which
// the first team has most. The secrets are sealed under APP_KEY, with which the gateway must then run.
//
// Every owner (owner@seed-1.test, …) and the staff account staff@seed.test log in with the password below.
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { hashPassword } from '../dist/modules/auth/passwords.js';
import { migrate } from '../dist/modules/db/migration/migrate.js';
import { createCipher } from '../dist/modules/lib/crypto/cipher.js';
import { createKeyring } from '../dist/modules/lib/crypto/keyring.js';
import { generateSignatureKey } from '../dist/modules/websites/signatures/signature-key.js';
import { CITIES, FIRST_NAMES, FORMS, LAST_NAMES, MESSAGES, WISHES } from './seed-texts.js';

export const SEED_PASSWORD = 'a password of the benchmark';

const WEBSITES_PER_TEAM = 4;
const CHUNK = 50_000;

/** Of the website with a number, from 1. */
export const seedWebsiteId = (number) => `018f2b5e-7c1a-7000-8000-${number.toString(16).padStart(12, '0')}`;

async function insertTeams(client, teams) {
  await client.query(
    `INSERT INTO plans (code, name, submissions_per_minute, submissions_per_hour)
       VALUES ('seed', 'Seed', 2000000000, 2000000000) ON CONFLICT DO NOTHING`,
  );
  const hash = await hashPassword(SEED_PASSWORD);
  await client.query(
    `INSERT INTO users (email, name, password_hash, staff)
       SELECT 'owner@seed-' || n || '.test', 'Owner ' || n, $2, false FROM generate_series(1, $1::int) n
       UNION ALL SELECT 'staff@seed.test', 'Staff', $2, true
     ON CONFLICT DO NOTHING`,
    [teams, hash],
  );
  await client.query(
    // Judged, but not withheld: messages so much alike are a campaign.
    `INSERT INTO teams (slug, name, plan_id, spam_filter)
       SELECT 'seed-' || n, 'Client ' || n, (SELECT id FROM plans WHERE code = 'seed'), 'mark'
         FROM generate_series(1, $1::int) n
     ON CONFLICT DO NOTHING`,
    [teams],
  );
  await client.query(
    `INSERT INTO memberships (team_id, user_id, role)
       SELECT teams.id, users.id, 'owner' FROM teams JOIN users ON users.email = 'owner@' || slug || '.test'
     ON CONFLICT DO NOTHING`,
  );
}

/** The same three forms for each team that has none, which is named in them, with their English translation. */
async function insertForms(client) {
  await client.query(
    `CREATE TEMPORARY TABLE without_forms ON COMMIT DROP AS
       SELECT id, name FROM teams WHERE slug LIKE 'seed-%' AND NOT EXISTS (SELECT FROM forms WHERE team_id = teams.id)`,
  );
  for (const form of FORMS) {
    const values = [form.slug, form.name, form.submit, form.confirmation, form.privacy];
    await client.query(
      `INSERT INTO forms (team_id, slug, name, source_locale, submit_button_text, confirmation_message,
                          privacy_notice_text, privacy_notice_url, recipients)
         SELECT id, $1, $2, 'fr', $3, $4, $5, 'https://www.seed.test/privacy', '{}' FROM without_forms`,
      values,
    );
    await client.query(
      `INSERT INTO form_translations (form_id, locale, submit_button_text, confirmation_message)
         SELECT forms.id, 'en', $2, $3 FROM forms JOIN without_forms w ON w.id = team_id WHERE slug = $1`,
      [form.slug, form.en.submit, form.en.confirmation],
    );
    const fields = JSON.stringify(form.fields.map((field, position) => ({ ...field, position })));
    await client.query(
      `INSERT INTO form_fields (form_id, position, name, type, label, is_required, placeholder, attributes, visibility)
         SELECT forms.id, f.position, f.name, f.type::field_type, replace(f.label, '{client}', w.name),
                coalesce(f.required, false), f.placeholder, coalesce(f.attributes, '{}'), f.visibility
           FROM forms JOIN without_forms w ON w.id = team_id,
                jsonb_to_recordset($2::jsonb) AS f(position int, name text, type text, label text,
                  required boolean, placeholder text, attributes jsonb, visibility jsonb)
          WHERE slug = $1`,
      [form.slug, fields],
    );
    await client.query(
      `INSERT INTO field_translations (field_id, locale, label)
         SELECT form_fields.id, 'en', replace(f.en, '{client}', w.name)
           FROM form_fields JOIN forms ON forms.id = form_id JOIN without_forms w ON w.id = team_id
           JOIN jsonb_to_recordset($2::jsonb) AS f(name text, en text) ON f.name = form_fields.name
          WHERE slug = $1`,
      [form.slug, fields],
    );
    await client.query(
      `INSERT INTO field_options (field_id, position, value, label)
         SELECT form_fields.id, o.position, o.value, o.label
           FROM form_fields JOIN forms ON forms.id = form_id JOIN without_forms w ON w.id = team_id
           JOIN jsonb_to_recordset($2::jsonb) AS f(name text, options jsonb) ON f.name = form_fields.name,
                jsonb_to_recordset(coalesce(f.options, '[]')) AS o(position int, value text, label text)
          WHERE slug = $1`,
      [form.slug, fields],
    );
  }
}

async function insertWebsites(client, websites, appKey) {
  const cipher = createCipher(createKeyring(appKey));
  const ids = Array.from({ length: websites }, (_, index) => seedWebsiteId(index + 1));
  const keys = ids.map((id) => Buffer.from(generateSignatureKey(cipher, id)));
  await client.query(
    `INSERT INTO websites (id, team_id, name, host, url, locale, time_zone, email, company, address, zipcode,
                           city, country, phone, signature_key_cipher)
       SELECT w.id, teams.id, 'Website ' || w.n, 'www.site-' || w.n || '.test',
              'https://www.site-' || w.n || '.test', (ARRAY['fr', 'fr', 'en', 'de'])[1 + w.n % 4],
              'Europe/Paris', 'desk@site-' || w.n || '.test', 'Company ' || w.n, w.n || ' rue de la Paix',
              lpad((w.n * 7 % 95000)::text, 5, '0'), ($3::text[])[1 + w.n % array_length($3::text[], 1)],
              'France', '+33 1 02 03 04 05', w.key
         FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS w(id, key, n)
         JOIN teams ON teams.slug = 'seed-' || (1 + (w.n - 1) / ${WEBSITES_PER_TEAM})
     ON CONFLICT DO NOTHING`,
    [ids, keys, CITIES],
  );
  await client.query(
    `INSERT INTO form_links (website_id, form_id, team_id, css_selector, appearance, recipients)
       SELECT w.id, f.id, w.team_id, '#form', '{"--formgate-accent": "#3366ff"}', '{}'
         FROM websites w JOIN forms f ON f.team_id = w.team_id JOIN teams ON teams.id = w.team_id
        WHERE teams.slug LIKE 'seed-%'
     ON CONFLICT DO NOTHING`,
  );
}

/** A row each for the submissions numbered from..to, spread evenly over the last 24 months. */
const SUBMISSIONS = `
  WITH drawn AS (
    SELECT n, md5(n::text) AS digest, random() AS r1, random() AS r2, random() AS r3, random() AS r4,
           random() AS r5, random() AS r6, random() AS r7, random() AS r8,
           now() - interval '730 days' * (1 - n::float8 / $3::float8) - interval '1 minute' AS created_at
      FROM generate_series($1::int, $2::int) n OFFSET 0
  ), sites AS (
    SELECT array_agg(id ORDER BY id) AS ids, array_agg(team_id ORDER BY id) AS teams FROM websites
     WHERE id <= $4::uuid AND id >= $5::uuid
  ), team_forms AS (
    SELECT team_id, array_agg(id ORDER BY id) AS ids FROM forms GROUP BY team_id
  ), placed AS (
    SELECT drawn.*, 1 + floor(r1 * r1 * array_length(ids, 1))::int AS site,
           ($6::text[])[1 + floor(r2 * array_length($6::text[], 1))::int] AS first_name,
           ($7::text[])[1 + floor(r3 * array_length($7::text[], 1))::int] AS last_name,
           ($8::text[])[1 + floor(r4 * array_length($8::text[], 1))::int] AS message,
           ($9::text[])[1 + floor(r5 * array_length($9::text[], 1))::int] AS wish,
           ($10::text[])[1 + floor(r6 * array_length($10::text[], 1))::int] AS city,
           (ARRAY['fr','fr','fr','en','de','fr','en','fr'])[1 + floor(r7 * 8)::int] AS locale
      FROM drawn, sites
  ), worded AS (
    SELECT placed.*, sites.ids[site] AS website_id, sites.teams[site] AS team_id,
           lower(first_name || '.' || last_name || (n % 9973)::text || '@' ||
             (ARRAY['gmail.test','orange.test','free.test','company.test'])[1 + floor(r8 * 4)::int]) AS email,
           message || ' ' || wish || ' ' || city || ', réf. ' || substr(digest, 1, 6) AS text,
           '+33 6 ' || substr(translate(digest, 'abcdef', '123456'), 1, 8) AS phone
      FROM placed, sites
  )
  INSERT INTO submissions (
    id, team_id, website_id, form_id, form_version, locale, state, state_changed_at, "values", undeclared,
    consents, page_url, page_title, page_locale, attribution, captcha_key, captcha_ground, needs_review,
    emails, search_words, created_at
  )
  SELECT
    (lpad(to_hex((extract(epoch FROM created_at) * 1000)::bigint), 12, '0') || '7' || substr(digest, 1, 3)
      || '8' || substr(digest, 4, 15))::uuid,
    w.team_id, w.website_id, f.ids[1 + floor(r4 * r5 * 3)::int], 1, locale,
    CASE WHEN n > $3::float8 * 0.97 AND r3 < 0.7 THEN 'new' WHEN r3 < 0.05 THEN 'spam'
         WHEN r3 < 0.15 THEN 'in_progress' WHEN r3 < 0.5 THEN 'archived' ELSE 'done' END::submission_state,
    CASE WHEN n <= $3::float8 * 0.97 THEN created_at + interval '1 day' * r2 END,
    jsonb_build_object('name', first_name || ' ' || last_name, 'email', email, 'phone', phone,
      'topic', CASE WHEN r2 < 0.5 THEN 'quote' ELSE 'other' END, 'message', text, 'gdpr', true),
    CASE WHEN r6 < 0.1 THEN jsonb_build_object('campaign', 'spring-' || n % 12) ELSE '{}' END,
    jsonb_build_object('gdpr', jsonb_build_object('label', 'J''accepte d''être recontacté.', 'locale', locale)),
    'https://www.site-' || site || '.test/contact', 'Contact', locale,
    CASE WHEN r7 < 0.3 THEN '{"utm_source": "newsletter", "utm_medium": "email"}'::jsonb END,
    'altcha', 'first', r8 < 0.005, ARRAY[email],
    translate(lower(concat_ws(' ', first_name, last_name, email, phone, text)),
              'àâäçéèêëîïôöùûü.,?+@’-', 'aaaceeeeiioouuu')::tsvector,
    created_at
    FROM worded w JOIN team_forms f ON f.team_id = w.team_id`;

/** Every submission has been notified, but for the few that were not to be; none is waiting to be sent. */
const NOTIFICATIONS = `
  WITH added AS (
    INSERT INTO notifications (submission_id, state, attempts, sent_at, quota_claimed_at, created_at,
                               next_attempt_at, retrying_since)
      SELECT id, state, CASE WHEN state IN ('sent', 'failed') THEN 1 ELSE 0 END,
             CASE WHEN state = 'sent' THEN created_at + interval '1 second' END,
             CASE WHEN state IN ('sent', 'failed') THEN created_at END, created_at, created_at, created_at
        FROM (SELECT id, created_at,
                     (CASE get_byte(uuid_send(id), 15) % 50 WHEN 0 THEN 'failed' WHEN 1 THEN 'skipped_quota'
                       WHEN 2 THEN 'no_recipient' ELSE 'sent' END)::notification_state AS state
                FROM submissions s WHERE NOT EXISTS (SELECT FROM notifications WHERE submission_id = s.id)) of
    RETURNING submission_id, state, created_at
  )
  INSERT INTO notification_attempts (submission_id, number, outcome, smtp_code, detail, recipients, started_at,
                                     finished_at)
    SELECT submission_id, 1, state::text::attempt_outcome, CASE WHEN state = 'sent' THEN 250 ELSE 550 END,
           CASE WHEN state = 'sent' THEN 'OK' ELSE 'No such mailbox' END, ARRAY['desk@site.test'],
           created_at, created_at + interval '1 second'
      FROM added WHERE state IN ('sent', 'failed')`;

/** Runs work without the indexes that are not keys, and builds them again: much faster than keeping them. */
async function withoutIndexes(client, tables, work) {
  const { rows } = await client.query(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i WHERE i.indrelid::regclass::text = ANY ($1) AND NOT i.indisunique`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await work();
  for (const { definition } of rows) await client.query(definition);
}

async function insertSubmissions(client, { websites, submissions, keepIndexes }) {
  const [{ present }] = (await client.query('SELECT count(*)::int AS present FROM submissions')).rows;
  if (present >= submissions) return;
  const tables = keepIndexes ? [] : ['submissions', 'notifications', 'notification_attempts'];
  await withoutIndexes(client, tables, async () => {
    for (let from = present + 1; from <= submissions; from += CHUNK) {
      const to = Math.min(submissions, from + CHUNK - 1);
      const places = [seedWebsiteId(websites), seedWebsiteId(1)];
      const words = [FIRST_NAMES, LAST_NAMES, MESSAGES, WISHES, CITIES];
      await client.query(SUBMISSIONS, [from, to, submissions, ...places, ...words]);
    }
    await client.query(NOTIFICATIONS);
  });
  await client.query(
    `INSERT INTO quota_usages (team_id, month, used)
       SELECT team_id, date_trunc('month', n.created_at AT TIME ZONE 'UTC')::date, count(*)
         FROM notifications n JOIN submissions s ON s.id = submission_id
        WHERE quota_claimed_at IS NOT NULL GROUP BY 1, 2
     ON CONFLICT (team_id, month) DO UPDATE SET used = EXCLUDED.used`,
  );
}

/**
 * Brings a database to these totals; what is there stays.
 *
 * @param keepIndexes lets the indexes grow with the rows, as they do in an installation.
 */
export async function seed({ databaseUrl, appKey, websites, submissions, keepIndexes = false }) {
  await migrate(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT setseed(0.5), set_config('maintenance_work_mem', '512MB', true)`);
    await insertTeams(client, Math.ceil(websites / WEBSITES_PER_TEAM));
    await insertForms(client);
    await insertWebsites(client, websites, appKey);
    await insertSubmissions(client, { websites, submissions, keepIndexes });
    await client.query('COMMIT');
    await client.query('VACUUM (ANALYZE)');
  } finally {
    await client.end();
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      websites: { type: 'string', default: '10' },
      submissions: { type: 'string', default: '10000' },
    },
  });
  const { DATABASE_URL: databaseUrl, APP_KEY } = process.env;
  if (!databaseUrl || !APP_KEY) throw new Error('DATABASE_URL and APP_KEY must be set.');
  const [websites, submissions] = [Number(values.websites), Number(values.submissions)];
  if (!(websites >= 1 && submissions >= 0)) throw new Error('--websites and --submissions must be numbers.');
  const startedAt = performance.now();
  await seed({ databaseUrl, appKey: Buffer.from(APP_KEY, 'base64'), websites, submissions });
  const tookS = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${websites} websites, ${submissions} submissions, ${tookS} s`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
