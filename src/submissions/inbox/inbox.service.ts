import { requireRight, type Viewer } from '../../auth/viewer.js';
import type { Db } from '../../db/client.js';
import { DEFAULT_PAGE } from '../../db/paging.js';
import { notFound } from '../../errors.js';
import { Prisma, SubmissionState } from '../../generated/prisma/client.js';
import {
  countOf,
  type Direction,
  everyCondition,
  indexesFor,
  inOrder,
  instantOf,
  isCostly,
  isUnsent,
  meeting,
  nextPlaces,
  type Place,
  placeColumns,
} from './inbox.queries.js';
import { type InboxFilter, type Scope, scopeOf } from './inbox-filter.schema.js';
import { LISTED_JSON, type ListedSubmission, readListed } from './listed-submission.js';

const { join } = Prisma;

/** Submissions that a text search scans in order before it uses the text index. */
const FIRST_WINDOW = 4_000;

/** Maximum number of matches in an index; beyond it, a scan in order is faster after all. */
const MAX_FOUND = 10_000;

/** Submissions that each later scan covers, for matches that are frequent but not among the first. */
const LATER_WINDOW = 25_000;

/** A page of the default length, and one row more, which tells whether there is a next page. */
const USUAL_LIMIT = DEFAULT_PAGE + 1;

/** Counts of a state are exact up to this number. */
const COUNTED_EXACTLY = 10_000;

/** Maximum number of rows counted in all where the count has to read the rows themselves. */
const COUNTED_ROWS = 5_000;

/** A submission with its position in the inbox, still to be parsed with `readListed`. */
export type Placed = Place & Readonly<{ formId: number; json: string }>;

/** A part of the inbox that was scanned in order, with its matches. */
export type Window = Readonly<{
  found: readonly Place[];
  /** The position at which the window ends; null: nothing lies beyond. */
  end: Place | null;
}>;

/** A count; a lower bound when it is not exact. */
export type Count = Readonly<{ count: number; isExact: boolean }>;

/** The count of each state that a filter includes. */
export type Counts = ReadonlyMap<SubmissionState, Count>;

const idsAsRows = (ids: readonly string[]) => Prisma.sql`SELECT unnest(${[...ids]}::uuid[]) AS id`;

export type Inbox = ReturnType<typeof createInbox>;

type Ask = Readonly<{ place: Place | null; direction: Direction; limit: number }>;

/**
 * Returns the name under which a page's statement is prepared; undefined when it is not.
 *
 * Only pages of the default length are prepared, of everything that one team has or there is: the inbox opens with
 * them, and planning them takes as long as running them. There are eight such statements, and too many others.
 */
function preparedName({ teamIds }: Scope, filter: InboxFilter, ask: Ask): string | undefined {
  const { teamId: _, ...narrower } = filter;
  const isPlain = Object.values(narrower).every((value) => value === undefined);
  if (!isPlain || ask.limit !== USUAL_LIMIT || (teamIds && teamIds.length !== 1)) return undefined;
  return `inbox-${teamIds ? 'team' : 'all'}-${ask.direction}-${ask.place ? 'on' : 'first'}`;
}

