import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';

/** A year, in seconds. */
const HSTS_MAX_AGE_S = 31_536_000;

/** The source expression that allows an inline script or style of this text (CSP level 3, section 2.3.1). */
export const hashSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Sets security headers for answers that are data: browsers may not run, frame or sniff them. A page or script of the
 * gateway overrides the policy with its own.
 *
 * Other websites load the gateway's scripts and read its answers. CORS decides which pages may read what, so the
 * resource policy is open.
 *
 * @param publicUrl The gateway's public URL; with https, browsers are told to use nothing else from then on.
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
