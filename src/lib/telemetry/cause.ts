import { getSystemErrorName } from 'node:util';
import { singleLine } from '../text/text.js';

/** What an operator can act on: a name that never changes for one kind of failure, and the error's own words. */
type Cause = Readonly<{ cause: string; reason: string }>;

const MAX_REASON_LENGTH = 300;

/** What is looked through for addresses, which takes the square of its length. */
const MAX_READ_LENGTH = 1_000;

/** Errors of Node.js, its TLS and its DNS, by code. */
const BY_CODE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'tls_certificate_expired',
  CERT_NOT_YET_VALID: 'tls_certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_certificate_of_another_name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_certificate_not_trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_certificate_not_trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_certificate_not_trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_certificate_not_trusted',
  EPROTO: 'tls_failed',
  ETLS: 'tls_failed',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_lookup_failed',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ETIMEDOUT: 'timed_out',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EACCES: 'not_permitted',
  EROFS: 'read_only',
  ENOSPC: 'disk_full',
  EMFILE: 'too_many_open_files',
  EAUTH: 'login_refused',
  // A phase of an SMTP conversation took longer than it may.
  EABORT: 'timed_out',
};

/** Tells whether a code of Node.js says that two ends found no TLS with each other, as for an expired certificate. */
export const isTlsCode = (code: string): boolean => BY_CODE[code]?.startsWith('tls_') ?? false;

/** SQLSTATE codes that ask something of an operator; every other is named by its number. */
const BY_SQLSTATE: Readonly<Record<string, string>> = {
  '25006': 'read_only',
  '28000': 'login_refused',
  '28P01': 'login_refused',
  '3D000': 'database_missing',
  '40P01': 'deadlock',
  '42501': 'not_permitted',
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_clients',
  '55P03': 'lock_not_available',
  '57014': 'statement_cancelled',
  '57P01': 'server_stopping',
  '57P02': 'server_crashed',
  '57P03': 'server_starting',
};

/** Messages of errors without a code, or whose library replaces it by one of its own. */
const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/^OOM |maxmemory/, 'memory_full'],
  [/^LOADING /, 'server_starting'],
  [/^READONLY /, 'read_only'],
  [/^MISCONF /, 'disk_full'],
  [/^(NOAUTH|WRONGPASS|NOPERM) /, 'login_refused'],
  [/max number of clients/, 'too_many_clients'],
  [/^ERR (invalid )?DB index/, 'database_missing'],
  [/certificate has expired/, 'tls_certificate_expired'],
  [/certificate is not yet valid/, 'tls_certificate_not_yet_valid'],
  [/does not match certificate|altnames/, 'tls_certificate_of_another_name'],
  [
    /self.signed certificate|local issuer certificate|verify the first certificate/,
    'tls_certificate_not_trusted',
  ],
  [/\bSSL\b|\bTLS\b/, 'tls_failed'],
  [/getaddrinfo ENOTFOUND|queryA ENOTFOUND/, 'name_not_found'],
  [/no space left on device/i, 'disk_full'],
  [/reach database server/, 'unreachable'],
  [/timed? ?out|timeout/i, 'timed_out'],
  [
    /connection (terminated|ended|closed|is closed)|closed the connection|ECONNRESET|stream isn't writeable/i,
    'connection_lost',
  ],
];

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** A server may quote a recipient or a login in its answer. */
const ADDRESS = /[^\s<>:;,()"']+@[^\s<>:;,()"']+/g;

type Found = Readonly<{
  code?: unknown;
  originalCode?: unknown;
  errno?: unknown;
  /** A mail server's reply code. */
  responseCode?: unknown;
  message?: unknown;
}>;

function nameOf({ code, originalCode, errno, responseCode, message }: Found): string | null {
  for (const each of [originalCode, code]) {
    if (typeof each !== 'string') continue;
    const known = BY_CODE[each] ?? BY_SQLSTATE[each];
    if (known) return known;
  }
  // Nodemailer replaces the code of a socket's error and leaves its number.
  if (typeof errno === 'number' && errno < 0) {
    const known = BY_CODE[getSystemErrorName(errno)];
    if (known) return known;
  }
  if (typeof responseCode === 'number') return `smtp_${responseCode}`;
  const text = typeof message === 'string' ? message : '';
  const matched = BY_MESSAGE.find(([pattern]) => pattern.test(text));
  if (matched) return matched[1];
  const sqlstate = [originalCode, code].find(
    (each): each is string => typeof each === 'string' && SQLSTATE.test(each) && /\d/.test(each),
  );
  return sqlstate && !sqlstate.startsWith('P') ? `sqlstate_${sqlstate}` : null;
}

/** Lists an error with the errors that it wraps: its cause, its parts, and what a driver adapter of Prisma reports. */
function chainOf(error: unknown, depth = 0): Found[] {
  if (typeof error !== 'object' || error === null || depth > 4) return [];
  const { cause, errors, meta } = error as {
    cause?: unknown;
    errors?: unknown;
    meta?: { driverAdapterError?: { cause?: unknown } };
  };
  const parts = Array.isArray(errors) ? errors.slice(0, 3) : [];
  return [
    error,
    ...[cause, meta?.driverAdapterError?.cause, ...parts].flatMap((each) => chainOf(each, depth + 1)),
  ];
}

/** Names the cause of an error for the log; `unknown` when no rule knows it. The reason has no e-mail address. */
export function causeOf(error: unknown): Cause {
  const chain = chainOf(error);
  const cause = chain.map(nameOf).find((name) => name !== null) ?? 'unknown';
  const messages = chain.map(({ message }) => (typeof message === 'string' ? message.trim() : ''));
  const reason = singleLine((messages.find(Boolean) ?? String(error)).slice(0, MAX_READ_LENGTH));
  return { cause, reason: reason.replaceAll(ADDRESS, '<address>').slice(0, MAX_REASON_LENGTH) };
}