/** Reads the submissions that a viewer may see. */
export function createInbox({ db }: { db: Db }) {
  /** Scans the next `length` submissions in order, and stops at the limit of matches. */
  async function lookThrough(
    scope: Scope,
    filter: InboxFilter,
    { place, direction, limit }: Ask,
    length: number,
  ): Promise<Window> {
    if (!isCostly(filter)) {
      const found = await db.sql<Place>(Prisma.sql`
        SELECT ${placeColumns('s')} FROM (${nextPlaces(scope, filter, { place, direction, limit })}) s`);
      return { found, end: found.length < limit ? null : found.at(-1)! };
    }
    const candidates = nextPlaces(scope, filter, { place, direction, limit: length });
    // Only the last row gets the columns of a position: for every scanned row they would double the time.
    const rows = await db.sql<Place & { isEnd: boolean }>(Prisma.sql`
      (SELECT ${placeColumns('c')}, false AS "isEnd" FROM (${meeting(scope, filter, candidates)}) c
        ORDER BY ${inOrder(direction, 'c')} LIMIT ${limit})
      UNION ALL
      (SELECT ${placeColumns('last')}, true
         FROM (SELECT c.created_at, c.id FROM (${candidates}) c
                ORDER BY ${inOrder(direction, 'c')} OFFSET ${length - 1} LIMIT 1) last)`);
    const found = rows.filter(({ isEnd }) => !isEnd);
    return { found, end: rows.find(({ isEnd }) => isEnd) ?? null };
  }

  /** Finds matches through an index of a costly condition, sorted; null when every index has too many. */
  async function lookUp(
    scope: Scope,
    filter: InboxFilter,
    { place, direction, limit }: Ask,
  ): Promise<readonly Place[] | null> {
    for (const { known, fitting } of indexesFor(scope, filter, place, direction)) {
      const [answer] = await db.sql<{ total: number; places: Place[] }>(Prisma.sql`
        WITH known AS MATERIALIZED (${known} LIMIT ${MAX_FOUND + 1}),
        counted AS MATERIALIZED (SELECT count(*)::int AS total FROM known)
        SELECT total, ARRAY(
          SELECT jsonb_build_object('id', f.id, 'at', ${instantOf('f')}) FROM (${fitting}) f
           WHERE (SELECT total FROM counted) <= ${MAX_FOUND}
           ORDER BY ${inOrder(direction, 'f')} LIMIT ${limit}) AS places FROM counted`);
      if (answer!.total <= MAX_FOUND) return answer!.places;
    }
    return null;
  }

  /**
   * Finds the next positions of the inbox for a filter with costly conditions.
   *
   * Frequent matches are in the first window; the indexes find rare ones; a scan window by window finds those that
   * are frequent only further on.
   */
  async function nextOf(scope: Scope, filter: InboxFilter, ask: Ask): Promise<readonly Place[]> {
    const first = await lookThrough(scope, filter, ask, isUnsent(filter) ? LATER_WINDOW : FIRST_WINDOW);
    if (first.found.length >= ask.limit || !first.end) return first.found;
    const known = await lookUp(scope, filter, ask);
    if (known) return known;
    const found = [...first.found];
    let end: Place | null = first.end;
    while (end && found.length < ask.limit) {
      const rest = { ...ask, place: end, limit: ask.limit - found.length };
      const window: Window = await lookThrough(scope, filter, rest, LATER_WINDOW);
      found.push(...window.found);
      end = window.end;
    }
    return found;
  }

  /**
   * Reads the submissions at positions, given as a subquery, without those deleted meanwhile.
   *
   * One statement reads their notifications too, so that no rows wait in memory for another one.
   */
  function read(places: Prisma.Sql, direction: Direction, name?: string): Promise<Placed[]> {
    return db.sql<Placed>(
      Prisma.sql`
      SELECT ${placeColumns('s')}, s.form_id AS "formId", ${LISTED_JSON} AS json
        FROM (${places}) place JOIN submissions s ON s.id = place.id
        LEFT JOIN notifications n ON n.submission_id = s.id
       ORDER BY ${inOrder(direction, 's')}`,
      name,
    );
  }

  /** Counts the first `COUNTED_ROWS` matches by state; either all counts are exact or none is. */
  async function countRows(scope: Scope, filter: InboxFilter): Promise<Counts> {
    const rows = await db.sql<{ state: SubmissionState; count: number }>(Prisma.sql`
      WITH found AS MATERIALIZED (
        SELECT s.state FROM submissions s ${everyCondition(scope, filter, null, 'forward')}
         LIMIT ${COUNTED_ROWS + 1}
      )
      SELECT state::text AS state, count(*)::int AS count FROM found GROUP BY state`);
    const all = rows.reduce((sum, { count }) => sum + count, 0);
    return new Map(rows.map(({ state, count }) => [state, { count, isExact: all <= COUNTED_ROWS }]));
  }

  async function countIndexed(
    scope: Scope,
    filter: InboxFilter,
    states: readonly SubmissionState[],
  ): Promise<Counts> {
    const each = states.map((state) => countOf(scope, filter, state, COUNTED_EXACTLY + 1));
    const rows = await db.sql<{ state: SubmissionState; count: number }>(join(each, ' UNION ALL '));
    return new Map(
      rows.map(({ state, count }) => [
        state,
        { count: Math.min(count, COUNTED_EXACTLY), isExact: count <= COUNTED_EXACTLY },
      ]),
    );
  }

  async function countByState(scope: Scope, filter: InboxFilter): Promise<Counts> {
    const states = [...new Set(filter.states ?? Object.values(SubmissionState))];
    if (states.length === 0) return new Map();
    const needsRows = isCostly(filter) || filter.needsReview === false;
    const counts = needsRows ? await countRows(scope, filter) : await countIndexed(scope, filter, states);
    const isExact = [...counts.values()].every((count) => count.isExact);
    return new Map(states.map((state) => [state, counts.get(state) ?? { count: 0, isExact }]));
  }

  return {
    /** Resolves a filter to the scope that a viewer may see. @throws 404 for a team that is not the viewer's. */
    scope: (viewer: Viewer, filter: InboxFilter): Promise<Scope> => scopeOf(db, viewer, filter),

    /** Reads the next submissions of the inbox after a position, in the order of the direction. */
    async page(scope: Scope, filter: InboxFilter, ask: Ask): Promise<Placed[]> {
      if (!isCostly(filter)) {
        return read(nextPlaces(scope, filter, ask), ask.direction, preparedName(scope, filter, ask));
      }
      const places = await nextOf(scope, filter, ask);
      return read(idsAsRows(places.map(({ id }) => id)), ask.direction);
    },

    /**
     * Scans a stretch of the inbox, for an export that reads all of it.
     *
     * Each stretch takes about the same time, however rare the matches are.
     */
    stretch(
      scope: Scope,
      filter: InboxFilter,
      { place, limit }: { place: Place | null; limit: number },
    ): Promise<Window> {
      return lookThrough(scope, filter, { place, direction: 'forward', limit }, limit);
    },

    /** Counts the submissions in each state that a filter includes. */
    counts: countByState,

    /** Reads one submission. @throws 404 when there is none, or it is another team's. */
    async find(viewer: Viewer, id: string): Promise<ListedSubmission> {
      const [found] = await read(idsAsRows([id]), 'forward');
      return requireRight(viewer, found ? readListed(found.json) : null, 'read', 'Submission');
    },

    /** Requires the right to manage submissions. @throws 404 when one is missing or another team's, 403 by role. */
    async requireManaged(viewer: Viewer, ids: readonly string[]): Promise<void> {
      const rows = await db.orm.submission.findMany({
        where: { id: { in: [...ids] } },
        select: { id: true, teamId: true },
      });
      if (rows.length < new Set(ids).size) throw notFound('Submission not found.');
      for (const row of rows) requireRight(viewer, row, 'read', 'Submission');
      for (const row of rows) requireRight(viewer, row, 'manage', 'Submission');
    },
  };
}
