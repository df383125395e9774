import { notFound } from '../errors.js';
import { Prisma, type Submission, SubmissionState } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';
import { requireRight, type Viewer } from '../viewer.js';
import { type InboxFilter, type Scope, scopeOf } from './inbox-filter.js';
import {
  costlyConditions,
  countOf,
  type Direction,
  everyCondition,
  inOrder,
  nextPlaces,
  type Place,
  placeColumns,
} from './inbox-sql.js';

const { join } = Prisma;

/** So many submissions in order are looked through for a text before the index of texts is asked. */
const FIRST_WINDOW = 4_000;

/** What the index of texts may find before looking through in order is the better way after all. */
const MAX_FOUND = 10_000;

/** Longer windows for what is frequent, but not among the first. */
const LATER_WINDOW = 25_000;

/** Counts of a state are exact up to here. */
const COUNTED_EXACTLY = 10_000;

/** Where rows themselves have to be looked at, so many are counted in all. */
const COUNTED_ROWS = 5_000;

/** A row of the inbox: everything of a submission but what only the search looks into. */
const LISTED = { searchText: true } as const satisfies Prisma.SubmissionOmit;

export type ListedSubmission = Omit<Submission, 'searchText'>;

/** A submission with its place in the inbox. */
export type Placed = Readonly<{ submission: ListedSubmission; place: Place }>;

/** A part of the inbox, looked through in order. */
export type Window = Readonly<{
  found: readonly Place[];
  /** Where the window ends; null: nothing lies beyond. */
  end: Place | null;
}>;

/** So many; at least so many when it is not exact. */
export type Count = Readonly<{ count: number; isExact: boolean }>;

/** Of each state that a filter asks for. */
export type Counts = ReadonlyMap<SubmissionState, Count>;

export type Inbox = ReturnType<typeof createInbox>;

type Ask = Readonly<{ place: Place | null; direction: Direction; limit: number }>;

