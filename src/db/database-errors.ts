import { isNativeError } from 'node:util/types';
import { Prisma } from '../generated/prisma/client.js';
import { isTlsCode } from '../lib/telemetry/cause.js';

/** Codes of a socket or a look-up. For a host with several addresses they are all there is: the message is empty. */
const SOCKET_CODES = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

const PRISMA_CODES = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
]);

/**
 * SQLSTATE classes of a server that is away, starting, stopping or full (08, 53, 57P), that only reads (25006), or that
 * lets no connection in: it refuses the login (28) or has no such database (3D).
 */
const CONNECTION_SQLSTATE = /^(08|28|3D|53|57P|25006)/;

/** What Prisma's driver adapters call the same errors. */
const CONNECTION_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
  'AuthenticationFailed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
]);

/** What a driver adapter reports: its own kind of error, and the SQLSTATE when the server gave one. */
type Finding = {
  kind?: string;
  originalCode?: string;
  originalMessage?: string;
  code?: string;
  constraint?: { index?: string };
};

type Meta = { driverAdapterError?: { cause?: Finding } };

const CONNECTION_MESSAGE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|connection terminated|terminating connection|query read timeout|timeout exceeded when trying to connect|closed the connection|is not queryable|does not support SSL|reach database/i;

/**
 * Tells whether an error means that PostgreSQL is away, lets no connection in or takes no writes, as opposed to a fault
 * in the statement.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true;
  if (!isNativeError(error)) return false;
  const { code, cause, meta } = error as { code?: unknown; cause?: unknown; meta?: Meta };
  if (typeof code === 'string') {
    if (SOCKET_CODES.has(code) || PRISMA_CODES.has(code) || CONNECTION_SQLSTATE.test(code)) return true;
    if (isTlsCode(code)) return true;
  }
  // Prisma wraps the server's error; how deep depends on the kind of query.
  for (const found of [cause as Finding | undefined, meta?.driverAdapterError?.cause]) {
    if (CONNECTION_KINDS.has(found?.kind ?? '')) return true;
    if (CONNECTION_SQLSTATE.test(found?.originalCode ?? found?.code ?? '')) return true;
  }
  return CONNECTION_MESSAGE.test(error.message) || (isNativeError(cause) && isDatabaseAway(cause));
}

/**
 * Returns what PostgreSQL said, without the words in which Prisma wraps it; where it said nothing, what the system says
 * of each address of its host.
 */
export function serverMessage(error: Error): string {
  const { meta, errors } = error as { meta?: Meta; errors?: unknown };
  if (Array.isArray(errors)) return errors.map((each: Error) => each.message).join(', ');
  // Prisma keeps the code of such an error only.
  const isOfSocket = error instanceof Prisma.PrismaClientKnownRequestError && SOCKET_CODES.has(error.code);
  return meta?.driverAdapterError?.cause?.originalMessage ?? (isOfSocket ? error.code : error.message);
}

/** Tells whether an error, also one of a raw query, is the violation of this one foreign key. */
export function isForeignKeyViolationOf(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta, constraint: own } = error as { code?: unknown; meta?: Meta; constraint?: unknown };
  const cause = meta?.driverAdapterError?.cause;
  return (cause?.originalCode ?? code) === '23503' && (cause?.constraint?.index ?? own) === constraint;
}

/** Tells whether PostgreSQL has cancelled a statement, as one that takes longer than its timeout. */
export function isStatementCancelled(error: unknown): boolean {
  return (error as { meta?: Meta } | null)?.meta?.driverAdapterError?.cause?.originalCode === '57014';
}

/**
 * Tells whether PostgreSQL has ended a transaction so that others which it waited for could go on. It may be tried
 * again.
 */
export function isDeadlock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as { code?: unknown; meta?: Meta };
  return code === 'P2034' || (meta?.driverAdapterError?.cause?.originalCode ?? code) === '40P01';
}

/** Tells whether an error is the violation of a unique key. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/** SQLSTATEs of a violated foreign key, and of its stricter kind for ON DELETE RESTRICT. */
const REFERENCE_SQLSTATES = new Set(['23503', '23001']);

/**
 * Tells whether an error of Prisma is the violation of any foreign key: the row referred to is gone, or still referred
 * to.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const cause = (error.meta as Meta | undefined)?.driverAdapterError?.cause;
  return error.code === 'P2003' || REFERENCE_SQLSTATES.has(cause?.originalCode ?? cause?.code ?? '');
}

/** Prisma's code of a row to change that is no more. */
const GONE = 'P2025';

/**
 * Tells whether another transaction has come in between: it has made or deleted a row that this one had read otherwise,
 * or both waited for each other. From its beginning again, this one finds what there is now.
 */
export const isOvertaken = (error: unknown): boolean =>
  isDeadlock(error) ||
  isUniqueViolation(error) ||
  isForeignKeyViolation(error) ||
  (error instanceof Prisma.PrismaClientKnownRequestError && error.code === GONE);
