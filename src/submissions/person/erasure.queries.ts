import type { Db, Transaction } from '../../db/client.js';
import { DELETED_COLUMNS, DELETION_DELIVERIES } from '../../webhooks/outbox.queries.js';
import type { ErasureCounts } from './erasure-receipt.js';
import { idsWithAddress, type OfPerson } from './person.queries.js';

/** What one statement has erased: rows of each kind, and submissions by website. */
type ErasedPortion = Readonly<{
  counts: Omit<Required<ErasureCounts>, 'visits' | 'held'>;
  websites: Readonly<Record<string, number>>;
}>;

/**
 * Deletes the first of a team's submissions with an address, except those under legal hold, with everything that
 * belongs to them, and the team's rules about spam that name the address. It counts the rows that the foreign keys
 * delete with submissions in the same snapshot.
 */
export async function deleteSubmissionsOf(
  tx: Transaction,
  { teamId, email, limit }: OfPerson,
): Promise<ErasedPortion> {
  const [portion] = await tx.$queryRaw<ErasedPortion[]>`
    WITH gone AS MATERIALIZED (
      SELECT id, website_id FROM submissions
       WHERE id = ANY (ARRAY${idsWithAddress({ teamId, email })}) AND legal_hold_at IS NULL
       ORDER BY id LIMIT ${limit} FOR UPDATE
    ), deleted AS (
      DELETE FROM submissions WHERE id IN (SELECT id FROM gone)
      RETURNING ${DELETED_COLUMNS}
    ), webhook AS (${DELETION_DELIVERIES}
    ), requested AS MATERIALIZED (
      SELECT email_id FROM requested_emails WHERE submission_id IN (SELECT id FROM gone)
    ), told AS MATERIALIZED (
      SELECT id FROM webhook_deliveries WHERE submission_id IN (SELECT id FROM gone)
    ), rule AS (
      DELETE FROM spam_rules WHERE team_id = ${teamId} AND value = ${email.toLowerCase()} RETURNING id
    )
    SELECT jsonb_build_object(
             'submissions', (SELECT count(*) FROM deleted),
             'notifications', (SELECT count(*) FROM notifications WHERE submission_id IN (SELECT id FROM gone)),
             'requestedEmails', (SELECT count(*) FROM requested),
             'attempts',
               (SELECT count(*) FROM notification_attempts WHERE submission_id IN (SELECT id FROM gone))
               + (SELECT count(*) FROM requested_email_attempts WHERE email_id IN (SELECT email_id FROM requested)),
             'notes', (SELECT count(*) FROM submission_notes WHERE submission_id IN (SELECT id FROM gone)),
             'idempotencyKeys',
               (SELECT count(*) FROM idempotency_keys WHERE submission_id IN (SELECT id FROM gone)),
             'bounces', (SELECT count(*) FROM bounces WHERE submission_id IN (SELECT id FROM gone)),
             'webhookDeliveries', (SELECT count(*) FROM told),
             'webhookAttempts',
               (SELECT count(*) FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM told)),
             'spamVerdicts', (SELECT count(*) FROM spam_verdicts WHERE submission_id IN (SELECT id FROM gone)),
             'spamSamples',
               (SELECT count(*) FROM spam_samples WHERE submission_id IN (SELECT id FROM gone)),
             'spamRules', (SELECT count(*) FROM rule)) AS counts,
           (SELECT coalesce(jsonb_object_agg(website_id, submissions), '{}')
              FROM (SELECT website_id, count(*) AS submissions FROM gone GROUP BY 1) w) AS websites`;
  return portion!;
}

/** A place among a website's visits, which are read in the order of their instants. */
export type VisitPosition = Readonly<{ at: string; id: string }>;

/** Visits that one statement reads. */
const READ_AT_ONCE = 2_000;

/** Visits with any address that one statement matches. With the longest texts each takes a millisecond. */
const MATCHED_AT_ONCE = 100;

const FIRST_VISIT: VisitPosition = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Matches a character that stands in no URL but as itself. */
const PLAIN = /^[A-Za-z0-9]$/;

