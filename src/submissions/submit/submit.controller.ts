import { type Request, type Response, Router } from 'express';
import { createBatcher } from '../../db/batcher.js';
import { clientIp, clientKey } from '../../http/client-ip.js';
import { parseJsonObject, readBody } from '../../http/json-body.js';
import { writeLimitHeaders } from '../../http/rate-limit.js';
import { sendJson } from '../../http/send-json.js';
import { type BearerServices, readBearer } from '../../tokens/bearer.js';
import { readWebsite, type WebsiteServices } from '../../websites/requested-website.js';
import { WORTH_A_RECORD } from './record.js';
import type { Submit, SubmitRequest } from './submit.js';

type Services = BearerServices & Readonly<{ websites: WebsiteServices['websites']; submit: Submit }>;

type Params = { website: string; slug: string };

declare module 'node:http' {
  /** Node joins repeated headers. Express's `get` lower-cases each name, which V8 then has to intern. */
  interface IncomingHttpHeaders {
    'idempotency-key'?: string;
    'x-captcha-provider'?: string;
    'x-captcha-token'?: string;
    'x-website-signature'?: string;
    'x-website-timestamp'?: string;
  }
}

/**
 * Minimum interval between batches of submissions; later arrivals join the next one.
 *
 * Under load several submissions share a round trip to Redis, a statement and a job. A batch of `WORTH_A_RECORD`
 * submissions is flushed at once.
 */
const MIN_INTERVAL_MS = 4;

/** Maximum number of limit checks in one call of the Redis script. */
const MAX_BATCH = 100;

/** Serves `POST /websites/{website}/forms/{slug}/submit`: reads HTTP, writes HTTP. */
export function submitController(services: Services): Router {
  const router = Router();
  const joinBatch = createBatcher<void, void>({
    work: async (batch) => batch.map(() => undefined),
    maxSize: MAX_BATCH,
    atOnce: 1,
    spacingMs: MIN_INTERVAL_MS,
    enough: WORTH_A_RECORD,
  });

  function readRequest(request: Request<Params>, response: Response): SubmitRequest {
    const { headers, params } = request;
    return {
      slug: params.slug,
      requestId: response.locals.requestId,
      clientIp: clientIp(request),
      clientKey: clientKey(request),
      userAgent: headers['user-agent'],
      origin: headers.origin,
      signature: headers['x-website-signature'],
      timestamp: headers['x-website-timestamp'],
      captchaProvider: headers['x-captcha-provider'],
      captchaToken: headers['x-captcha-token'],
      idempotencyKey: headers['idempotency-key'],
      hasToken: headers.authorization !== undefined,
      readBearer: () => readBearer(request, services),
      findWebsite: () => readWebsite(request, response, services),
      parseBody: () => parseJsonObject(request),
      writeLimitHeaders: (standings) => writeLimitHeaders(response, standings),
    };
  }

  router.post('/api/websites/:website/forms/:slug/submit', async (request: Request<Params>, response) => {
    await readBody(request);
    await joinBatch();
    sendJson(response, JSON.stringify(await services.submit(readRequest(request, response))));
  });

  return router;
}
