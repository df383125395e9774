import type { Db, Transaction } from '../db/client.js';

/** Fewest websites whose failing probes say something about all of them. */
const FEWEST_WEBSITES = 3;

/** Hours in which the latest probe of a website must have run to count. */
const RECENT_H = 26;

/** Tells whether the latest probe of every website that was probed lately has failed. */
export async function areAllProbesFailing(db: Db, now: Date): Promise<boolean> {
  const [row] = await db.orm.$queryRaw<[{ isSo: boolean }]>`
    SELECT count(*) >= ${FEWEST_WEBSITES} AND coalesce(bool_and(NOT ok), false) AS "isSo"
      FROM (SELECT DISTINCT ON (p.website_id) p.ok
              FROM probes p JOIN websites w ON w.id = p.website_id AND NOT w.disabled
              JOIN teams t ON t.id = w.team_id AND t.active
             WHERE p.started_at >= ${now}::timestamptz - make_interval(hours => ${RECENT_H}::int)
               AND (p.ok OR jsonb_path_exists(p.steps, '$[*] ? (@.ok == false && @.finding != "interrupted")'))
             ORDER BY p.website_id, p.started_at DESC, p.id DESC) latest`;
  return row.isSo;
}

/** Opens an alert. @returns whether it was not open before. */
export async function openAlert(tx: Transaction, name: string, now: Date): Promise<boolean> {
  const opened = await tx.$executeRaw`
    INSERT INTO open_alerts (name, opened_at) VALUES (${name}, ${now}) ON CONFLICT DO NOTHING`;
  return opened > 0;
}

/** Ends an alert. @returns since when it was open; null when it was not. */
export async function endAlert(tx: Transaction, name: string): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ openedAt: Date }[]>`
    DELETE FROM open_alerts WHERE name = ${name} RETURNING opened_at AS "openedAt"`;
  return row?.openedAt ?? null;
}
