import type { RequestHandler, Response } from 'express';

const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'X-Captcha-Provider',
  'X-Captcha-Token',
  'X-Website-Signature',
  'X-Website-Timestamp',
].join(', ');

const EXPOSED_HEADERS = ['ETag', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'].join(', ');

/** How long a browser may remember the answer to a preflight: Chromium's own maximum. */
const PREFLIGHT_MAX_AGE_S = 7200;

/** Whether the `Origin` of a request is that of the website with this id. */
export type OriginCheck = (websiteId: string, origin: string) => Promise<boolean>;

function answerPreflight(response: Response, allowed: boolean): void {
  if (allowed) {
    response.set({
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': ALLOWED_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
    });
  }
  response.status(204).end();
}

/**
 * Lets the pages of a website, and no others, read every answer of its endpoints. Stands before anything
 * that may answer, so that a page can also read why it was refused. For a route with `:website`.
 *
 * Without credentials: no answer depends on a cookie.
 */
export function cors(isOwnOrigin: OriginCheck): RequestHandler<{ website: string }> {
  return async (request, response, next) => {
    response.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    const allowed = origin !== undefined && (await isOwnOrigin(request.params.website, origin));
    if (allowed) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    }
    if (request.method === 'OPTIONS') answerPreflight(response, allowed);
    else next();
  };
}
