import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '../generated/prisma/client.js';
import { createDriver } from './driver.js';
import { createFairPool } from './fair-pool.js';
import { SerialClient } from './serial-client.js';
import { UtcClient } from './utc-client.js';

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

/** Adds server options to those that an address has: the driver would send these alone. */
function withOptions(url: string, options: string): Pick<pg.PoolConfig, 'connectionString' | 'options'> {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  if (given === null) return { connectionString: url, options };
  address.searchParams.delete('options');
  return { connectionString: address.href, options: `${given} ${options}` };
}

/** How much later PostgreSQL cancels a statement of the panel than this process gives up on it. */
const SERVER_TIMEOUT_SLACK_MS = 100;

/**
 * Duration of a transaction that no request waits for: a portion of a job on a slow database. Prisma's default is 5 s.
 */
const TRANSACTION_TIMEOUT_MS = 60_000;

/** A transaction of the panel waits for its turn first (`db/fair-pool.ts`). Prisma's default is 2 s. */
const PANEL_MAX_WAIT_MS = 10_000;

/** After this long without a connection a request is answered 503 rather than kept waiting. */
const CONNECT_TIMEOUT_MS = 1_500;

type Options = Readonly<{
  use?: Use;
  /** Whether a transaction pooler is in between: then no transaction finds what an earlier one left in its session. */
  isPooled?: boolean;
  /**
   * A statement that takes longer fails, and PostgreSQL counts as away. None: only transactions end, after a minute.
   */
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
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // A connection that has fallen silent is noticed within minutes, not after the two hours of most systems.
    keepAliveInitialDelayMillis: 10_000,
    max: POOL_SIZE[use],
  };
  /** Creates a pool; the public one's sessions have server options, which a transaction pooler would not pass on. */
  function poolOf(options: string, own: pg.PoolConfig): pg.Pool {
    const hasOptions = use === 'public' && !isPooled;
    const address = hasOptions ? withOptions(url, options) : { connectionString: url };
    const all = { ...config, ...own, ...address };
    return use === 'panel' ? createFairPool(all) : new pg.Pool(all);
  }
  const ormPool = poolOf(UNCOMPILED, {
    Client: SerialClient,
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
  const driverPool = poolOf(`${BY_KEY} ${UNCOMPILED}`, { Client: UtcClient });
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
