import { Prisma, type SubmissionState } from '../../generated/prisma/client.js';
import { searchQueryOf } from '../submit/search-words.js';
import type { InboxFilter, Scope } from './inbox-filter.schema.js';

/**
 * Where a submission stands in the inbox, newest first. The instant is text with six digits of a second, of
 * which a `Date` would lose three.
 */
export type Place = Readonly<{ at: string; id: string }>;

export type Direction = 'forward' | 'backward';

const { sql, join, empty } = Prisma;

/** One value is not told as a list: PostgreSQL then knows that an index has its rows in order, and how many to expect. */
const inList = (column: Prisma.Sql, values: readonly (string | number)[], type: string) =>
  values.length === 1
    ? sql`${column} = ${values[0]}::${Prisma.raw(type)}`
    : sql`${column} = ANY (${[...values]}::${Prisma.raw(type)}[])`;

/** The instant of a row as a place has it. */
export const instantOf = (alias: string) =>
  Prisma.raw(`to_char(${alias}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);

/** Where a row stands, as the columns of a `Place`. */
export const placeColumns = (alias: string) =>
  sql`${Prisma.raw(alias)}.id::text AS id, ${instantOf(alias)} AS at`;

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

const textCondition = (text: string) => sql`s.search_words @@ ${searchQueryOf(text)}::tsquery`;

const inStates = (states: readonly string[]) => sql`n.state = ANY (${[...states]}::notification_state[])`;

const notificationCondition = (states: readonly string[], alias: string) => sql`EXISTS (
  SELECT FROM notifications n WHERE n.submission_id = ${Prisma.raw(alias)}.id AND ${inStates(states)})`;

/** Whether a filter has conditions that take more than the entry of an index to check. */
export const isCostly = ({ text, notificationStates }: InboxFilter): boolean =>
  text !== undefined || notificationStates !== undefined;

/**
 * What of candidates, rows of SQL in order, meets the costly conditions, in the same order. Each OFFSET keeps the
 * planner from starting at the other end: it guesses every text to be rare, and would gather all that have it.
 */
export function meeting(scope: Scope, filter: InboxFilter, candidates: Prisma.Sql): Prisma.Sql {
  const { text, notificationStates } = filter;
  const notified = notificationStates
    ? sql`SELECT c.created_at, c.id FROM (${candidates}) c
           WHERE ${notificationCondition(notificationStates, 'c')} OFFSET 0`
    : candidates;
  if (!text) return notified;
  // They come in order with their texts, so none has to be looked up, and the look ends with the last that is wanted.
  if (!notificationStates && !groupsOf(scope, filter)) {
    return sql`SELECT s.created_at, s.id FROM (${candidates}) s WHERE ${textCondition(text)}`;
  }
  return sql`SELECT c.created_at, c.id FROM (${notified}) c
              CROSS JOIN LATERAL (SELECT s.search_words FROM submissions s WHERE s.id = c.id OFFSET 0) s
              WHERE ${textCondition(text)}`;
}

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
    ...(filter.text ? [textCondition(filter.text)] : []),
    ...(filter.notificationStates ? [notificationCondition(filter.notificationStates, 's')] : []),
    ...beyond(place, direction),
  ]);

type Index = Readonly<{
  /** Rows of SQL: what the index finds. */
  known: Prisma.Sql;
  /** Rows of SQL: the places of what of `known` fits the whole filter. */
  fitting: Prisma.Sql;
}>;

/**
 * The ways to what a filter with costly conditions finds that begin with an index: that of the notifications which
 * were not sent, and that of texts.
 */
export function indexesFor(
  scope: Scope,
  filter: InboxFilter,
  place: Place | null,
  direction: Direction,
): Index[] {
  const { text, notificationStates } = filter;
  const besides: InboxFilter = { ...filter, notificationStates: undefined };
  const indexes: Index[] = [];
  if (isUnsent(filter)) {
    const rest = everyCondition(scope, besides, place, direction);
    indexes.push({
      known: sql`SELECT n.submission_id AS id FROM notifications n WHERE ${inStates(notificationStates ?? [])}`,
      fitting: sql`SELECT s.created_at, s.id FROM known JOIN submissions s ON s.id = known.id ${rest}`,
    });
  }
  if (text) {
    const states = notificationStates ? [notificationCondition(notificationStates, 'known')] : [];
    indexes.push({
      known: sql`SELECT s.created_at, s.id FROM submissions s
                 ${everyCondition(scope, besides, place, direction)}`,
      fitting: sql`SELECT known.created_at, known.id FROM known ${where(states)}`,
    });
  }
  return indexes;
}

/** Whether a filter asks for e-mails that were neither sent nor are about to be, which are few and have an index. */
export const isUnsent = ({ notificationStates }: InboxFilter): boolean =>
  notificationStates?.every((state) => state !== 'sent' && state !== 'pending') ?? false;

/**
 * Groups of submissions of which each is in order in one index, as rows of SQL, and what makes a submission one
 * of a group. Null: all that are in scope are one group.
 */
function groupsOf(scope: Scope, filter: InboxFilter): { rows: Prisma.Sql; isMember: Prisma.Sql } | null {
  const { teamIds, websiteIds, formIds } = scope;
  if (websiteIds) {
    if (websiteIds.length === 1) return null;
    return {
      rows: sql`SELECT unnest(${[...websiteIds]}::uuid[]) AS website_id`,
      isMember: sql`s.website_id = g.website_id`,
    };
  }
  if (formIds) {
    if (formIds.length === 1) return null;
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
  if (teamIds ? teamIds.length === 1 : !isNarrow) return null;
  return { rows: teams, isMember: sql`s.team_id = g.team_id` };
}

type Groups = NonNullable<ReturnType<typeof groupsOf>>;

/** What makes a submission one of a group and of the filter. A website or a form stands for its team. */
function membership(groups: Groups | null, scope: Scope, conditions: readonly Prisma.Sql[]): Prisma.Sql {
  const { websiteIds, formIds } = scope;
  const teamIds = websiteIds || formIds ? null : scope.teamIds;
  if (!groups) return where([...scopeConditions({ teamIds, websiteIds, formIds }), ...conditions]);
  const beside = websiteIds ? scopeConditions({ teamIds: null, websiteIds: null, formIds }) : [];
  return where([groups.isMember, ...beside, ...conditions]);
}

/**
 * The next places of the inbox in a direction, costly conditions left aside: the first of each group, merged.
 * Where there are more groups than places, only the groups that begin first are read beyond their first place. How
 * many is part of the text, so that PostgreSQL knows it even when it plans for any parameters. One group alone has
 * its texts along, which are not read where nobody looks at them.
 */
export function nextPlaces(
  scope: Scope,
  filter: InboxFilter,
  { place, direction, limit: most }: { place: Place | null; direction: Direction; limit: number },
): Prisma.Sql {
  const limit = Prisma.raw(String(most));
  const groups = groupsOf(scope, filter);
  const conditions = [...cheapConditions(filter), ...beyond(place, direction)];
  const members = membership(groups, scope, conditions);
  const order = inOrder(direction, 's');
  if (!groups) {
    return sql`SELECT s.created_at, s.id, s.search_words FROM submissions s ${members}
                ORDER BY ${order} LIMIT ${limit}`;
  }
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
    : sql`SELECT FROM submissions s ${membership(null, scope, cheapConditions(narrowed))}`;
  return sql`SELECT ${state}::text AS state, count(*)::int AS count FROM (${counted} LIMIT ${limit}) counted`;
}
