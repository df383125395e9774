import { setTimeout as pause } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { createStatements, type Statements } from './driver.js';

export type Database = PrismaClient;

/** The client inside a `$transaction`; every function that takes part in one accepts it. */
export type Transaction = Prisma.TransactionClient;

/** Connections by use: the panel has its own, so that its queries never take one from a submission. */
const POOL_SIZE = { public: 10, panel: 5 };

/** PostgreSQL itself ends a statement of the panel so much later than this process gives it up. */
const SERVER_TIMEOUT_SLACK_MS = 100;

/** After this long without PostgreSQL a request is answered 503 rather than kept waiting. */
const CONNECT_TIMEOUT_MS = 1_500;

type Options = Readonly<{
  /** What the client serves: public endpoints and the worker, or the panel. */
  use?: 'public' | 'panel';
  /** A statement that takes longer fails, and counts as PostgreSQL being away. None: as long as it takes. */
  statementTimeoutMs?: number;
}>;

/** Opens a client with connections of its own, none before its first statement. */
export function createDatabase(url: string, { use = 'public', statementTimeoutMs }: Options = {}): Database {
  const config = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  const db = new PrismaClient({
    adapter: new PrismaPg({
      ...config,
      max: POOL_SIZE[use],
      ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs }),
      // A connection whose statement was given up is only free again when PostgreSQL has ended that as well.
      ...(statementTimeoutMs !== undefined &&
        use === 'panel' && { statement_timeout: statementTimeoutMs + SERVER_TIMEOUT_SLACK_MS }),
    }),
  });
  statements.set(db, createStatements(config, statementTimeoutMs ?? null));
  return db;
}

/** What runs the statements of each client that go past Prisma. */
const statements = new WeakMap<Database, Statements>();

/** Closes every connection of a client. */
export async function closeDatabase(db: Database): Promise<void> {
  await Promise.all([statements.get(db)?.close(), db.$disconnect()]);
}

/**
 * Rows of a statement that the panel waits for, straight from the driver (`lib/statements.ts`).
 *
 * @param name Of a statement whose text never changes: it is prepared, and its plan kept until PostgreSQL has analysed
 * its tables anew.
 */
export const panelRows = <Row>(db: Database, { text, values }: Prisma.Sql, name?: string): Promise<Row[]> =>
  statements.get(db)!.run('panel', { text, values, ...(name && { name }) });

/**
 * Rows of a statement that a public endpoint or an e-mail waits for, straight from the driver (`lib/statements.ts`).
 *
 * @param name Of a statement whose text never changes: it is prepared, and its plan kept.
 */
export const publicRows = <Row>(db: Database, { text, values }: Prisma.Sql, name: string): Promise<Row[]> =>
  statements.get(db)!.run('public', { text, values, name });

/** As `publicRows`, for a statement that the next of its kind follows closely (`runInLine` in `lib/statements.ts`). */
export const publicRowsInLine = <Row>(
  db: Database,
  { text, values }: Prisma.Sql,
  name: string,
): Promise<Row[]> => statements.get(db)!.runInLine({ text, values, name });

/** Runs reads that belong together, so that they see the database at one and the same moment. */
export function readSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.$transaction(work, { isolationLevel: 'RepeatableRead' });
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

/** SQLSTATE classes of a server that is away, starting, stopping or full: 08, 53, 57P. */
const CONNECTION_SQLSTATE = /^(08|53|57P)/;

/** The words of Prisma's driver adapters for the same. */
const CONNECTION_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
]);

/** What a driver adapter found: a kind of its own, and the SQLSTATE when the server gave one. */
type Finding = { kind?: string; originalCode?: string; code?: string };

type Meta = { driverAdapterError?: { cause?: Finding } };

const CONNECTION_MESSAGE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|connection terminated|terminating connection|query read timeout|timeout exceeded when trying to connect|closed the connection|reach database/i;

/** Whether an error means that PostgreSQL is away, as opposed to a fault in what was asked of it. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (!(error instanceof Error)) return false;
  const { code, cause, meta } = error as { code?: unknown; cause?: unknown; meta?: Meta };
  if (typeof code === 'string' && (CONNECTION_CODES.has(code) || CONNECTION_SQLSTATE.test(code))) return true;
  // Prisma wraps what the server said; how deep depends on the kind of query.
  for (const found of [cause as Finding | undefined, meta?.driverAdapterError?.cause]) {
    if (CONNECTION_KINDS.has(found?.kind ?? '')) return true;
    if (CONNECTION_SQLSTATE.test(found?.originalCode ?? found?.code ?? '')) return true;
  }
  return CONNECTION_MESSAGE.test(error.message) || (cause instanceof Error && isDatabaseAway(cause));
}

const OUTAGE_PATIENCE_MS = 300_000;
const OUTAGE_RETRY_MS = 100;

/**
 * Repeats a statement, which must bear being repeated, until PostgreSQL is back; for what is known to this
 * process alone. Gives up after five minutes.
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

/** Whether an error of a raw query is the violation of this foreign key. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as { code?: unknown; meta?: Meta };
  const sqlState = meta?.driverAdapterError?.cause?.originalCode ?? code;
  return sqlState === '23503' && error.message.includes(`"${constraint}"`);
}

/** Whether an error is the violation of a unique key. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/** Foreign key violated, and its stricter kind for ON DELETE RESTRICT. */
const REFERENCE_SQLSTATES = new Set(['23503', '23001']);

/** Whether an error is the violation of a foreign key: what is referred to is gone, or is still referred to. */
export function isReferenceViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const cause = (error.meta as Meta | undefined)?.driverAdapterError?.cause;
  return error.code === 'P2003' || REFERENCE_SQLSTATES.has(cause?.originalCode ?? cause?.code ?? '');
}
