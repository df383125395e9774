import type { Db } from '../../db/client.js';
import { type CaptchaType, Prisma } from '../../generated/prisma/client.js';

const { sql, join } = Prisma;

/** Maximum number of websites or reasons in a list: those with the most failures or refusals. */
const LISTED = 500;

/** What comes again within this time is taken for the same trouble, which goes on while it is no older. */
const TROUBLE_PAUSE_S = 900;

/** How far back the beginning of a trouble is looked for, in days. */
const TROUBLE_DAYS = 7;

/** Selects websites by their teams; null: every team, every website, every provider. */
export type CaptchaScope = Readonly<{
  teamIds: readonly number[] | null;
  websiteId: string | null;
  type: CaptchaType | null;
}>;

/** From the first instant, before the last; the counts are of whole days (UTC). */
export type CaptchaPeriod = CaptchaScope & Readonly<{ from: Date; to: Date }>;

/** What steps have said, and what came of it. */
export type VerdictTotals = Readonly<{
  accepted: number;
  refused: number;
  /** The provider failed; each is a fallback, a pass-through or a refusal, too. */
  unavailable: number;
  fallback: number;
  passThrough: number;
}>;

export type DayOfVerdicts = VerdictTotals & Readonly<{ day: string }>;

export type ProviderVerdicts = VerdictTotals & Readonly<{ type: CaptchaType }>;

export type WebsiteVerdicts = VerdictTotals & Readonly<{ websiteId: string }>;

export type RefusalCount = Readonly<{ type: CaptchaType; reason: string; count: number }>;

/** A failure of a provider, or a refusal of our secret, that goes on. */
export type CaptchaTrouble = Readonly<{
  type: CaptchaType;
  reason: string;
  since: Date;
  lastAt: Date;
  websites: number;
  count: number;
}>;

/** How far back the last answer and the last incident of a provider are looked for, in days. */
const STATE_DAYS = 30;

/** What is recorded of a provider that chains ask. */
export type ProviderState = Readonly<{
  type: CaptchaType;
  /** Websites whose chains ask it. */
  websites: number;
  /** The last day (UTC) of a verdict of its own, as in `2026-11-21`; null: none within 30 days. */
  lastAnsweredOn: string | null;
  /** Its last failure, or refusal of our secret; null: none within 30 days. */
  lastIncidentAt: Date | null;
  lastReason: string | null;
}>;

/** The provider of a step's key. */
const TYPE = sql`split_part(link_key, ':', 1)`;

const TOTALS = join(
  (
    [
      ['accepted', 'accepted'],
      ['refused', 'refused'],
      ['unavailable', 'unavailable'],
      ['fallback', 'fallback'],
      ['pass_through', 'passThrough'],
    ] as const
  ).map(
    ([verdict, name]) =>
      sql`coalesce(sum(count) FILTER (WHERE verdict = ${Prisma.raw(`'${verdict}'`)}), 0)::int AS ${Prisma.raw(`"${name}"`)}`,
  ),
);

/** Returns the condition that selects rows of the websites in a scope. */
const inScope = ({ teamIds, websiteId, type }: CaptchaScope): Prisma.Sql =>
  join(
    [
      websiteId ? sql`website_id = ${websiteId}::uuid` : sql`TRUE`,
      teamIds
        ? sql`website_id IN (SELECT id FROM websites WHERE team_id = ANY (${[...teamIds]}::int[]))`
        : sql`TRUE`,
      type ? sql`${TYPE} = ${type}` : sql`TRUE`,
    ],
    ' AND ',
  );

const within = ({ from, to, ...scope }: CaptchaPeriod): Prisma.Sql => sql`
  ${inScope(scope)} AND day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date
  AND day < (${to}::timestamptz AT TIME ZONE 'UTC')::date`;

export type CaptchaFigures = ReturnType<typeof createCaptchaFigures>;

