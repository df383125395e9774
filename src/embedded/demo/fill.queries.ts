import type { Transaction } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import { DEFAULT_RECIPIENTS } from '../../notifications/submission-email/email-source.queries.js';
import type { Row } from './leads.js';

/** Inserts rows into a table in one statement; all have the columns of the first. */
export async function insertRows(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Prisma.raw(
    Object.keys(first)
      .map((column) => `"${column}"`)
      .join(', '),
  );
  await tx.$executeRaw`
    INSERT INTO ${Prisma.raw(table)} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${Prisma.raw(table)}, ${JSON.stringify(rows)}::json)`;
}

/** Reads the placements of teams, with their recipients. */
export const readPlacements = (
  tx: Transaction,
  teams: readonly string[],
): Promise<{ websiteId: string; formId: number; recipients: string[]; hasChain: boolean }[]> => tx.$queryRaw`
  SELECT s.website_id::text AS "websiteId", s.form_id AS "formId", ${DEFAULT_RECIPIENTS} AS recipients,
         EXISTS (SELECT FROM captcha_links WHERE website_id = s.website_id) AS "hasChain"
    FROM form_links s
   WHERE s.team_id IN (SELECT id FROM teams WHERE slug = ANY (${[...teams]}::text[]))
   ORDER BY s.website_id, s.form_id`;
