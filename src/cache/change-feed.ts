import { createBatcher } from '../db/batcher.js';
import { type Listener, listen } from '../db/listen.js';
import { unavailable } from '../errors.js';
import { untilAborted, withDeadline } from '../lib/deadline.js';
import { HOUR_MS } from '../lib/durations.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { type FeedDb, type Position, readChanges } from './change-feed.queries.js';

/** The channel that the triggers of `catalogue_changes` notify, with the id of the team. */
const CHANNEL = 'catalogue_changes';

/** The team id that stands for every team. */
const ALL_TEAMS = 0;

/** Under traffic the database is checked for changes this often, whether or not notifications arrive. */
const CHECK_EVERY_MS = 1_500;

/** Maximum age of the last check for entries to be served. It leaves one of five seconds for the response itself. */
const MAX_UNCONFIRMED_MS = 4_000;

const CHECK_TIMEOUT_MS = 1_500;

/** A failed check's error is reused for this long, so that a request that reads twice waits once. */
const FAILED_FOR_MS = 250;

/** Minimum interval between the checks of `checkNow`, and how many calls share one. */
const CHECK_NOW_SPACING_MS = 20;
const MAX_SHARED_CHECK = 10_000;

/** The database keeps changes for a day; after half a day without a check everything is invalidated. */
const MAX_GAP_MS = 12 * HOUR_MS;

/** Tells whether changes between two checks may be unknown: the first one, a long pause, or another server. */
const isGap = (from: Position | null, to: Position): boolean =>
  from === null || from.server !== to.server || to.at.getTime() - from.at.getTime() > MAX_GAP_MS;

/** The teams of which cached entries are outdated. */
export type ChangedTeams = ReadonlySet<number> | 'all';

type Options = Readonly<{
  db: FeedDb;
  databaseUrl: string;
  log: Logger;
  /** How long a check may take, its connection included. */
  checkTimeoutMs?: number | undefined;
}>;

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/** What a cache needs of the change feed. */
export type Changes = Pick<ChangeFeed, 'onChange' | 'confirm' | 'checkNow'>;

/**
 * Follows which teams' websites and forms have changed, and tells whether cached entries may be served. A change is
 * announced at once through a notification, and within five seconds when none arrives. With PostgreSQL away for
 * longer, nothing is confirmed, so that reads fail rather than return what may be outdated.
 */
export function createChangeFeed({ db, databaseUrl, log, checkTimeoutMs = CHECK_TIMEOUT_MS }: Options) {
  const subscribers: ((changed: ChangedTeams) => void)[] = [];
  let listener: Listener | undefined;
  let position: Position | null = null;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let expiredAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  let failed = { at: Number.NEGATIVE_INFINITY, error: new Error() };

  function announce(teamIds: readonly number[]): void {
    if (teamIds.length === 0) return;
    const changed = teamIds.includes(ALL_TEAMS) ? 'all' : new Set(teamIds);
    for (const subscriber of subscribers) subscriber(changed);
  }

  /** Reads the changes that were committed since the last check, and announces their teams. */
  async function check(): Promise<void> {
    const startedAt = performance.now();
    const since = position?.snapshot ?? null;
    const { teams, ...reached } = await withinTime(checkTimeoutMs, () => readChanges(db, since));
    announce(isGap(position, reached) ? [ALL_TEAMS] : teams);
    position = reached;
    if (startedAt >= expiredAt) confirmedAt = startedAt;
  }

  function startCheck(): Promise<void> {
    checking ??= check()
      .catch((error: Error) => {
        failed = { at: performance.now(), error };
        throw error;
      })
      .finally(() => {
        checking = undefined;
      });
    return checking;
  }

  /**
   * Resolves when cached entries may be served.
   *
   * @throws the database's error, or 503 when a check takes too long.
   */
  async function confirm(): Promise<void> {
    listener ??= listen({
      databaseUrl,
      channel: CHANNEL,
      log,
      onListening: expire,
      onMessage: (payload) => announce([Number(payload)]),
    });
    // A check that was in flight before `expire` confirms nothing, and is followed by another.
    while (unconfirmedMs() >= MAX_UNCONFIRMED_MS) {
      if (performance.now() - failed.at < FAILED_FOR_MS) throw failed.error;
      await startCheck();
    }
    if (unconfirmedMs() < CHECK_EVERY_MS) return;
    // Its failure may be ignored: entries may still be served, and once they may not, the loop above reports it.
    startCheck().catch(() => undefined);
  }

  /** Runs a check that begins after the call, shared by concurrent calls. */
  const checkNow = createBatcher<void, void>({
    maxSize: MAX_SHARED_CHECK,
    maxInFlight: 1,
    minIntervalMs: CHECK_NOW_SPACING_MS,
    async runBatch(calls) {
      // A check in flight may have begun before the change.
      await checking?.catch(() => undefined);
      await startCheck();
      return calls.map(() => undefined);
    },
  });

  const unconfirmedMs = () => performance.now() - confirmedAt;

  function expire(): void {
    expiredAt = performance.now();
    confirmedAt = Number.NEGATIVE_INFINITY;
  }

  return {
    /** Subscribes a cache: `invalidate` is called with the teams of each change from now on. */
    onChange(invalidate: (changed: ChangedTeams) => void): void {
      subscribers.push(invalidate);
    },

    confirm,
    checkNow: () => checkNow(),

    /** Makes the next read see all that has been committed by now, without waiting for a notification. */
    expire,

    async close(): Promise<void> {
      await listener?.close();
      await checking?.catch(() => undefined);
    },
  };
}

/**
 * Bounds the time of a check: a PostgreSQL that no longer answers, rather than refusing, is away as well.
 *
 * @throws 503 when the time is up.
 */
const withinTime = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  withDeadline(ms, undefined, (signal) =>
    untilAborted(signal, work).catch((error: unknown) => {
      throw signal.aborted ? unavailable() : error;
    }),
  );
