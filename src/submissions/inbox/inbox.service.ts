import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { DEFAULT_PAGE } from '../../db/paging.js';
import { type NotificationState, SubmissionState } from '../../generated/prisma/client.js';
import { indexesFor, isCostly, isUnsent, nextPositions, type Position } from './inbox.queries.js';
import type { InboxFilter } from './inbox-filter.schema.js';
import {
  countMatches,
  countStates,
  countUnsent,
  idsAsRows,
  type PageRequest,
  type PositionedSubmission,
  readMatches,
  readPositions,
  readSubmissions,
  scanWindow,
} from './inbox-reads.queries.js';
import { type ListedSubmission, readListed } from './listed-submission.js';

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

/** Of each state the latest e-mails that a count of those not sent looks through. */
const UNSENT_SEEN = 5_000;

/** Maximum count of the submissions that have come since a page was read. */
const COUNTED_NEWER = 100;

/** A part of the inbox that was scanned in order, with its matches. */
export type Window = Readonly<{
  found: readonly Position[];
  /** The position at which the window ends; null: nothing lies beyond. */
  end: Position | null;
}>;

/** A page of the inbox. */
type InboxPage = Readonly<{
  positions: readonly Position[];
  /** The submissions at the positions, without those deleted meanwhile. */
  submissions: readonly PositionedSubmission[];
}>;

/** A count; a lower bound when it is not exact. */
export type Count = Readonly<{ count: number; isExact: boolean }>;

/** States of notifications that no recipient got, which have an index. */
export const UNSENT_STATES = ['failed', 'skipped_quota', 'no_recipient', 'bounced'] as const;

/** The count of each state that a filter includes. */
export type Counts = ReadonlyMap<SubmissionState, Count>;

export type Inbox = ReturnType<typeof createInbox>;

/**
 * Returns the name under which a page's statement is prepared; undefined when it is not.
 *
 * Only pages of the default length are prepared, of everything that one team has or there is: the inbox opens with
 * them, and planning them takes as long as running them. There are eight such statements, and too many others.
 */
function preparedName({ teamIds }: Scope, filter: InboxFilter, request: PageRequest): string | undefined {
  const { teamId: _, ...narrower } = filter;
  const isPlain = Object.values(narrower).every((value) => value === undefined);
  if (!isPlain || request.limit !== USUAL_LIMIT || (teamIds && teamIds.length !== 1)) return undefined;
  return `inbox-${teamIds ? 'team' : 'all'}-${request.direction}-${request.position ? 'on' : 'first'}`;
}

