import type { Db } from '../../db/client.js';
import type { SchemaCheck } from '../../db/migration/schema-check.js';
import { causeOf } from '../../lib/telemetry/cause.js';

/** `behind`: the database lacks a migration that this process needs. `full` and `read_only`: it refuses writes. */
export type DependencyState = 'ok' | 'away' | 'behind' | 'full' | 'read_only';

export type Readiness = ReturnType<typeof createReadiness>;

/** For how long a successful write to PostgreSQL stands for the next ones: each waits for the server's disk. */
const WRITTEN_FOR_MS = 1_000;

/** Numbers that do not fit into 64 kB of memory, so that PostgreSQL writes them to a temporary file. */
const SPILLED = 4_096;

const FULL = new Set(['disk_full', 'memory_full', 'out_of_memory']);

function stateOf(error: unknown): DependencyState {
  const { cause } = causeOf(error);
  if (FULL.has(cause)) return 'full';
  return cause === 'read_only' ? 'read_only' : 'away';
}

/**
 * Creates the checks of what a process depends on. They write, since a server that only reads records no submission.
 */
export function createReadiness({
  db,
  schema,
  queues,
  isDiskFull = async () => false,
}: {
  db: Db;
  schema: SchemaCheck;
  queues: { requireWritable(): Promise<void> };
  isDiskFull?: () => Promise<boolean>;
}) {
  // By a clock that no correction sets back, or it would stand for longer.
  let writtenUntil = 0;
  let writing: Promise<void> | null = null;
  let isDraining = false;

  /** Tells whether PostgreSQL takes writes: a standby does not, nor a server whose host has declared its disk full. */
  async function isReadOnly(): Promise<boolean> {
    const [row] = await db.orm.$queryRaw<[{ isReadOnly: boolean }]>`
      SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;
    return row.isReadOnly;
  }

  /**
   * Writes a message to the write-ahead log, which nothing reads, and a temporary file beside the tables: a submission
   * needs room for both, and the log has room in files of its own when the tables have none.
   */
  async function write(): Promise<void> {
    const now = performance.now();
    if (now < writtenUntil) return;
    await db.orm.$transaction([
      db.orm.$executeRaw`SELECT set_config('work_mem', '64kB', true)`,
      db.orm.$queryRaw`SELECT count(*) FROM generate_series(1, ${SPILLED}::int)`,
      db.orm.$queryRaw`SELECT pg_logical_emit_message(true, 'formgate', 'ready')::text`,
    ]);
    writtenUntil = now + WRITTEN_FOR_MS;
  }

  /** Writes once for all requests that wait at the time. */
  function writeOnce(): Promise<void> {
    writing ??= write().finally(() => {
      writing = null;
    });
    return writing;
  }

  return {
    async database(): Promise<DependencyState> {
      try {
        if (await isReadOnly()) return 'read_only';
        await writeOnce();
        if (await isDiskFull()) return 'full';
        return (await schema.isCurrent()) ? 'ok' : 'behind';
      } catch (error) {
        return stateOf(error);
      }
    },

    queue: (): Promise<DependencyState> => queues.requireWritable().then(() => 'ok', stateOf),

    /** Declares that the process is about to stop, so that no load balancer sends it another request. */
    drain(): void {
      isDraining = true;
    },

    isDraining: (): boolean => isDraining,
  };
}