/** The submissions that a viewer sees. */
export function createInbox({ db }: { db: Database }) {
  /** Looks through the next so many submissions in order, and stops when it has found enough. */
  async function lookThrough(
    scope: Scope,
    filter: InboxFilter,
    { place, direction, limit }: Ask,
    length: number,
  ): Promise<Window> {
    const costly = costlyConditions(filter);
    if (costly.length === 0) {
      const found = await db.$queryRaw<Place[]>`
        SELECT ${placeColumns('s')} FROM (${nextPlaces(scope, filter, { place, direction, limit })}) s`;
      return { found, end: found.length < limit ? null : found.at(-1)! };
    }
    const rows = await db.$queryRaw<(Place & { isEnd: boolean })[]>`
      WITH candidates AS MATERIALIZED (${nextPlaces(scope, filter, { place, direction, limit: length })}),
      found AS (
        SELECT c.created_at, c.id FROM candidates c JOIN submissions s ON s.id = c.id
         WHERE ${join(costly, ' AND ')}
         ORDER BY ${inOrder(direction, 'c')} LIMIT ${limit}
      )
      SELECT ${placeColumns('f')}, false AS "isEnd" FROM found f
      UNION ALL
      (SELECT ${placeColumns('c')}, true FROM candidates c
        ORDER BY ${inOrder(direction, 'c')} OFFSET ${length - 1} LIMIT 1)`;
    const found = rows.filter(({ isEnd }) => !isEnd);
    return { found, end: rows.find(({ isEnd }) => isEnd) ?? null };
  }

  /** Everything that an index of costly conditions finds, sorted afterwards; null when that is too much. */
  async function lookUp(scope: Scope, filter: InboxFilter, ask: Ask): Promise<readonly Place[] | null> {
    const { place, direction, limit } = ask;
    const rows = await db.$queryRaw<(Place & { all: number })[]>`
      WITH found AS MATERIALIZED (
        SELECT s.created_at, s.id FROM submissions s ${everyCondition(scope, filter, place, direction)}
         LIMIT ${MAX_FOUND + 1}
      )
      SELECT ${placeColumns('f')}, (SELECT count(*)::int FROM found) AS all FROM found f
       ORDER BY ${inOrder(direction, 'f')} LIMIT ${limit}`;
    return (rows[0]?.all ?? 0) > MAX_FOUND ? null : rows;
  }

  /**
   * The next places of the inbox. What is frequent is among the first that are looked through; what is rare the
   * indexes know; what is frequent only further on is looked for window by window.
   */
  async function nextOf(scope: Scope, filter: InboxFilter, ask: Ask): Promise<readonly Place[]> {
    const first = await lookThrough(scope, filter, ask, FIRST_WINDOW);
    if (first.found.length >= ask.limit || !first.end || costlyConditions(filter).length === 0) {
      return first.found;
    }
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

  /** The submissions at places, in their order; one that has been deleted meanwhile is left out. */
  async function read(places: readonly Place[]): Promise<Placed[]> {
    // Prisma would keep a plan for each list of ids.
    const rows = await db.$queryRaw<ListedSubmission[]>`
      SELECT id::text AS id, team_id AS "teamId", website_id::text AS "websiteId", form_id AS "formId",
             form_version AS "formVersion", locale, state::text AS state, state_changed_at AS "stateChangedAt",
             state_changed_by_id AS "stateChangedById", "values", undeclared, consents, page_url AS "pageUrl",
             page_title AS "pageTitle", page_locale AS "pageLocale", attribution, captcha_key AS "captchaKey",
             captcha_ground::text AS "captchaGround", needs_review AS "needsReview", token_id AS "tokenId", emails,
             created_at AS "createdAt"
        FROM submissions WHERE id = ANY (${places.map(({ id }) => id)}::uuid[])`;
    const byId = new Map(rows.map((row) => [row.id, row]));
    return places.flatMap((place) => {
      const submission = byId.get(place.id);
      return submission ? [{ submission, place }] : [];
    });
  }

  /** The states of the first so many that a filter finds; they are exact, all or none. */
  async function countRows(scope: Scope, filter: InboxFilter): Promise<Counts> {
    const rows = await db.$queryRaw<{ state: SubmissionState; count: number }[]>`
      WITH found AS MATERIALIZED (
        SELECT s.state FROM submissions s ${everyCondition(scope, filter, null, 'forward')}
         LIMIT ${COUNTED_ROWS + 1}
      )
      SELECT state::text AS state, count(*)::int AS count FROM found GROUP BY state`;
    const all = rows.reduce((sum, { count }) => sum + count, 0);
    return new Map(rows.map(({ state, count }) => [state, { count, isExact: all <= COUNTED_ROWS }]));
  }

  async function countIndexed(
    scope: Scope,
    filter: InboxFilter,
    states: readonly SubmissionState[],
  ): Promise<Counts> {
    const each = states.map((state) => countOf(scope, filter, state, COUNTED_EXACTLY + 1));
    const rows = await db.$queryRaw<{ state: SubmissionState; count: number }[]>(join(each, ' UNION ALL '));
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
    const needsRows = costlyConditions(filter).length > 0 || filter.needsReview === false;
    const counts = needsRows ? await countRows(scope, filter) : await countIndexed(scope, filter, states);
    const isExact = [...counts.values()].every((count) => count.isExact);
    return new Map(states.map((state) => [state, counts.get(state) ?? { count: 0, isExact }]));
  }

  return {
    /** What a filter comes to for a viewer. @throws 404 for a team that is not the viewer's. */
    scope: (viewer: Viewer, filter: InboxFilter): Promise<Scope> => scopeOf(db, viewer, filter),

    /** The next submissions of the inbox from a place on, in the order of the direction. */
    async page(scope: Scope, filter: InboxFilter, ask: Ask): Promise<Placed[]> {
      return read(await nextOf(scope, filter, ask));
    },

    /**
     * A stretch of the inbox for whoever goes through all of it: however rare what is looked for, each
     * takes about the same time.
     */
    stretch(
      scope: Scope,
      filter: InboxFilter,
      { place, limit }: { place: Place | null; limit: number },
    ): Promise<Window> {
      return lookThrough(scope, filter, { place, direction: 'forward', limit }, limit);
    },

    /** How many submissions are in each of the states that a filter asks for. */
    counts: countByState,

    /** One submission. @throws 404 when there is none, or it is another team's. */
    async find(viewer: Viewer, id: string): Promise<ListedSubmission> {
      const row = await db.submission.findUnique({ where: { id }, omit: LISTED });
      return requireRight(viewer, row, 'read', 'Submission');
    },

    /** The teams of submissions. @throws 404 when one is not there or another team's, 403 for too low a role. */
    async requireManaged(viewer: Viewer, ids: readonly string[]): Promise<void> {
      const rows = await db.submission.findMany({
        where: { id: { in: [...ids] } },
        select: { id: true, teamId: true },
      });
      if (rows.length < new Set(ids).size) throw notFound('Submission not found.');
      for (const row of rows) requireRight(viewer, row, 'read', 'Submission');
      for (const row of rows) requireRight(viewer, row, 'manage', 'Submission');
    },
  };
}
