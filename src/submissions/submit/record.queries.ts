import type { Proof } from '../../captcha/providers/altcha.js';
import { byteaText } from '../../db/bytea.js';
import type { Db } from '../../db/client.js';
import type { MatchedRule } from '../../forms/recipients/recipient-rules.js';
import { type CaptchaGround, Prisma } from '../../generated/prisma/client.js';
import { DUE_WHEN_JUDGED, insertDeliveries } from '../../webhooks/outbox.queries.js';
import { type Idempotency, KEPT_MS } from './idempotency.js';

/** A complete submission, ready to be recorded. */
export type SubmissionRecord = Readonly<{
  id: string;
  teamId: number;
  websiteId: string;
  /**
   * The website's stored signature key when a signature was accepted, as PostgreSQL reads it; null: none was needed.
   */
  storedSignatureKey: string | null;
  /** Seconds since that signature was made; null with a token. */
  signatureAgeS: number | null;
  formId: number;
  /** The version of the form that the visitor saw, and whose texts `consents` has; when not known, the current one. */
  formVersion: number;
  /** The current version, by which the values were validated; null: the version that the visitor saw is not known. */
  currentFormVersion: number | null;
  locale: string;
  values: object;
  undeclared: object;
  consents: object;
  pageUrl: string | null;
  pageTitle: string | null;
  pageLocale: string | null;
  /** The hash as sent; one that no visit of this website has counts as absent. */
  visitorHash: string | null;
  /** The rules that choose the recipients of its e-mail; none: the defaults get it. */
  matchedRules: readonly MatchedRule[];
  captchaKey: string | null;
  captchaGround: CaptchaGround;
  needsReview: boolean;
  /** The proof of work that admits it, if one does. */
  proof: Proof | null;
  idempotency: Pick<Idempotency, 'key' | 'bodyHash'> | null;
  /** The confirmation message of the answer, which a retry with the same key gets again. */
  message: string;
  tokenId: number | null;
  /** The id of the request, for the log lines of the worker. */
  requestId: string;
  /** The span of the request while it is traced, for the worker to continue. */
  traceParent: string | null;
  /** Where the e-mail of a test lead goes; null: it is a lead. */
  testRecipient: string | null;
  emails: readonly string[];
  searchWords: string;
  createdAt: Date;
}>;

/**
 * The outcome of recording a submission. Every outcome but `recorded` leaves the database unchanged.
 *
 * `proof_used`: another submission has used the proof of work. `key_taken`: another one has used the idempotency key,
 * whose answer is then repeated; it may have used the proof as well. `revoked`: the token was revoked. `unsigned`: the
 * website's signature key was regenerated. `website_gone` and `form_gone`: it was deleted meanwhile.
 */
export type RecordOutcome = 'recorded' | StatementRefusal | 'website_gone' | 'form_gone';

type StatementRefusal = 'proof_used' | 'key_taken' | 'revoked' | 'unsigned';

/**
 * Locks of the tokens' rows, so that a revocation comes before or after a record, never in between.
 *
 * A batch skips a token that is just being revoked, and its submission is retried alone: a statement that waits for
 * one lock while it holds others could deadlock.
 */
const LOCKS = {
  together: Prisma.sql`FOR SHARE SKIP LOCKED`,
  alone: Prisma.sql`FOR SHARE`,
};

/**
 * Maps a record to a row of the statement.
 *
 * Null values are left out, since a column without a value reads as null. Bytes are in hexadecimal, as PostgreSQL
 * reads them.
 */
