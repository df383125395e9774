import { createBatcher } from '../db/batcher.js';
import type { Database } from '../db/client.js';
import { type Listener, listen } from '../db/listen.js';
import { unavailable } from '../errors.js';
import type { Logger } from '../lib/logger.js';
import { type Cache, createCache, type Place, readPlace } from './cache.js';

/** The channel that the triggers of `catalogue_changes` notify, with the id of the team. */
const CHANNEL = 'catalogue_changes';

/** In the place of a team id: whatever team it is. */
const ALL_TEAMS = 0;

/** While there are requests, changes are looked for this often, whether or not notifications arrive. */
const CHECK_EVERY_MS = 1_500;

/** What nobody has confirmed for this long is not served. One more second is left for the answer itself. */
const MAX_UNCONFIRMED_MS = 4_000;

const CHECK_TIMEOUT_MS = 1_500;

/** Whoever comes so soon after a check that failed is told the same: a request looks twice, and should wait once. */
const FAILED_FOR_MS = 250;

/** Minimum interval between checks for absent things, and how many reads share one. */
const ABSENT_CHECK_SPACING_MS = 20;
const MAX_ABSENT_READS = 10_000;

/** Changes are kept for a day; whoever comes back after half of it starts with an empty memory. */
const MAX_GAP_MS = 12 * 3_600_000;

/** What is kept belongs to a team. */
export type OfTeam = { teamId: number };

/** How one kind of thing is read from memory. Everyone gets the same, so treat it as immutable. */
export type Shelf<Key, Value> = Pick<Cache<Key, Value>, 'locate'> & {
  /** Reads a thing. Fails as the database does, or with 503 when that takes too long. */
  get: Cache<Key, Value>['get'];
  /** What is in memory, confirmed or not: only for what may be outdated. */
  peek: Cache<Key, Value>['peek'];
  /** What lies in a place that `locate` gave; null when it is empty, or `get` has to be asked anyway. */
  readAt(place: Place<Value>): Value | null;
};

/** Up to which point of the database's history all changes are known. */
type Horizon = { snapshot: string; at: Date };

export type Catalogue = ReturnType<typeof createCatalogue>;

/**
 * The memory of what the public endpoints need of websites and forms. Each kind of thing has its shelf.
 * Whatever changes is forgotten within a moment through a notification, and within five seconds when none
 * arrives; with PostgreSQL away for longer, reading fails rather than giving what may be outdated.
 *
 * A thing belongs to a team, and a change forgets all of that team's things.
 */
export function createCatalogue({
  db,
  databaseUrl,
  log,
}: {
  db: Pick<Database, '$queryRaw'>;
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

  /** Asks for the changes that were committed since the last time. */
  async function check(): Promise<void> {
    const startedAt = performance.now();
    const since = horizon?.snapshot ?? null;
    const rows = await withinTime(
      db.$queryRaw<[Horizon & { teams: number[] }]>`
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

  /** Resolves when what is in memory may be served. */
  async function confirm(): Promise<void> {
    listener ??= listen({
      databaseUrl,
      channel: CHANNEL,
      log,
      onListening: expire,
      onMessage: (payload) => forget([Number(payload)]),
    });
    // A check that was under way before `expire` confirms nothing, and is followed by another.
    while (unconfirmedMs() >= MAX_UNCONFIRMED_MS) {
      if (performance.now() - failed.at < FAILED_FOR_MS) throw failed.error;
      await startCheck();
    }
    if (unconfirmedMs() < CHECK_EVERY_MS) return;
    // Should it fail, there is still time; the request that cannot go without will say so.
    startCheck().catch(() => undefined);
  }

  /** Runs a check that begins after the call; calls that meet share it. */
  const confirmAbsence = createBatcher<void, void>({
    maxSize: MAX_ABSENT_READS,
    atOnce: 1,
    spacingMs: ABSENT_CHECK_SPACING_MS,
    async work(reads) {
      // One that is in flight may have begun before the change.
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
     * A kind of thing that is read from memory.
     *
     * @param load Reads a thing as it stands at one moment; null when there is none.
     * @param weightOf In the unit of `maxWeight`, which bounds the memory.
     * @param maxAbsentKeys Keys without a thing that are kept, for a minute at most. None: each is loaded every time.
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
        // Nearly every read finds memory confirmed, and a submission makes several: none waits for a promise more.
        get: (key) => (isConfirmed() ? get(key) : confirm().then(() => get(key))),
        peek,
        locate,
        readAt: (place) => (isConfirmed() ? readPlace(place) : null),
      };
    },

    /** Lets the next read see all that has been committed by now, without waiting for a notification. */
    expire,

    async close(): Promise<void> {
      await listener?.close();
      await checking?.catch(() => undefined);
    },
  };
}

/** A PostgreSQL that no longer answers, rather than refusing, is away as well. */
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