/** Reads the submissions that a viewer may see. */
export function createInbox({ db }: { db: Db }) {
  /** Scans the next `length` submissions in order, and stops at the limit of matches. */
  async function readWindow(
    scope: Scope,
    filter: InboxFilter,
    { position, direction, limit }: PageRequest,
    length: number,
  ): Promise<Window> {
    if (!isCostly(filter)) {
      const found = await readPositions(db, scope, filter, { position, direction, limit });
      return { found, end: found.length < limit ? null : found.at(-1)! };
    }
    const rows = await scanWindow(db, scope, filter, { position, direction, limit }, length);
    const found = rows.filter(({ isEnd }) => !isEnd);
    return { found, end: rows.find(({ isEnd }) => isEnd) ?? null };
  }

  /** Finds matches through an index of a costly condition, sorted; null when every index has too many. */
  async function findByIndex(
    scope: Scope,
    filter: InboxFilter,
    { position, direction, limit }: PageRequest,
  ): Promise<readonly Position[] | null> {
    for (const index of indexesFor(scope, filter, position, direction)) {
      const { total, positions } = await readMatches(db, index, { direction, limit, maximum: MAX_FOUND });
      if (total <= MAX_FOUND) return positions;
    }
    return null;
  }

  /**
   * Finds the next positions of the inbox for a filter with costly conditions.
   *
   * Frequent matches are in the first window; the indexes find rare ones; a scan window by window finds those that
   * are frequent only further on.
   */
  async function findPositions(
    scope: Scope,
    filter: InboxFilter,
    request: PageRequest,
  ): Promise<readonly Position[]> {
    const first = await readWindow(scope, filter, request, isUnsent(filter) ? LATER_WINDOW : FIRST_WINDOW);
    if (first.found.length >= request.limit || !first.end) return first.found;
    const known = await findByIndex(scope, filter, request);
    if (known) return known;
    const found = [...first.found];
    let end: Position | null = first.end;
    while (end && found.length < request.limit) {
      const rest = { ...request, position: end, limit: request.limit - found.length };
      const window: Window = await readWindow(scope, filter, rest, LATER_WINDOW);
      found.push(...window.found);
      end = window.end;
    }
    return found;
  }

  /** Finds the positions of the next submissions after a position. */
  async function positions(
    scope: Scope,
    filter: InboxFilter,
    request: PageRequest,
  ): Promise<readonly Position[]> {
    return isCostly(filter)
      ? findPositions(scope, filter, request)
      : readPositions(db, scope, filter, request);
  }

  /** Counts the first `COUNTED_ROWS` matches by state; either all counts are exact or none is. */
  async function countRows(scope: Scope, filter: InboxFilter): Promise<Counts> {
    const rows = await countMatches(db, scope, filter, COUNTED_ROWS + 1);
    const all = rows.reduce((sum, { count }) => sum + count, 0);
    return new Map(rows.map(({ state, count }) => [state, { count, isExact: all <= COUNTED_ROWS }]));
  }

  async function countIndexed(
    scope: Scope,
    filter: InboxFilter,
    states: readonly SubmissionState[],
  ): Promise<Counts> {
    const rows = await countStates(db, scope, filter, states, COUNTED_EXACTLY + 1);
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
    /** Reads the next submissions of the inbox after a position, in the order of the direction. */
    async page(scope: Scope, filter: InboxFilter, request: PageRequest): Promise<InboxPage> {
      const { direction } = request;
      if (!isCostly(filter)) {
        const name = preparedName(scope, filter, request);
        const submissions = await readSubmissions(db, nextPositions(scope, filter, request), direction, name);
        return { positions: submissions, submissions };
      }
      const positions = await findPositions(scope, filter, request);
      const submissions = await readSubmissions(db, idsAsRows(positions.map(({ id }) => id)), direction);
      return { positions, submissions };
    },

    positions,

    /**
     * Scans a window of the inbox, for an export that reads all of it.
     *
     * Each window takes about the same time, however rare the matches are.
     */
    scan(
      scope: Scope,
      filter: InboxFilter,
      { position, limit }: { position: Position | null; limit: number },
    ): Promise<Window> {
      return readWindow(scope, filter, { position, direction: 'forward', limit }, limit);
    },

    /** Counts the submissions in each state that a filter includes. */
    counts: countByState,

    /** Counts the submissions that came after a position, or all without one, up to `COUNTED_NEWER`. */
    async newer(scope: Scope, filter: InboxFilter, position: Position | null): Promise<Count> {
      const limit = COUNTED_NEWER + 1;
      const found = await positions(scope, filter, {
        position,
        limit,
        direction: position ? 'backward' : 'forward',
      });
      return { count: Math.min(found.length, COUNTED_NEWER), isExact: found.length <= COUNTED_NEWER };
    },

    /** Counts the submissions whose e-mails no recipient got, by the state of the e-mail. */
    async unsent(scope: Scope, filter: InboxFilter): Promise<ReadonlyMap<NotificationState, Count>> {
      const { notificationStates } = filter;
      const states = UNSENT_STATES.filter((state) => notificationStates?.includes(state) ?? true);
      if (states.length === 0) return new Map();
      const rows = await countUnsent(db, scope, filter, states, UNSENT_SEEN);
      return new Map(rows.map(({ state, count, isExact }) => [state, { count, isExact }]));
    },

    /** Reads one submission; null when there is none. */
    async find(id: string): Promise<ListedSubmission | null> {
      const [found] = await readSubmissions(db, idsAsRows([id]), 'forward');
      return found ? readListed(found.json) : null;
    },
  };
}
