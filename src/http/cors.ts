import type { RequestHandler, Response } from 'express';

const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'Traceparent',
  'Tracestate',
  'X-Captcha-Provider',
  'X-Captcha-Token',
  'X-Request-Id',
  'X-Website-Signature',
  'X-Website-Timestamp',
].join(', ');

const EXPOSED_HEADERS = [
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Form-Versions',
  'X-Request-Id',
].join(', ');

/** How long a browser may cache the answer to a preflight: Chromium's own maximum. */
const PREFLIGHT_MAX_AGE_S = 7200;

/** Tells whether the `Origin` of a request is that of the website with this id. @throws 503 when it cannot be known. */
export type OriginCheck = (websiteId: string, origin: string) => Promise<boolean>;

function answerPreflight(response: Response, allowed: boolean): void {
  if (allowed) {
    response.set({
      'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
      'Access-Control-Allow-Headers': ALLOWED_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
    });
  }
  response.status(204).end();
}

/**
 * Matches the endpoints of one website; `by-department` is of the directory, not an id. It is a pattern and not a
 * route, because for a mounted path Express cuts, reparses and restores the URL.
 */
const WEBSITE_PATH = /^\/api\/websites\/(?!by-department(?:\/|$))([^/]+)/i;

/** Returns the website of a path, decoded as Express will for the route, which also refuses a malformed path. */
function websiteOf(path: string): string | undefined {
  const sent = WEBSITE_PATH.exec(path)?.[1];
  if (!sent?.includes('%')) return sent;
  try {
    return decodeURIComponent(sent);
  } catch {
    return sent;
  }
}

/**
 * Lets the pages of a website, and no others, read every answer of its endpoints. The handler comes before any other
 * that may answer, so that a page can also read why it was refused.
 *
 * Credentials are not allowed: no answer depends on a cookie.
 */
export function cors(isOwnOrigin: OriginCheck): RequestHandler {
  return async (request, response, next) => {
    const website = websiteOf(request.path);
    if (website === undefined) return next();
    response.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    const allowed = origin !== undefined && (await isOwnOrigin(website, origin));
    if (allowed) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    }
    if (request.method === 'OPTIONS') answerPreflight(response, allowed);
    else next();
  };
}
