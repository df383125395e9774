import type { RequestHandler } from 'express';

/** A year, in seconds. */
const HSTS_MAX_AGE_S = 31_536_000;

/**
 * Headers for answers that are data: nothing in them may be run, framed or guessed at. A page or script
 * of ours sets its own policy over it.
 *
 * Other websites load our scripts and read our answers; who may read what is for CORS to say, so the
 * resource policy is open.
 *
 * @param publicUrl Where browsers find us: over https they are told to come back over nothing else.
 */
export function securityHeaders(publicUrl: string): RequestHandler {
  const headers = Object.entries({
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(publicUrl.startsWith('https:') && { 'Strict-Transport-Security': `max-age=${HSTS_MAX_AGE_S}` }),
  });
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
