import { setTimeout as pause } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { createDriver } from './driver.js';
import { createFairPool } from './fair-pool.js';
import { SerialClient } from './serial-client.js';

/**
 * The door to PostgreSQL. Prisma and `sql` have connection pools of their own, which connect with their first
 * statement.
 */
export type Db = Readonly<{
  orm: PrismaClient;

  /**
   * Runs a statement straight through the driver (`db/driver.ts`) and returns its rows.
   *
   * @param name Prepares a statement whose text never changes; its plan is kept until PostgreSQL analyses its tables
   * again. Through a transaction pooler it is planned anew each time.
   */
  sql<Row>(statement: Prisma.Sql, name?: string): Promise<Row[]>;

  /** Closes every connection. */
  close(): Promise<void>;
}>;

/** The client inside a `$transaction`, accepted by every function that takes part in one. */
export type Transaction = Prisma.TransactionClient;

/** What a `Db` serves: the public endpoints, the worker and the CLI, or the panel. */
type Use = 'public' | 'panel';

/**
 * Connections of each of the two pools. The panel has its own, so that its queries never take a submission's, and its
 * accounts share them fairly.
 */
const POOL_SIZE: Record<Use, number> = { public: 10, panel: 5 };

/**
 * Disables sequential scans: public endpoints and e-mails read by key, and a kept plan must not scan a whole table
 * because the table was small when the plan was made.
 */
const BY_KEY = '-c enable_seqscan=off';

/**
 * Disables compilation of statements. PostgreSQL compiles what it estimates to be expensive, in each execution anew:
 * up to 300 ms for a portion of a deletion that takes 40.
 */
const UNCOMPILED = '-c jit=off';

/** How much later PostgreSQL cancels a statement of the panel than this process gives up on it. */
const SERVER_TIMEOUT_SLACK_MS = 100;

/** Duration of a transaction that no request waits for: a portion of a job on a slow database. Prisma's default is 5 s. */
const TRANSACTION_TIMEOUT_MS = 60_000;

/** A transaction of the panel waits for its turn first (`db/fair-pool.ts`). Prisma's default is 2 s. */
const PANEL_MAX_WAIT_MS = 10_000;

/** After this long without a connection a request is answered 503 rather than kept waiting. */
const CONNECT_TIMEOUT_MS = 1_500;

type Options = Readonly<{
  use?: Use;
  /** Whether a transaction pooler is in between: then no transaction finds what an earlier one left in its session. */
  isPooled?: boolean;
  /** A statement that takes longer fails, and PostgreSQL counts as away. None: only transactions end, after a minute. */
  statementTimeoutMs?: number;
  /** After this long without a connection a statement fails, and PostgreSQL counts as away. */
  connectTimeoutMs?: number;
}>;

/** Creates the door to the database behind a URL. */
export function createDb(
  url: string,
  {
    use = 'public',
    isPooled = false,
    statementTimeoutMs,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
  }: Options = {},
): Db {
  const config = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // A connection that has fallen silent is noticed within minutes, not after the two hours of most systems.
    keepAliveInitialDelayMillis: 10_000,
    max: POOL_SIZE[use],
  };
  const poolOf = (own: pg.PoolConfig) =>
    use === 'panel' ? createFairPool({ ...config, ...own }) : new pg.Pool({ ...config, ...own });
  const ormPool = poolOf({
    Client: SerialClient,
    ...(use === 'public' && !isPooled && { options: UNCOMPILED }),
    ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs }),
    // A connection whose statement timed out is only free again when PostgreSQL has cancelled the statement too.
    ...(statementTimeoutMs !== undefined &&
      use === 'panel' &&
      !isPooled && { statement_timeout: statementTimeoutMs + SERVER_TIMEOUT_SLACK_MS }),
  });
  const orm = new PrismaClient({
    transactionOptions: {
      ...(statementTimeoutMs === undefined && { timeout: TRANSACTION_TIMEOUT_MS }),
      ...(use === 'panel' && { maxWait: PANEL_MAX_WAIT_MS }),
    },
    adapter: new PrismaPg(ormPool, { disposeExternalPool: true }),
  });
  const driverPool = poolOf(use === 'public' && !isPooled ? { options: `${BY_KEY} ${UNCOMPILED}` } : {});
  const driver = createDriver(driverPool, statementTimeoutMs ?? null);
  return {
    orm,
    sql: ({ text, values }, name) => driver.run({ text, values, ...(name && !isPooled && { name }) }),
    async close(): Promise<void> {
      await Promise.all([driver.close(), orm.$disconnect()]);
    },
  };
}

