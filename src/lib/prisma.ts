import { setTimeout as pause } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.js';

export type Database = PrismaClient;

/** The client inside a `$transaction`; every function that takes part in one accepts it. */
export type Transaction = Prisma.TransactionClient;

const POOL_SIZE = 10;

/** After this long without PostgreSQL a request is answered 503 rather than kept waiting. */
const CONNECT_TIMEOUT_MS = 1_500;

export function createDatabase(url: string): Database {
  return new PrismaClient({
    adapter: new PrismaPg({
      connectionString: url,
      max: POOL_SIZE,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    }),
  });
}

const CONNECTION_CODES = new Set(['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1017', 'P2024', 'P2037']);

/** SQLSTATE classes of a server that is away, starting, stopping or full: 08, 53, 57P. */
const CONNECTION_SQLSTATE = /^(08|53|57P)/;

const CONNECTION_MESSAGE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|terminat|timeout exceeded when trying to connect|closed the connection|reach database/i;

/** Whether an error means that PostgreSQL is away, as opposed to a fault in what was asked of it. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (!(error instanceof Error)) return false;
  const { code, cause, meta } = error as PrismaError;
  if (typeof code === 'string' && (CONNECTION_CODES.has(code) || CONNECTION_SQLSTATE.test(code))) return true;
  // Prisma wraps what the server said; how deep depends on the kind of query.
  for (const original of [cause, meta?.driverAdapterError?.cause]) {
    if (CONNECTION_SQLSTATE.test(original?.originalCode ?? original?.code ?? '')) return true;
  }
  return CONNECTION_MESSAGE.test(error.message) || (cause instanceof Error && isDatabaseAway(cause));
}

type ServerError = { originalCode?: string; code?: string };

type PrismaError = {
  code?: unknown;
  cause?: ServerError;
  meta?: { driverAdapterError?: { cause?: ServerError } };
};

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

/** Whether an error is the violation of a unique key. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