/** Returns a pattern for a character as itself or percent-encoded: which ones are depends on who wrote the URL. */
function spellingsOf(character: string): string {
  if (PLAIN.test(character)) return character;
  const encoded = [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('');
  // What is not ASCII is no operator of PostgreSQL's patterns, and a letter must have no backslash.
  const itself = character.charCodeAt(0) < 128 ? `\\${character}` : character;
  return `(?:${itself}|${encoded})`;
}

/**
 * Matches where no longer address goes on to the left: after no letter or digit, nor one with a dot, hyphen or
 * underscore, unless it ends a percent-encoding, as in `%3D`, of a character that no address has. A plus is a space in
 * a URL.
 */
const BEGIN = '(?:(?<!(?:[[:alnum:]]|[[:alnum:]][._-]))|(?<=%[0-7][[:xdigit:]]))(?<!%2[bde]|%5f)';

/** Matches where no longer top-level domain goes on; a dot may begin the extension of a page's name. */
const END = '(?![[:alnum:]])';

/**
 * Replaces an address in the next visits of a website by a mark; the visits themselves count on.
 *
 * @returns how many visits had it, and where the next portion begins; null at the end.
 */
export async function maskVisits(
  db: Db,
  { websiteId, email }: Readonly<{ websiteId: string; email: string }>,
  after: VisitPosition = FIRST_VISIT,
): Promise<{ masked: number; next: VisitPosition | null }> {
  // The ways in which the address can stand in a page's address or title, and those not within another person's.
  const spellings = [...email].map(spellingsOf).join('');
  const pattern = `${BEGIN}${spellings}${END}`;
  const [portion] = await db.orm.$queryRaw<{ masked: number; next: VisitPosition | null }[]>`
    WITH read AS MATERIALIZED (
      SELECT id, created_at, concat_ws(E'\n', page_url, page_title, referrer, utm_source, utm_medium, utm_campaign,
                                       utm_term, utm_content) AS texts
        FROM visits
       WHERE website_id = ${websiteId}::uuid
         AND (created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
       ORDER BY created_at, id LIMIT ${READ_AT_ONCE}
    ), portion AS MATERIALIZED (
      SELECT id, created_at, texts FROM read WHERE texts LIKE '%@%' OR texts LIKE '%\\%40%'
       ORDER BY created_at, id LIMIT ${MATCHED_AT_ONCE}
    ), masked AS (
      UPDATE visits SET
        page_url = regexp_replace(page_url, ${pattern}, 'erased', 'gi'),
        page_title = regexp_replace(page_title, ${pattern}, 'erased', 'gi'),
        referrer = regexp_replace(referrer, ${pattern}, 'erased', 'gi'),
        utm_source = regexp_replace(utm_source, ${pattern}, 'erased', 'gi'),
        utm_medium = regexp_replace(utm_medium, ${pattern}, 'erased', 'gi'),
        utm_campaign = regexp_replace(utm_campaign, ${pattern}, 'erased', 'gi'),
        utm_term = regexp_replace(utm_term, ${pattern}, 'erased', 'gi'),
        utm_content = regexp_replace(utm_content, ${pattern}, 'erased', 'gi')
       -- The whole pattern takes ten times as long, so it is tried only where the address stands at all.
       WHERE id IN (SELECT id FROM portion WHERE CASE WHEN texts ~* ${spellings} THEN texts ~* ${pattern} END)
      RETURNING id
    )
    SELECT (SELECT count(*)::int FROM masked) AS masked,
           CASE WHEN (SELECT count(*) FROM portion) = ${MATCHED_AT_ONCE}
                THEN (SELECT jsonb_build_object('at', created_at, 'id', id) FROM portion
                       ORDER BY created_at DESC, id DESC LIMIT 1)
                WHEN (SELECT count(*) FROM read) = ${READ_AT_ONCE}
                THEN (SELECT jsonb_build_object('at', created_at, 'id', id) FROM read
                       ORDER BY created_at DESC, id DESC LIMIT 1) END AS next`;
  return portion!;
}
