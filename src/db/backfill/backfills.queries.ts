import type { Db, Transaction } from '../client.js';
import type { Backfill, Portion } from './backfill.js';

/** How far a pass is. */
type Pass = Readonly<{ cursor: string | null; passes: number }>;

/** A row of the table `backfills`. */
export type BackfillState = Readonly<{
  name: string;
  remaining: number;
  passes: number;
  startedAt: Date;
  doneAt: Date | null;
}>;

/** A worker that was suspended within a portion loses the lease after this. */
const IDLE_TIMEOUT = '30s';

/** How long a portion waits for a row that another transaction has locked. */
const LOCK_TIMEOUT = '2s';

/** Reads the state of each backfill that has begun. */
export const readStates = ({ orm }: Pick<Db, 'orm'>): Promise<BackfillState[]> => orm.$queryRaw`
  SELECT name, remaining, passes, started_at AS "startedAt", done_at AS "doneAt" FROM backfills`;

/** Tells whether the database has the migration that makes the table. */
export async function hasStates({ orm }: Db): Promise<boolean> {
  const [row] = await orm.$queryRaw<[{ exists: boolean }]>`
    SELECT to_regclass('backfills') IS NOT NULL AS exists`;
  return row.exists;
}

/** Creates the rows of backfills that have not begun. */
export async function beginAll({ orm }: Db, backfills: readonly Backfill[]): Promise<void> {
  await orm.$executeRaw`
    INSERT INTO backfills (name) SELECT unnest(${backfills.map(({ name }) => name)}::text[]) ON CONFLICT DO NOTHING`;
}

/**
 * Locks the row of a backfill until the transaction ends; the lock is the lease.
 *
 * @returns null when another worker has the lease, or nothing is to be done: the second pass begins a day after the
 * first one began.
 */
export async function lease(tx: Transaction, name: string): Promise<Pass | null> {
  await tx.$executeRaw`
    SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true),
           set_config('idle_in_transaction_session_timeout', ${IDLE_TIMEOUT}, true)`;
  const [pass] = await tx.$queryRaw<Pass[]>`
    SELECT cursor, passes FROM backfills
     WHERE name = ${name} AND done_at IS NULL AND (passes = 0 OR started_at <= now() - interval '1 day')
       FOR UPDATE SKIP LOCKED`;
  return pass ?? null;
}

/** Sets what remains to PostgreSQL's estimate of a table's rows: to count them would read all of it. */
export async function estimate(tx: Transaction, name: string, table: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE backfills
       SET remaining = (SELECT greatest(reltuples, 0)::int FROM pg_class WHERE oid = to_regclass(${table}))
     WHERE name = ${name}`;
}

/** Records a portion, and returns what remains: something until the pass has ended, whatever the estimate was. */
export async function advance(tx: Transaction, name: string, { last, rows }: Portion): Promise<number> {
  const [row] = await tx.$queryRaw<[{ remaining: number }]>`
    UPDATE backfills SET cursor = ${last}, remaining = greatest(remaining - ${rows}::int, 1)
     WHERE name = ${name} RETURNING remaining`;
  return row.remaining;
}

/** Records the end of a pass, of which nothing remains, and with the second one that of the backfill. */
export async function endPass(tx: Transaction, name: string): Promise<0> {
  await tx.$executeRaw`
    UPDATE backfills
       SET passes = passes + 1, cursor = NULL, remaining = 0, done_at = CASE WHEN passes = 1 THEN now() END
     WHERE name = ${name}`;
  return 0;
}
