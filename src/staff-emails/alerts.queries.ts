import type { Db, Transaction } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import { HAS_ENDED } from '../probes/probe-days.queries.js';
import type { ProbeFinding } from '../probes/probe-step.js';

/** Websites of which the latest probes decide: the cause of as many failures in a row is not the websites. */
const LOOKED_AT = 10;

/** Fewest websites whose failing probes say something about all of them, unless there are no more. */
const FEWEST_WEBSITES = 3;

/**
 * Teams whose websites must fail, unless one has more than half of all: a team may test its own ten websites by hand.
 */
const FEWEST_TEAMS = 2;

/**
 * Tells whether a probe `p` has found the gateway, its address and the mail server to work. Its page says nothing of
 * them: a website whose page lacks the script fails for as long as that is so.
 */
const HAS_PASSED = Prisma.raw(
  `(p.ok OR jsonb_path_exists(p.steps, '$[*] ? (@.name != "page")')
        AND NOT jsonb_path_exists(p.steps, '$[*] ? (@.name != "page" && @.ok == false)'))`,
);

/** Findings about a website or its forms, at which a probe ends before the rest of the gateway is tested. */
const WEBSITE_FINDINGS: readonly ProbeFinding[] = [
  'no_form',
  'website_disabled',
  'fields_not_filled',
  'fields_refused',
];

const stepFound = (findings: readonly ProbeFinding[]): string =>
  `jsonb_path_exists(p.steps, '$[*] ? (${findings.map((finding) => `@.finding == "${finding}"`).join(' || ')})')`;

/**
 * Tells that a probe `p` says neither that the gateway works nor that it does not: it was broken off, at whatever step,
 * or its website is the cause. A gateway is right to refuse the origin of a page on another host.
 */
const IS_INCONCLUSIVE = Prisma.raw(
  `(${stepFound(['interrupted', ...WEBSITE_FINDINGS])}
    OR ${stepFound(['page_other_host'])} AND ${stepFound(['origin_refused'])})`,
);

/** Tells that a probe `p` ended at a captcha that only visitors can solve: nothing after it was tested. */
const IS_PARTIAL = Prisma.raw(stepFound(['captcha_not_probed']));

/** Tells that a probe `p` has failed after the captcha. */
const FAILED_LATE = Prisma.raw(
  `jsonb_path_exists(p.steps, '$[*] ? ((@.name == "recorded" || @.name == "email") && @.ok == false)')`,
);

/** Hours in which a probe must have run to count. */
const RECENT_H = 26;

/**
 * Tells whether the latest conclusive probes of different websites have all failed at more than the page. Daily probes
 * are spread over the day, so the latest of each website would tell of an outage a day late.
 *
 * One that ended at a captcha which only visitors can solve has passed what it tested: beside it only failures after the
 * captcha count, and beside enough of these it has not passed. It takes no place among the latest.
 *
 * @returns null when none has passed, and too few have failed to tell.
 */
export async function areProbesFailing(db: Db, now: Date): Promise<boolean | null> {
  const [row] = await db.orm.$queryRaw<[{ hasPassed: boolean; isEnough: boolean }]>`
    WITH probed AS (
      SELECT w.id, w.team_id FROM websites w JOIN teams t ON t.id = w.team_id WHERE NOT w.disabled AND t.active
    ), of_team AS (
      SELECT count(*) AS websites FROM probed GROUP BY team_id
    ), fewest AS (
      SELECT greatest(1, least(${FEWEST_WEBSITES}::int, sum(websites))) AS websites,
             CASE WHEN 2 * max(websites) > sum(websites) THEN 1 ELSE ${FEWEST_TEAMS}::int END AS teams
        FROM of_team
    ), latest AS (
      SELECT DISTINCT ON (p.website_id) ${HAS_PASSED} AS ok, ${IS_PARTIAL} AS is_partial, ${FAILED_LATE} AS failed_late,
             p.started_at, probed.team_id
        FROM probes p JOIN probed ON probed.id = p.website_id
       WHERE p.started_at >= ${now}::timestamptz - make_interval(hours => ${RECENT_H}::int)
         AND p.ok IS NOT NULL AND ${HAS_ENDED} AND NOT ${IS_INCONCLUSIVE}
       ORDER BY p.website_id, p.started_at DESC, p.id DESC
    ), whole AS (
      SELECT * FROM latest WHERE NOT is_partial ORDER BY started_at DESC LIMIT ${LOOKED_AT}
    ), decisive AS (
      SELECT * FROM whole
       UNION ALL
      SELECT * FROM latest
       WHERE is_partial AND started_at > coalesce((SELECT min(started_at) FROM whole), '-infinity')
    ), found AS (
      SELECT bool_or(is_partial) AS partial,
             count(*) FILTER (WHERE failed_late) >= fewest.websites
               AND count(DISTINCT team_id) FILTER (WHERE failed_late) >= fewest.teams AS late_failures
        FROM decisive CROSS JOIN fewest GROUP BY fewest.websites, fewest.teams
    ), counted AS (
      SELECT team_id, ok AND NOT (is_partial AND late_failures) AS ok, NOT ok AND (failed_late OR NOT partial) AS failed
        FROM decisive CROSS JOIN found
    )
    SELECT coalesce(bool_or(ok), false) AS "hasPassed",
           count(*) FILTER (WHERE failed) >= (SELECT websites FROM fewest)
             AND count(DISTINCT team_id) FILTER (WHERE failed) >= (SELECT teams FROM fewest) AS "isEnough"
      FROM counted`;
  if (row.hasPassed) return false;
  return row.isEnough ? true : null;
}

/** Opens an alert. @returns whether it was not open before. */
export async function openAlert(tx: Transaction, name: string, since: Date): Promise<boolean> {
  const opened = await tx.$executeRaw`
    INSERT INTO open_alerts (name, opened_at) VALUES (${name}, ${since}) ON CONFLICT DO NOTHING`;
  return opened > 0;
}

/** Ends an alert. @returns since when it was open; null when it was not. */
export async function endAlert(tx: Transaction, name: string): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ openedAt: Date }[]>`
    DELETE FROM open_alerts WHERE name = ${name} RETURNING opened_at AS "openedAt"`;
  return row?.openedAt ?? null;
}
