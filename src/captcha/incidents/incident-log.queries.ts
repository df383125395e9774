import type { Db } from '../../db/client.js';
import type { Page } from '../../db/paging.js';
import { pageSql } from '../../db/paging.js';
import { inTeams } from '../../db/team-filter.js';
import { type CaptchaType, type Incident, Prisma } from '../../generated/prisma/client.js';

type IncidentFilter = Readonly<{
  /** The teams whose incidents are listed; null: every team. */
  teamIds: readonly number[] | null;
  websiteId: string | null;
  reason: string | null;
  /** Only those of steps of this type; null: of any. */
  type: CaptchaType | null;
  since: Date | null;
  until: Date | null;
}>;

export type IncidentLog = ReturnType<typeof createIncidentLog>;

/** Lists the recorded incidents for the panel. */
export function createIncidentLog({ db }: { db: Db }) {
  return {
    /** Reads a page of the incidents that match a filter, ordered by minute, the newest first. */
    async list(filter: IncidentFilter, page: Page): Promise<Incident[]> {
      const { teamIds, websiteId, reason, type, since, until } = filter;
      const keys = [
        { sql: 'incidents.minute', type: 'timestamptz' },
        { sql: 'incidents.id', type: 'uuid' },
      ] as const;
      const { beyond, order, limit } = pageSql(page, keys, 'descending');
      const conditions = [
        beyond,
        inTeams(teamIds, 'websites.team_id'),
        ...(websiteId ? [Prisma.sql`incidents.website_id = ${websiteId}::uuid`] : []),
        ...(reason ? [Prisma.sql`incidents.reason = ${reason}`] : []),
        ...(type ? [Prisma.sql`split_part(incidents.link_key, ':', 1) = ${type}`] : []),
        ...(since ? [Prisma.sql`incidents.minute >= ${since}`] : []),
        ...(until ? [Prisma.sql`incidents.minute < ${until}`] : []),
      ];
      return db.orm.$queryRaw<Incident[]>`
        SELECT incidents.id, website_id AS "websiteId", link_key AS "stepKey", reason, minute, count,
               request_id AS "requestId", first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt"
          FROM incidents JOIN websites ON websites.id = website_id
         WHERE ${Prisma.join(conditions, ' AND ')}
         ORDER BY ${order} LIMIT ${limit}`;
    },
  };
}