const rowOf = (record: SubmissionRecord) => ({
  id: record.id,
  team_id: record.teamId,
  website_id: record.websiteId,
  signature_key: record.storedSignatureKey ?? undefined,
  signature_age_s: record.signatureAgeS ?? undefined,
  form_id: record.formId,
  form_version: record.formVersion,
  current_form_version: record.currentFormVersion ?? undefined,
  locale: record.locale,
  values: record.values,
  undeclared: record.undeclared,
  consents: record.consents,
  page_url: record.pageUrl ?? undefined,
  page_title: record.pageTitle ?? undefined,
  page_locale: record.pageLocale ?? undefined,
  visitor_hash: record.visitorHash ?? undefined,
  matched_rules: record.matchedRules.length > 0 ? record.matchedRules : undefined,
  captcha_key: record.captchaKey ?? undefined,
  captcha_ground: record.captchaGround,
  needs_review: record.needsReview,
  challenge: hexadecimal(record.proof?.challenge),
  proof_expires_ms: record.proof?.expiresAt.getTime(),
  key: record.idempotency?.key,
  body_hash: hexadecimal(record.idempotency?.bodyHash),
  message: record.idempotency ? record.message : undefined,
  token_id: record.tokenId ?? undefined,
  request_id: record.requestId,
  trace_parent: record.traceParent ?? undefined,
  test_recipient: record.testRecipient ?? undefined,
  emails: record.emails,
  search_words: record.searchWords,
  created_ms: record.createdAt.getTime(),
});

/** The submissions that a statement has recorded, as subjects of an event; a test lead is none. */
const RECORDED = Prisma.sql`(
          SELECT team_id, website_id, form_id, id AS submission_id, NULL::jsonb AS payload,
                 token_id IS NULL AS is_visitor
            FROM submission JOIN judged USING (id) WHERE test_recipient IS NULL)`;

