import { originNotAllowed } from '../errors.js';
import { parseAnyUrl } from '../lib/text/http-url.js';

/** No origin is longer: a scheme, a host name of 253 characters and a port. Parsing takes the square of its length. */
const MAX_ORIGIN_LENGTH = 280;

/**
 * Tells whether an `Origin` header is that of a website (guide: How paths and letter case are read).
 *
 * The header must be an exact origin, as browsers write it: one that the parser would have to repair, such as a
 * backslash, upper case, a default port or a path, is refused. http and https both match; a port counts only when the
 * host has one.
 *
 * @param origin The header as received.
 * @param host The website's host, as `normaliseHost` returns it.
 */
export function isOwnOrigin(origin: string | undefined, host: string): boolean {
  if (origin === undefined) return false;
  // Fast path of nearly all requests, without a parser. A port might be the default one, which no browser writes.
  if (!host.includes(':') && (origin === `https://${host}` || origin === `http://${host}`)) return true;
  const url = parseOrigin(origin);
  if (url?.origin !== origin || !/^https?:$/.test(url.protocol)) return false;
  return host === (/:\d+$/.test(host) ? url.host : url.hostname);
}

const parseOrigin = (origin: string): URL | null =>
  origin.length <= MAX_ORIGIN_LENGTH ? parseAnyUrl(origin) : null;

/** Reads the host of an `Origin` header for the log; no more of it. */
function sentHostOf(origin: string | undefined): string {
  if (origin === undefined) return 'none';
  // Browsers send `null` for a sandboxed frame, a local file or a redirect.
  if (origin === 'null') return 'null';
  return parseOrigin(origin)?.host ?? 'malformed';
}

/** Requires that an `Origin` header is that of the website. @throws 403 `origin_not_allowed` otherwise. */
export function requireOwnOrigin(origin: string | undefined, website: { host: string }): void {
  if (!isOwnOrigin(origin, website.host)) {
    throw originNotAllowed({ host: website.host, sentHost: sentHostOf(origin) });
  }
}
