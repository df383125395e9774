import type { Db } from '../db/client.js';
import type { SchemaCheck } from '../db/migration/schema-check.js';
import { causeOf } from '../lib/cause.js';
import type { Clock } from '../lib/clock.js';

/** `behind`: the database lacks a migration that this process needs. `full` and `read_only`: it refuses writes. */
export type DependencyState = 'ok' | 'away' | 'behind' | 'full' | 'read_only';

export type Readiness = ReturnType<typeof createReadiness>;

/** For how long a successful write to PostgreSQL stands for the next ones: each waits for the server's disk. */
const WRITTEN_FOR_MS = 1_000;

const FULL = new Set(['disk_full', 'memory_full', 'out_of_memory']);

function stateOf(error: unknown): DependencyState {
  const { cause } = causeOf(error);
  if (FULL.has(cause)) return 'full';
  return cause === 'read_only' ? 'read_only' : 'away';
}

/** Creates the checks of what a process depends on. They write, since a server that only reads records no submission. */
export function createReadiness({
  db,
  schema,
  queues,
  clock,
}: {
  db: Db;
  schema: SchemaCheck;
  queues: { requireWritable(): Promise<void> };
  clock: Clock;
}) {
  let writtenUntil = 0;

  /** Tells whether PostgreSQL takes writes: a standby does not, nor a server whose host has declared its disk full. */
  async function isReadOnly(): Promise<boolean> {
    const [row] = await db.orm.$queryRaw<[{ isReadOnly: boolean }]>`
      SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;
    return row.isReadOnly;
  }

  /** Writes a message to the write-ahead log, which nothing reads: it reaches the disk as a submission does. */
  async function write(): Promise<void> {
    const now = clock().getTime();
    if (now < writtenUntil) return;
    await db.orm.$queryRaw`SELECT pg_logical_emit_message(true, 'formgate', 'ready')::text`;
    writtenUntil = now + WRITTEN_FOR_MS;
  }

  return {
    async database(): Promise<DependencyState> {
      try {
        if (await isReadOnly()) return 'read_only';
        await write();
        return (await schema.isCurrent()) ? 'ok' : 'behind';
      } catch (error) {
        return stateOf(error);
      }
    },

    queue: (): Promise<DependencyState> => queues.requireWritable().then(() => 'ok', stateOf),
  };
}
