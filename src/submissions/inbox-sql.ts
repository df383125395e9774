import { Prisma, type SubmissionState } from '../generated/prisma/client.js';
import type { InboxFilter, Scope } from './inbox-filter.js';

/**
 * Where a submission stands in the inbox, newest first. The instant is text with six digits of a second, of
 * which a `Date` would lose three.
 */
export type Place = Readonly<{ at: string; id: string }>;

export type Direction = 'forward' | 'backward';

const { sql, join, empty } = Prisma;

const inList = (column: Prisma.Sql, values: readonly (string | number)[], type: string) =>
  sql`${column} = ANY (${[...values]}::${Prisma.raw(type)}[])`;

/** The instant of a row as a place has it. */
export const placeColumns = (alias: string) =>
  Prisma.raw(
    `${alias}.id::text AS id, to_char(${alias}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
  );

export const inOrder = (direction: Direction, alias: string) =>
  Prisma.raw(
    direction === 'forward'
      ? `${alias}.created_at DESC, ${alias}.id DESC`
      : `${alias}.created_at ASC, ${alias}.id ASC`,
  );

/** What lies beyond a place in a direction; everything when there is no place. */
function beyond(place: Place | null, direction: Direction): Prisma.Sql[] {
  if (!place) return [];
  const key = sql`(${place.at}::timestamptz, ${place.id}::uuid)`;
  return [direction === 'forward' ? sql`(s.created_at, s.id) < ${key}` : sql`(s.created_at, s.id) > ${key}`];
}

const withinPeriod = ({ from, to }: InboxFilter): Prisma.Sql[] => [
  ...(from ? [sql`s.created_at >= ${from}`] : []),
  ...(to ? [sql`s.created_at < ${to}`] : []),
];

/** A text as a pattern that looks for it anywhere. */
const likePattern = (text: string) => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

const textCondition = (text: string) => sql`s.search_text LIKE ${likePattern(text)}`;

const notificationCondition = (states: readonly string[]) => sql`EXISTS (
  SELECT FROM notifications n
   WHERE n.submission_id = s.id AND n.state = ANY (${[...states]}::notification_state[]))`;

/** The conditions that take more than the entry of an index to check. */
export const costlyConditions = ({ text, notificationStates }: InboxFilter): Prisma.Sql[] => [
  ...(text ? [textCondition(text)] : []),
  ...(notificationStates ? [notificationCondition(notificationStates)] : []),
];

/** All but the costly ones, and but for whose submissions they are. */
function cheapConditions(filter: InboxFilter): Prisma.Sql[] {
  const { states, locale, needsReview } = filter;
  return [
    ...(states ? [inList(sql`s.state`, states, 'submission_state')] : []),
    ...(locale ? [sql`s.locale = ${locale}`] : []),
    ...(needsReview === undefined ? [] : [needsReview ? sql`s.needs_review` : sql`NOT s.needs_review`]),
    ...withinPeriod(filter),
  ];
}

const scopeConditions = ({ teamIds, websiteIds, formIds }: Scope): Prisma.Sql[] => [
  ...(teamIds ? [inList(sql`s.team_id`, teamIds, 'int')] : []),
  ...(websiteIds ? [inList(sql`s.website_id`, websiteIds, 'uuid')] : []),
  ...(formIds ? [inList(sql`s.form_id`, formIds, 'int')] : []),
];

const where = (conditions: readonly Prisma.Sql[]) =>
  conditions.length > 0 ? sql`WHERE ${join([...conditions], ' AND ')}` : empty;

/** Everything that a filter says, for what needs no order. */
export const everyCondition = (
  scope: Scope,
  filter: InboxFilter,
  place: Place | null,
  direction: Direction,
) =>
  where([
    ...scopeConditions(scope),
    ...cheapConditions(filter),
    ...costlyConditions(filter),
    ...beyond(place, direction),
  ]);

/**
 * Groups of submissions of which each is in order in one index, as rows of SQL, and what makes a submission one
 * of a group. Null: all submissions are one group.
 */
function groupsOf(scope: Scope, filter: InboxFilter): { rows: Prisma.Sql; isMember: Prisma.Sql } | null {
  const { teamIds, websiteIds, formIds } = scope;
  if (websiteIds) {
    return {
      rows: sql`SELECT unnest(${[...websiteIds]}::uuid[]) AS website_id`,
      isMember: sql`s.website_id = g.website_id`,
    };
  }
  if (formIds) {
    return {
      rows: sql`SELECT unnest(${[...formIds]}::int[]) AS form_id`,
      isMember: sql`s.form_id = g.form_id`,
    };
  }
  const teams = teamIds
    ? sql`SELECT unnest(${[...teamIds]}::int[]) AS team_id`
    : sql`SELECT id AS team_id FROM teams`;
  if (filter.states && !filter.needsReview && !filter.locale) {
    const states = [...new Set<SubmissionState>(filter.states)];
    return {
      rows: sql`SELECT team_id, state FROM (${teams}) t CROSS JOIN unnest(${states}::submission_state[]) AS state`,
      isMember: sql`s.team_id = g.team_id AND s.state = g.state`,
    };
  }
  const isNarrow = filter.needsReview === true || filter.locale !== undefined;
  if (!teamIds && !isNarrow) return null;
  return { rows: teams, isMember: sql`s.team_id = g.team_id` };
}

type Groups = NonNullable<ReturnType<typeof groupsOf>>;

/** What makes a submission one of a group and of the filter. A website or a form stands for its team. */
function membership({ isMember }: Groups, scope: Scope, conditions: readonly Prisma.Sql[]): Prisma.Sql {
  const beside = scope.websiteIds ? { teamIds: null, websiteIds: null, formIds: scope.formIds } : null;
  return where([isMember, ...(beside ? scopeConditions(beside) : []), ...conditions]);
}

/**
 * The next places of the inbox in a direction, costly conditions left aside: the first of each group, merged.
 * Where there are more groups than places, only the groups that begin first are read beyond their first place.
 */
export function nextPlaces(
  scope: Scope,
  filter: InboxFilter,
  { place, direction, limit }: { place: Place | null; direction: Direction; limit: number },
): Prisma.Sql {
  const groups = groupsOf(scope, filter);
  const conditions = [...cheapConditions(filter), ...beyond(place, direction)];
  if (!groups) {
    return sql`SELECT s.created_at, s.id FROM submissions s ${where(conditions)}
                ORDER BY ${inOrder(direction, 's')} LIMIT ${limit}`;
  }
  const members = membership(groups, scope, conditions);
  const order = inOrder(direction, 's');
  return sql`
    SELECT page.created_at, page.id
      FROM (SELECT g.*
              FROM (${groups.rows}) g
              CROSS JOIN LATERAL (SELECT s.created_at, s.id FROM submissions s ${members}
                                   ORDER BY ${order} LIMIT 1) head
             ORDER BY ${inOrder(direction, 'head')} LIMIT ${limit}) g
      CROSS JOIN LATERAL (SELECT s.created_at, s.id FROM submissions s ${members}
                           ORDER BY ${order} LIMIT ${limit}) page
     ORDER BY ${inOrder(direction, 'page')} LIMIT ${limit}`;
}

/** Counts up to a limit how many submissions of a state there are, costly conditions left aside. */
export function countOf(
  scope: Scope,
  filter: InboxFilter,
  state: SubmissionState,
  limit: number,
): Prisma.Sql {
  const narrowed: InboxFilter = { ...filter, states: [state] };
  const groups = groupsOf(scope, narrowed);
  const counted = groups
    ? sql`SELECT FROM (${groups.rows}) g CROSS JOIN LATERAL (
            SELECT FROM submissions s ${membership(groups, scope, cheapConditions(narrowed))} LIMIT ${limit}) s`
    : sql`SELECT FROM submissions s ${where(cheapConditions(narrowed))}`;
  return sql`SELECT ${state}::text AS state, count(*)::int AS count FROM (${counted} LIMIT ${limit}) counted`;
}