/** Whether an idempotency key `kept` still repeats its answer at a time. */
const isKept = (at: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`kept.created_at > ${at} - make_interval(secs => ${KEPT_MS / 1000})`;

const hexadecimal = (bytes: Uint8Array | undefined): string | undefined => bytes && byteaText(bytes);

/**
 * Inserts records, each only if nothing refuses it, and returns the outcome of each by id.
 *
 * The statement checks the refusals before it takes key and proof. It takes the key before the proof, and each kind
 * in the same order in all statements, so that they cannot deadlock. A key whose proof is then found used points to
 * no submission: the foreign key fails the statement, so the key does not stay taken.
 */
export async function insertSubmissions(
  sql: Db['sql'],
  records: readonly SubmissionRecord[],
  how: keyof typeof LOCKS,
): Promise<ReadonlyMap<string, RecordOutcome>> {
  const rows = await sql<{ id: string; outcome: 'recorded' | StatementRefusal }>(
    Prisma.sql`
    WITH sent AS MATERIALIZED (
      SELECT sent.*, to_timestamp(created_ms / 1000) AS created_at,
             to_timestamp(proof_expires_ms / 1000) AS proof_expires_at
        FROM json_to_recordset(${JSON.stringify(records.map(rowOf))}::json) AS sent(
        id uuid, team_id int, website_id uuid, signature_key bytea, signature_age_s int, form_id int,
        form_version int, current_form_version int, locale text, "values" jsonb, undeclared jsonb, consents jsonb, page_url text, page_title text, page_locale text,
        visitor_hash text, matched_rules jsonb, captcha_key text, captcha_ground captcha_ground, needs_review boolean,
        challenge bytea, proof_expires_ms float8, key text, body_hash bytea, message text, token_id int,
        request_id text, trace_parent text, test_recipient text, emails text[], search_words tsvector, created_ms float8
      )
    ), live_token AS MATERIALIZED (
      SELECT id FROM tokens
       WHERE id IN (SELECT token_id FROM sent) AND revoked_at IS NULL ${LOCKS[how]}
    ), judged AS MATERIALIZED (
      SELECT sent.*, CASE
          WHEN token_id IS NOT NULL AND token_id NOT IN (SELECT id FROM live_token) THEN 'revoked'
          -- Values are looked up by key, where EXISTS may read the whole table first.
          WHEN signature_key IS NOT NULL AND signature_key IS DISTINCT FROM
            (SELECT w.signature_key_cipher FROM websites w WHERE w.id = website_id) THEN 'unsigned'
          WHEN (SELECT true FROM used_proofs u
                 WHERE u.expires_at = sent.proof_expires_at AND u.challenge = sent.challenge) THEN 'proof_used'
        END AS refusal
        FROM sent
    ), key AS (
      INSERT INTO idempotency_keys AS kept (
        website_id, form_id, key, body_hash, submission_id, message, created_at
      )
      SELECT website_id, form_id, key, body_hash, id, message, created_at
        FROM judged WHERE refusal IS NULL AND key IS NOT NULL ORDER BY website_id, form_id, key
      ON CONFLICT (website_id, form_id, key) DO UPDATE
        SET body_hash = EXCLUDED.body_hash, submission_id = EXCLUDED.submission_id,
            message = EXCLUDED.message, created_at = EXCLUDED.created_at
        WHERE NOT ${isKept(Prisma.sql`EXCLUDED.created_at`)}
      RETURNING submission_id
    ), proof AS (
      INSERT INTO used_proofs (challenge, expires_at)
      SELECT challenge, proof_expires_at
        FROM judged
       WHERE refusal IS NULL AND challenge IS NOT NULL
         AND (key IS NULL OR id IN (SELECT submission_id FROM key))
       ORDER BY challenge
      ON CONFLICT DO NOTHING
      RETURNING challenge
    ), submission AS (
      INSERT INTO submissions (
        id, team_id, website_id, signature_age_s, form_id, form_version, current_form_version, locale, "values",
        undeclared, consents, page_url, page_title, page_locale, attribution, captcha_key, captcha_ground,
        needs_review, token_id, request_id, trace_parent, test_recipient, emails, search_words, created_at
      )
      SELECT
        id, team_id, website_id, signature_age_s, form_id, form_version, current_form_version, locale, "values",
        undeclared, consents, page_url, page_title, page_locale, (
          SELECT jsonb_strip_nulls(jsonb_build_object(
                   'referrer', referrer, 'utm_source', utm_source, 'utm_medium', utm_medium,
                   'utm_campaign', utm_campaign, 'utm_term', utm_term, 'utm_content', utm_content))
            FROM visits v
           -- BETWEEN in place of an equation, which would drop the hash from the order: then the index of created_at
           -- serves it too, and a plan made before the first ANALYZE filters every visit by it.
           WHERE v.website_id = judged.website_id
             AND v.visitor_hash BETWEEN judged.visitor_hash AND judged.visitor_hash
           ORDER BY v.visitor_hash, v.created_at LIMIT 1
        ), captcha_key, captcha_ground, needs_review, token_id, request_id, trace_parent, test_recipient, emails,
        search_words, created_at
        FROM judged
       WHERE refusal IS NULL
         AND (key IS NULL OR id IN (SELECT submission_id FROM key))
         AND (challenge IS NULL OR challenge IN (SELECT challenge FROM proof))
      RETURNING id
    ), notification AS (
      -- The e-mail of a test lead takes no unit of the quota, as one that has its unit.
      INSERT INTO notifications (submission_id, matched_rules, quota_claimed_at)
      SELECT id, matched_rules, CASE WHEN test_recipient IS NOT NULL THEN now() END
        FROM submission JOIN judged USING (id)
    ), webhook AS (${insertDeliveries('submission.created', RECORDED, { dueAt: DUE_WHEN_JUDGED })}
    )
    SELECT id::text, CASE
             WHEN id IN (SELECT id FROM submission) THEN 'recorded'
             WHEN refusal IS NULL AND key IS NOT NULL AND id NOT IN (SELECT submission_id FROM key) THEN 'key_taken'
             -- The same request, sent twice, has used both.
             WHEN refusal = 'proof_used' AND
               (SELECT true FROM idempotency_keys kept
                 WHERE kept.website_id = judged.website_id AND kept.form_id = judged.form_id AND kept.key = judged.key
                   AND ${isKept(Prisma.sql`judged.created_at`)}) THEN 'key_taken'
             ELSE coalesce(refusal, 'proof_used') END AS outcome
      FROM judged`,
    `record-${how}`,
  );
  return new Map(rows.map(({ id, outcome }) => [id, outcome]));
}