/** Computes what captcha steps have said in a period, and which providers fail now. */
export function createCaptchaFigures({ db }: { db: Db }) {
  return {
    /** Counts the verdicts by day, oldest first, without empty days. */
    perDay: (period: CaptchaPeriod): Promise<DayOfVerdicts[]> =>
      db.orm.$queryRaw`
        SELECT day::text AS day, ${TOTALS}
          FROM captcha_counts WHERE ${within(period)} GROUP BY 1 ORDER BY 1`,

    /** Counts the verdicts by provider, the one with the most first. */
    perProvider: (period: CaptchaPeriod): Promise<ProviderVerdicts[]> =>
      db.orm.$queryRaw`
        SELECT ${TYPE} AS type, ${TOTALS}
          FROM captcha_counts WHERE ${within(period)} GROUP BY 1 ORDER BY sum(count) DESC, 1`,

    /** Counts the verdicts by website: first those with the most failures, then with the most refusals. */
    perWebsite: (period: CaptchaPeriod): Promise<WebsiteVerdicts[]> =>
      db.orm.$queryRaw`
        SELECT website_id::text AS "websiteId", ${TOTALS}
          FROM captcha_counts WHERE ${within(period)}
         GROUP BY 1 ORDER BY "unavailable" DESC, "refused" DESC, "accepted" DESC, 1 LIMIT ${LISTED}`,

    /** Counts refusals by provider and reason, the most frequent first. */
    refusals: (period: CaptchaPeriod): Promise<RefusalCount[]> =>
      db.orm.$queryRaw`
        SELECT ${TYPE} AS type, reason, sum(count)::int AS count
          FROM captcha_refusals WHERE ${within(period)}
         GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ${LISTED}`,

    /** Reads what is recorded of each provider that chains ask, by the number of websites. */
    providers: (scope: CaptchaScope, now: Date): Promise<ProviderState[]> =>
      db.orm.$queryRaw`
        WITH used AS (
          SELECT type::text AS type, count(DISTINCT website_id)::int AS websites
            FROM captcha_links WHERE ${inScope({ ...scope, type: null })} GROUP BY 1
        ), answered AS (
          SELECT ${TYPE} AS type, max(day)::text AS day
            FROM captcha_counts
           WHERE ${inScope(scope)} AND verdict IN ('accepted', 'refused')
             AND day >= (${now}::timestamptz AT TIME ZONE 'UTC')::date - ${STATE_DAYS}::int
           GROUP BY 1
        ), failed AS (
          SELECT DISTINCT ON (${TYPE}) ${TYPE} AS type, reason, last_seen_at
            FROM incidents
           WHERE ${inScope(scope)} AND reason <> 'pass_through' AND minute <= ${now}
             AND minute >= ${now}::timestamptz - make_interval(days => ${STATE_DAYS}::int)
           ORDER BY ${TYPE}, last_seen_at DESC, id DESC
        )
        SELECT used.type, used.websites, answered.day AS "lastAnsweredOn",
               failed.last_seen_at AS "lastIncidentAt", failed.reason AS "lastReason"
          FROM used LEFT JOIN answered USING (type) LEFT JOIN failed USING (type)
         ORDER BY used.websites DESC, used.type`,

    /**
     * Lists the failures that go on, the longest first.
     *
     * Incidents of one provider and reason are one trouble while no pause between them is longer than 15 minutes. It
     * goes on until it has paused that long.
     */
    troubles: (scope: CaptchaScope, now: Date): Promise<CaptchaTrouble[]> =>
      db.orm.$queryRaw`
        WITH failed AS (
          SELECT ${TYPE} AS type, reason, website_id, count, first_seen_at, last_seen_at,
                 first_seen_at - max(last_seen_at) OVER (
                   PARTITION BY ${TYPE}, reason ORDER BY first_seen_at, id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                 ) > make_interval(secs => ${TROUBLE_PAUSE_S}) AS begins
            FROM incidents
           WHERE ${inScope(scope)} AND reason <> 'pass_through'
             AND minute >= ${now}::timestamptz - make_interval(days => ${TROUBLE_DAYS}) AND minute <= ${now}
        ), runs AS (
          SELECT *, count(*) FILTER (WHERE begins) OVER (
                      PARTITION BY type, reason ORDER BY first_seen_at ROWS UNBOUNDED PRECEDING
                    ) AS run
            FROM failed
        )
        SELECT type, reason, min(first_seen_at) AS since, max(last_seen_at) AS "lastAt",
               count(DISTINCT website_id)::int AS websites, sum(count)::int AS count
          FROM runs GROUP BY type, reason, run
        HAVING max(last_seen_at) > ${now}::timestamptz - make_interval(secs => ${TROUBLE_PAUSE_S})
         ORDER BY since, type, reason LIMIT ${LISTED}`,
  };
}
