import { createBatcher } from '../db/batcher.js';
import type { Db } from '../db/client.js';
import { type Listener, listen } from '../db/listen.js';
import { unavailable } from '../errors.js';
import type { Logger } from '../lib/logger.js';
import { type Cache, createCache, type Place, readPlace } from './cache.js';

/** The channel that the triggers of `catalogue_changes` notify, with the id of the team. */
const CHANNEL = 'catalogue_changes';

/** Stands for every team in the place of a team id. */
const ALL_TEAMS = 0;

/** Under traffic the database is checked for changes this often, whether or not notifications arrive. */
const CHECK_EVERY_MS = 1_500;

/** Maximum age of the last check for entries to be served. It leaves one of five seconds for the response itself. */
const MAX_UNCONFIRMED_MS = 4_000;

const CHECK_TIMEOUT_MS = 1_500;

/** A failed check's error is reused for this long, so that a request that reads twice waits once. */
const FAILED_FOR_MS = 250;

/** Minimum interval between checks for absent keys, and how many reads share one. */
const ABSENT_CHECK_SPACING_MS = 20;
const MAX_ABSENT_READS = 10_000;

/** The database keeps changes for a day; after half a day without a check the whole cache is invalidated. */
const MAX_GAP_MS = 12 * 3_600_000;

/** A cached value belongs to a team. */
export type OfTeam = { teamId: number };

/** The cache of one kind of value. All readers share each value, so treat it as immutable. */
export type Shelf<Key, Value> = Pick<Cache<Key, Value>, 'locate'> & {
  /**
   * Reads a value through the cache.
   *
   * @throws the database's error, or 503 when a check takes too long.
   */
  get: Cache<Key, Value>['get'];
  /** Returns the cached value, confirmed or not: only for reads that may be outdated. */
  peek: Cache<Key, Value>['peek'];
  /** Returns the value of an entry from `locate`; null when it was evicted, invalidated, or needs a check by `get`. */
  readAt(place: Place<Value>): Value | null;
};

/** The snapshot of the database up to which all changes are known. */
type Horizon = { snapshot: string; at: Date };

export type Catalogue = ReturnType<typeof createCatalogue>;

/**
 * Caches what the public endpoints need of websites and forms, each kind of value in a cache of its own. A change
 * invalidates entries at once through a notification, and within five seconds when none arrives. With PostgreSQL away
 * for longer, reads fail rather than return what may be outdated.
 *
 * A value belongs to a team, and a change invalidates all entries of that team.
 */
export function createCatalogue({
  db,
  databaseUrl,
  log,
}: {
  db: Readonly<{ orm: Pick<Db['orm'], '$queryRaw'> }>;
  databaseUrl: string;
  log: Logger;
}) {
  const shelves: Pick<Cache<never, OfTeam>, 'drop'>[] = [];
  let listener: Listener | undefined;
  let horizon: Horizon | null = null;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let expiredAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  let failed = { at: Number.NEGATIVE_INFINITY, error: new Error() };

  function forget(teamIds: readonly number[]): void {
    if (teamIds.length === 0) return;
    const teams = new Set(teamIds);
    for (const shelf of shelves) shelf.drop(({ teamId }) => teams.has(ALL_TEAMS) || teams.has(teamId));
  }

  /** Reads the changes that were committed since the last check, and invalidates their teams' entries. */
  async function check(): Promise<void> {
    const startedAt = performance.now();
    const since = horizon?.snapshot ?? null;
    const rows = await withinTime(
      db.orm.$queryRaw<[Horizon & { teams: number[] }]>`
        SELECT pg_current_snapshot()::text AS snapshot, now() AS at, ARRAY(
          SELECT DISTINCT team_id FROM catalogue_changes
          WHERE transaction_id >= pg_snapshot_xmin(${since}::pg_snapshot)::text::bigint
            AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, ${since}::pg_snapshot)
        ) AS teams`,
    );
    const [{ snapshot, at, teams }] = rows;
    const isGap = horizon === null || at.getTime() - horizon.at.getTime() > MAX_GAP_MS;
    forget(isGap ? [ALL_TEAMS] : teams);
    horizon = { snapshot, at };
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

  /** Resolves when the cached entries may be served. */
  async function confirm(): Promise<void> {
    listener ??= listen({
      databaseUrl,
      channel: CHANNEL,
      log,
      onListening: expire,
      onMessage: (payload) => forget([Number(payload)]),
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
  const confirmAbsence = createBatcher<void, void>({
    maxSize: MAX_ABSENT_READS,
    maxInFlight: 1,
    minIntervalMs: ABSENT_CHECK_SPACING_MS,
    async runBatch(reads) {
      // A check in flight may have begun before the change.
      await checking?.catch(() => undefined);
      await startCheck();
      return reads.map(() => undefined);
    },
  });

  const unconfirmedMs = () => performance.now() - confirmedAt;

  function expire(): void {
    expiredAt = performance.now();
    confirmedAt = Number.NEGATIVE_INFINITY;
  }

  return {
    /**
     * Creates the cache of one kind of value.
     *
     * @param load Reads a value in one snapshot; null when there is none.
     * @param weightOf In the unit of `maxWeight`, which bounds the memory.
     * @param maxAbsentKeys Absent keys that are kept, for a minute at most. None: each is loaded every time.
     */
    shelf<Key extends string | number, Value extends OfTeam>({
      maxAbsentKeys,
      ...options
    }: {
      load: (key: Key) => Promise<Value | null>;
      weightOf: (value: Value) => number;
      maxWeight: number;
      maxAbsentKeys?: number;
    }): Shelf<Key, Value> {
      const { get, peek, locate, drop } = createCache({
        ...options,
        absence: maxAbsentKeys ? { maxKeys: maxAbsentKeys, confirm: () => confirmAbsence() } : null,
      });
      shelves.push({ drop });
      const isConfirmed = () => unconfirmedMs() < CHECK_EVERY_MS;
      return {
        // Nearly every read finds the cache confirmed, and a submission makes several: none pays for another promise.
        get: (key) => (isConfirmed() ? get(key) : confirm().then(() => get(key))),
        peek,
        locate,
        readAt: (place) => (isConfirmed() ? readPlace(place) : null),
      };
    },

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
async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable()), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
