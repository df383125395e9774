import type { Db, Transaction } from '../../db/client.js';
import { type Page, pageSql } from '../../db/paging.js';
import type { AuditChannel } from '../../generated/prisma/client.js';
import type { KeptForm } from './form-changes.js';

/** A version of a form that is kept. */
export type KeptVersion = Readonly<{
  formId: number;
  version: number;
  savedAt: Date;
  /** Null when no person did it, the account is gone, or it was saved before versions were kept. */
  savedById: number | null;
  /** Null when it is not known. */
  channel: AuditChannel | null;
  /** The version kept before it; null: none. */
  previousVersion: number | null;
  /** The latest version before it with the same content; null: none. */
  sameAs: number | null;
}>;

/** Identifies a version. */
export type VersionKey = Readonly<{ formId: number; version: number }>;

/** Versions of a form that are kept, the latest ones. */
const KEPT_VERSIONS = 500;

/**
 * Keeps a version of a form, unless it is kept or is no longer the form's present one. Who saved it and when is what
 * the audit trail has of it, so that its event comes first.
 */
export async function keepVersion(
  tx: Transaction,
  { formId, version }: VersionKey,
  { slug: _, version: __, ...content }: KeptForm & { slug?: string; version?: number },
): Promise<void> {
  await tx.$executeRaw`
    WITH kept AS (
      SELECT forms.id, version, updated_at, content, sha256(convert_to(content::text, 'UTF8')) AS digest
        FROM forms, (SELECT ${JSON.stringify(content)}::jsonb AS content) AS given
       WHERE forms.id = ${formId} AND version = ${version}
    ), snapshot AS (
      INSERT INTO form_snapshots (form_id, digest, content) SELECT id, digest, content FROM kept ON CONFLICT DO NOTHING
    )
    INSERT INTO form_versions (form_id, version, digest, saved_at, saved_by_id, channel)
    SELECT kept.id, kept.version, digest, coalesce(saved.created_at, kept.updated_at), saved.actor_id, saved.channel
      FROM kept
      LEFT JOIN LATERAL (
        SELECT created_at, actor_id, channel FROM audit_events
         WHERE subject_type = 'form' AND subject_id = kept.id::text
           AND action IN ('form.created', 'form.updated', 'form.restored')
           AND detail->'version' = to_jsonb(kept.version)
         ORDER BY created_at DESC LIMIT 1
      ) AS saved ON true
    ON CONFLICT DO NOTHING`;
}

/** Deletes the versions of a form that are too many, and what they alone were like. */
export async function deleteOldVersions(tx: Transaction, { formId, version }: VersionKey): Promise<void> {
  const last = version - KEPT_VERSIONS;
  await tx.$executeRaw`
    WITH old AS (
      DELETE FROM form_versions WHERE form_id = ${formId} AND version <= ${last} RETURNING digest
    )
    DELETE FROM form_snapshots
     USING old
     WHERE form_snapshots.form_id = ${formId} AND form_snapshots.digest = old.digest
       AND NOT EXISTS (
         SELECT FROM form_versions AS kept
          WHERE kept.form_id = ${formId} AND kept.digest = old.digest AND kept.version > ${last})`;
}

/** Lists a page of the versions of each of some forms, the latest first. */
export const listVersions = ({ orm }: Db, formIds: readonly number[], page: Page): Promise<KeptVersion[]> => {
  const { beyond, order, limit } = pageSql(page, [{ sql: 'version', type: 'int' }], 'descending');
  return orm.$queryRaw`
    SELECT page.* FROM unnest(${formIds}::int[]) AS form (id)
     CROSS JOIN LATERAL (
       SELECT * FROM (
         SELECT form_id AS "formId", version, saved_at AS "savedAt", saved_by_id AS "savedById",
                channel::text AS channel, lag(version) OVER (ORDER BY version) AS "previousVersion",
                lag(version) OVER (PARTITION BY digest ORDER BY version) AS "sameAs"
           FROM form_versions WHERE form_id = form.id) AS kept
        WHERE ${beyond} ORDER BY ${order} LIMIT ${limit}) AS page
     ORDER BY ${order}`;
};

/** Lists the numbers of the versions that are kept of each of some forms. */
export const listKept = ({ orm }: Db, formIds: readonly number[]): Promise<VersionKey[]> =>
  orm.$queryRaw`
    SELECT form_id AS "formId", version FROM form_versions WHERE form_id = ANY (${formIds}::int[])`;

/** Reads what forms were in some of their versions, as JSON, so that the caller parses one at a time. */
export const readContents = (
  { orm }: Db,
  keys: readonly VersionKey[],
): Promise<(VersionKey & { json: string })[]> =>
  orm.$queryRaw`
    SELECT v.form_id AS "formId", v.version, s.content::text AS json
      FROM unnest(${keys.map(({ formId }) => formId)}::int[], ${keys.map(({ version }) => version)}::int[])
             AS wanted (form_id, version)
      JOIN form_versions v USING (form_id, version)
      JOIN form_snapshots s ON s.form_id = v.form_id AND s.digest = v.digest`;

/** Lists the next forms of which the present version is not kept, in the order of their ids. */
export const listUnkept = (
  tx: Transaction,
  after: number,
  limit: number,
): Promise<{ id: number; version: number }[]> =>
  tx.$queryRaw`
    SELECT id, version FROM forms
     WHERE id > ${after}
       AND NOT EXISTS (SELECT FROM form_versions v WHERE v.form_id = forms.id AND v.version = forms.version)
     ORDER BY id LIMIT ${limit}`;
