import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../errors.js';

/** A session that holds a lock for which another waits. Its statement stays out: it may hold visitors' data. */
type LockHolder = Readonly<{
  pid: number;
  application: string | null;
  state: string | null;
  /** Age of its statement, and of its transaction, in seconds. */
  queryAgeS: number | null;
  transactionAgeS: number | null;
}>;

/** Receives the warnings about lock waits. */
export type WaitLog = Readonly<{ warn(details: object, message: string): void }>;

const HOLDERS = `
  SELECT pid, application_name AS application, state,
         extract(epoch FROM clock_timestamp() - query_start)::int AS "queryAgeS",
         extract(epoch FROM clock_timestamp() - xact_start)::int AS "transactionAgeS"
    FROM unnest(pg_blocking_pids($1)) AS pid JOIN pg_stat_activity USING (pid)`;

const POLL_EVERY_MS = 500;
const LOG_EVERY_MS = 30_000;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

const TIMEOUT_MS = 300_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;

type Wait = Readonly<{ databaseUrl: string; client: pg.Client; log: WaitLog; migration: string }>;

/** Polls which sessions block another, over a connection of its own, which opens with the first poll. */
function watchHolders({ databaseUrl, log, migration }: Wait, pid: number) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 }).on('error', () => undefined);
  let holders: readonly LockHolder[] = [];
  let logAt = Date.now() + LOG_EVERY_MS;
  const timer = setInterval(async () => {
    const looked = await pool.query<LockHolder>(HOLDERS, [pid]).catch(() => null);
    if (!looked || looked.rows.length === 0) return;
    holders = looked.rows;
    if (Date.now() < logAt) return;
    logAt = Date.now() + LOG_EVERY_MS;
    log.warn({ migration, holders }, 'Migration waits for other transactions');
  }, POLL_EVERY_MS);
  return {
    last: () => holders,
    async stop() {
      clearInterval(timer);
      await pool.end();
    },
  };
}

/**
 * Retries an attempt that ended in a lock timeout or a deadlock, with jittered exponential back-off in which traffic
 * goes on. Each retry is logged with the sessions that held the lock.
 *
 * @throws StartError after five minutes, naming the holders.
 */
export async function retryOnLockTimeout(wait: Wait, attempt: () => Promise<void>): Promise<void> {
  const { rows } = await wait.client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const deadline = Date.now() + TIMEOUT_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const watch = watchHolders(wait, rows[0]!.pid);
    try {
      return await attempt();
    } catch (error) {
      const { code, message } = error as pg.DatabaseError;
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) throw error;
      const holders = watch.last();
      if (Date.now() > deadline) {
        const names = holders.map(({ pid, application }) => `pid ${pid} (${application})`).join(', ');
        throw new StartError(
          `Migration ${wait.migration} did not get its locks within five minutes${names && `; they are held by ${names}`}.`,
        );
      }
      wait.log.warn(
        { migration: wait.migration, reason: message, holders },
        'Migration did not get a lock; it tries again',
      );
    } finally {
      await watch.stop();
    }
    await pause(pauseMs * (0.5 + Math.random()));
  }
}