/** Runs reads in one repeatable-read transaction, so that they share one snapshot of the database. */
export function readSnapshot<T>(db: Db, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.orm.$transaction(work, { isolationLevel: 'RepeatableRead' });
}

const CONNECTION_CODES = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
]);

/** SQLSTATE classes of a server that is away, starting, stopping or full: 08, 53, 57P; 25006 is one that only reads. */
const CONNECTION_SQLSTATE = /^(08|53|57P|25006)/;

/** What Prisma's driver adapters call the same errors. */
const CONNECTION_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
]);

/** What a driver adapter reports: its own kind of error, and the SQLSTATE when the server gave one. */
type Finding = { kind?: string; originalCode?: string; originalMessage?: string; code?: string };

type Meta = { driverAdapterError?: { cause?: Finding } };

const CONNECTION_MESSAGE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|connection terminated|terminating connection|query read timeout|timeout exceeded when trying to connect|closed the connection|reach database/i;

/** Tells whether an error means that PostgreSQL is away or takes no writes, as opposed to a fault in the statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (!(error instanceof Error)) return false;
  const { code, cause, meta } = error as { code?: unknown; cause?: unknown; meta?: Meta };
  if (typeof code === 'string' && (CONNECTION_CODES.has(code) || CONNECTION_SQLSTATE.test(code))) return true;
  // Prisma wraps the server's error; how deep depends on the kind of query.
  for (const found of [cause as Finding | undefined, meta?.driverAdapterError?.cause]) {
    if (CONNECTION_KINDS.has(found?.kind ?? '')) return true;
    if (CONNECTION_SQLSTATE.test(found?.originalCode ?? found?.code ?? '')) return true;
  }
  return CONNECTION_MESSAGE.test(error.message) || (cause instanceof Error && isDatabaseAway(cause));
}

/** Returns what PostgreSQL said, without the words in which Prisma wraps it. */
export const serverMessage = (error: Error): string =>
  (error as { meta?: Meta }).meta?.driverAdapterError?.cause?.originalMessage ?? error.message;

const OUTAGE_PATIENCE_MS = 300_000;
const OUTAGE_RETRY_MS = 100;

/**
 * Retries an idempotent statement until PostgreSQL is back, for data that only this process holds. It gives up after
 * five minutes.
 *
 * @throws the statement's error then, or at once when it does not mean that PostgreSQL is away.
 */
export async function outlastingOutage<T>(statement: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + OUTAGE_PATIENCE_MS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > deadline) throw error;
      await pause(OUTAGE_RETRY_MS);
    }
  }
}

/** Tells whether an error of a raw query is the violation of this foreign key. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as { code?: unknown; meta?: Meta };
  const sqlState = meta?.driverAdapterError?.cause?.originalCode ?? code;
  return sqlState === '23503' && error.message.includes(`"${constraint}"`);
}

/** Tells whether PostgreSQL has cancelled a statement, as one that takes longer than its timeout. */
export function isStatementCancelled(error: unknown): boolean {
  return (error as { meta?: Meta } | null)?.meta?.driverAdapterError?.cause?.originalCode === '57014';
}

/** Tells whether an error is the violation of a unique key. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/** SQLSTATEs of a violated foreign key, and of its stricter kind for ON DELETE RESTRICT. */
const REFERENCE_SQLSTATES = new Set(['23503', '23001']);

/** Tells whether an error is the violation of a foreign key: the row referred to is gone, or still referred to. */
export function isReferenceViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const cause = (error.meta as Meta | undefined)?.driverAdapterError?.cause;
  return error.code === 'P2003' || REFERENCE_SQLSTATES.has(cause?.originalCode ?? cause?.code ?? '');
}
