import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';

/** What a threshold would have done in a period. */
export type Effect = Readonly<{
  /** Visitors' submissions of the period that are still there. */
  submissions: number;
  /** Those with as many points, which would have been spam. */
  spam: number;
  /** Of these, the submissions that are in no spam folder now. */
  notSpam: number;
}>;

/** Counts what a threshold would have made of a team's submissions since a moment. */
export async function readEffect(db: Db, teamId: number, threshold: number, since: Date): Promise<Effect> {
  const [row] = await db.sql<Effect>(Prisma.sql`
    SELECT (SELECT count(*)::int FROM submissions
             WHERE team_id = ${teamId} AND created_at >= ${since}
               AND token_id IS NULL AND test_recipient IS NULL) AS submissions,
           count(*)::int AS spam, (count(*) FILTER (WHERE s.state <> 'spam'))::int AS "notSpam"
      FROM spam_verdicts v JOIN submissions s ON s.id = v.submission_id
     WHERE v.team_id = ${teamId} AND v.judged_at >= ${since} AND v.score >= ${threshold}`);
  return row!;
}
