import type { Db } from '../../db/client.js';

/** Finds forms of which the present version has not been examined. */
export async function findUnexamined(db: Db, limit: number): Promise<number[]> {
  const rows = await db.orm.$queryRaw<{ id: number }[]>`
    SELECT f.id FROM forms f LEFT JOIN form_findings x ON x.form_id = f.id
     WHERE x.version IS DISTINCT FROM f.version ORDER BY f.id LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}
