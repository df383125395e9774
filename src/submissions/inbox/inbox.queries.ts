import type { Scope } from '../../auth/policy.js';
import { isLead } from '../../db/leads.queries.js';
import { Prisma, type SubmissionState } from '../../generated/prisma/client.js';
import { isUuid } from '../../lib/text/uuid.js';
import { searchQueryOf } from '../submit/search-words.js';
import type { InboxFilter } from './inbox-filter.schema.js';

/**
 * The keyset position of a submission in the inbox, newest first.
 *
 * The instant is text with six fraction digits, of which a `Date` would lose three.
 */
export type Position = Readonly<{ at: string; id: string }>;

export type Direction = 'forward' | 'backward';

const { sql, join, empty } = Prisma;

/** Compares a single value with `=`: PostgreSQL then knows the order of the index and how many rows to expect. */
const inList = (column: Prisma.Sql, values: readonly (string | number)[], type: string) =>
  values.length === 1
    ? sql`${column} = ${values[0]}::${Prisma.raw(type)}`
    : sql`${column} = ANY (${[...values]}::${Prisma.raw(type)}[])`;

/** Formats the instant of a row as in a `Position`. */
export const instantOf = (alias: string) =>
  Prisma.raw(`to_char(${alias}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);

/** Selects the position of a row as the columns of a `Position`. */
export const positionColumns = (alias: string) =>
  sql`${Prisma.raw(alias)}.id::text AS id, ${instantOf(alias)} AS at`;

export const inOrder = (direction: Direction, alias: string) =>
  Prisma.raw(
    direction === 'forward'
      ? `${alias}.created_at DESC, ${alias}.id DESC`
      : `${alias}.created_at ASC, ${alias}.id ASC`,
  );

/** Returns the condition for rows beyond a position in a direction; none without a position. */
function beyond(position: Position | null, direction: Direction): Prisma.Sql[] {
  if (!position) return [];
  const key = sql`(${position.at}::timestamptz, ${position.id}::uuid)`;
  return [direction === 'forward' ? sql`(s.created_at, s.id) < ${key}` : sql`(s.created_at, s.id) > ${key}`];
}

const withinPeriod = ({ from, to }: InboxFilter): Prisma.Sql[] => [
  ...(from ? [sql`s.created_at >= ${from}`] : []),
  ...(to ? [sql`s.created_at < ${to}`] : []),
];

/** Finds the words of a text, and by its reference, which an e-mail has, a lead itself. */
function textCondition(text: string): Prisma.Sql {
  const hasWords = sql`s.search_words @@ ${searchQueryOf(text)}::tsquery`;
  return isUuid(text.toLowerCase()) ? sql`(s.id = ${text}::uuid OR ${hasWords})` : hasWords;
}

const inStates = (states: readonly string[]) => sql`n.state = ANY (${[...states]}::notification_state[])`;

const notificationCondition = (states: readonly string[], alias: string) => sql`EXISTS (
  SELECT FROM notifications n WHERE n.submission_id = ${Prisma.raw(alias)}.id AND ${inStates(states)})`;

/** Tells whether a filter has costly conditions, which the ordered indexes cannot check. */
export const isCostly = ({ text, notificationStates }: InboxFilter): boolean =>
  text !== undefined || notificationStates !== undefined;

/**
 * Filters candidates, an ordered subquery, by the costly conditions and keeps their order.
 *
 * Each OFFSET is a fence for the planner, which estimates every text to be rare and would first collect all matches.
 */
export function matching(scope: Scope, filter: InboxFilter, candidates: Prisma.Sql): Prisma.Sql {
  const { text, notificationStates } = filter;
  const notified = notificationStates
    ? sql`SELECT c.created_at, c.id FROM (${candidates}) c
           WHERE ${notificationCondition(notificationStates, 'c')} OFFSET 0`
    : candidates;
  if (!text) return notified;
  // The candidates carry their texts in order, so no row has to be joined, and the scan ends at the limit.
  if (!notificationStates && !groupsOf(scope, filter)) {
    return sql`SELECT s.created_at, s.id FROM (${candidates}) s WHERE ${textCondition(text)}`;
  }
  return sql`SELECT c.created_at, c.id FROM (${notified}) c
              CROSS JOIN LATERAL (SELECT s.id, s.search_words FROM submissions s WHERE s.id = c.id OFFSET 0) s
              WHERE ${textCondition(text)}`;
}

/** Finds a person's submissions by the index of addresses first: they are few, wherever they are in the order. */
const ofPerson = (email: string) =>
  sql`s.id = ANY (ARRAY(SELECT id FROM submissions WHERE emails @> ${[email]}::text[]))`;

/** Returns the conditions of a filter without the costly ones and without the scope. They leave test leads out. */
function cheapConditions(filter: InboxFilter): Prisma.Sql[] {
  const { states, locale, needsReview, email } = filter;
  return [
    isLead('s'),
    ...(states ? [inList(sql`s.state`, states, 'submission_state')] : []),
    ...(locale ? [sql`s.locale = ${locale}`] : []),
    ...(needsReview === undefined ? [] : [needsReview ? sql`s.needs_review` : sql`NOT s.needs_review`]),
    ...(email ? [ofPerson(email)] : []),
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

/** Returns all conditions of a scope and a filter, for statements that need no order. */
export const everyCondition = (
  scope: Scope,
  filter: InboxFilter,
  position: Position | null,
  direction: Direction,
) =>
  where([
    ...scopeConditions(scope),
    ...cheapConditions(filter),
    ...(filter.text ? [textCondition(filter.text)] : []),
    ...(filter.notificationStates ? [notificationCondition(filter.notificationStates, 's')] : []),
    ...beyond(position, direction),
  ]);

export type Index = Readonly<{
  /** A subquery: the rows that the index finds. */
  known: Prisma.Sql;
  /** A subquery: the positions of the rows of `known` that match the whole filter. */
  fitting: Prisma.Sql;
}>;

/**
 * Returns the indexes through which a filter with costly conditions can be answered.
 *
 * One is an index of notifications that were not sent, the other the index of texts.
 */
export function indexesFor(
  scope: Scope,
  filter: InboxFilter,
  position: Position | null,
  direction: Direction,
): Index[] {
  const { text, notificationStates } = filter;
  const besides: InboxFilter = { ...filter, notificationStates: undefined };
  const indexes: Index[] = [];
  if (isUnsent(filter)) {
    const rest = everyCondition(scope, besides, position, direction);
    indexes.push({
      known: sql`SELECT n.submission_id AS id FROM notifications n WHERE ${inStates(notificationStates ?? [])}`,
      fitting: sql`SELECT s.created_at, s.id FROM known JOIN submissions s ON s.id = known.id ${rest}`,
    });
  }
  if (text) {
    const states = notificationStates ? [notificationCondition(notificationStates, 'known')] : [];
    indexes.push({
      known: sql`SELECT s.created_at, s.id FROM submissions s
                 ${everyCondition(scope, besides, position, direction)}`,
      fitting: sql`SELECT known.created_at, known.id FROM known ${where(states)}`,
    });
  }
  return indexes;
}

/**
 * Tells whether a filter selects only pending notifications, or none that is pending or sent: few, with an index each.
 */
export const isUnsent = ({ notificationStates: states }: InboxFilter): boolean =>
  states !== undefined &&
  (states.every((state) => state === 'pending') ||
    states.every((state) => state !== 'sent' && state !== 'pending'));

/**
 * Splits a scope into groups of submissions, each of which one index has in order.
 *
 * @returns the groups as a subquery, and the condition of their members; null when the whole scope is one group.
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

/** Returns the condition for submissions of a group that match the filter. A website or form implies its team. */
function membership(groups: Groups | null, scope: Scope, conditions: readonly Prisma.Sql[]): Prisma.Sql {
  const { websiteIds, formIds } = scope;
  const teamIds = websiteIds || formIds ? null : scope.teamIds;
  if (!groups) return where([...scopeConditions({ teamIds, websiteIds, formIds }), ...conditions]);
  const beside = websiteIds ? scopeConditions({ teamIds: null, websiteIds: null, formIds }) : [];
  return where([groups.isMember, ...beside, ...conditions]);
}

/**
 * Selects the next positions of the inbox in a direction, without the costly conditions: a merge of all groups.
 *
 * Where there are more groups than positions, only the groups that begin first are read beyond their first row. The
 * limit is a literal, so that PostgreSQL knows it even in a generic plan. A single group carries its texts along;
 * they are not read unless a condition uses them.
 */
export function nextPositions(
  scope: Scope,
  filter: InboxFilter,
  { position, direction, limit: most }: { position: Position | null; direction: Direction; limit: number },
): Prisma.Sql {
  const limit = Prisma.raw(String(most));
  const groups = groupsOf(scope, filter);
  const conditions = [...cheapConditions(filter), ...beyond(position, direction)];
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

/** Counts the submissions of a state up to a limit, without the costly conditions. */
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
