import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { inTeams } from '../../db/team-filter.js';
import { Prisma } from '../../generated/prisma/client.js';
import { LISTED_JSON } from '../inbox/listed-submission.js';

/** A submission as one JSON text, to be parsed with `readListed`, with the host and the slug that it refers to. */
type ExportedRow = Readonly<{ id: string; json: string; host: string; slug: string }>;

/** Characters of the submissions read at once, but for the last one: a slow reader keeps them in memory. */
const MAX_CHARACTERS = 2_000_000;

/**
 * Reads submissions in the order of the ids, without those deleted meanwhile: those that fit into some characters, and
 * at least one where there is any.
 */
export const readExported = (db: Db, ids: readonly string[]): Promise<ExportedRow[]> =>
  db.sql(Prisma.sql`
  SELECT id, json, host, slug
    FROM (SELECT *, sum(length(json)) OVER (ORDER BY position) - length(json) AS before
            FROM (SELECT s.id::text, ${LISTED_JSON} AS json, websites.host, forms.slug, position
                    FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS place (id, position)
                    JOIN submissions s ON s.id = place.id
                    JOIN websites ON websites.id = s.website_id
                    JOIN forms ON forms.id = s.form_id
                    LEFT JOIN notifications n ON n.submission_id = s.id
                  OFFSET 0) listed) counted
   WHERE before < ${MAX_CHARACTERS}
   ORDER BY position`);

/** Reads the different names of the fields of forms, in the order of the forms, so many at most. */
export async function readFieldNames(db: Db, { teamIds, formIds }: Scope, limit: number): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ name: string }[]>`
    SELECT name FROM (
      SELECT DISTINCT ON (d.name) d.name, d.form_id, d.position
        FROM form_fields d JOIN forms f ON f.id = d.form_id
       WHERE ${inTeams(teamIds, 'f.team_id')}
         AND ${formIds ? Prisma.sql`f.id = ANY (${[...formIds]}::int[])` : Prisma.sql`TRUE`}
       ORDER BY d.name, d.form_id, d.position) field
     ORDER BY form_id, position LIMIT ${limit}`;
  return rows.map(({ name }) => name);
}
