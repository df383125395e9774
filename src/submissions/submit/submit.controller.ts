import { type Request, type Response, Router } from 'express';
import { type Body, parseJsonObject, readBody } from '../../http/json-body.js';
import { clientIp, clientKey } from '../../http/limits/client-ip.js';
import { writeLimitHeaders } from '../../http/limits/rate-limit.js';
import { sendJson } from '../../http/send-json.js';
import { type BearerServices, readBearer } from '../../tokens/bearer.js';
import { readWebsite, type WebsiteServices } from '../../websites/requested-website.js';
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

/** Serves `POST /websites/{website}/forms/{slug}/submit`: reads HTTP, writes HTTP. */
export function submitController(services: Services): Router {
  const router = Router();

  function readRequest(request: Request<Params>, response: Response, body: Body): SubmitRequest {
    const { headers, params, query } = request;
    return {
      slug: params.slug,
      formVersion: query.form_version,
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
      authorization: headers.authorization,
      readBearer: () => readBearer(request, services),
      findWebsite: () => readWebsite(request, response, services),
      parseBody: () => parseJsonObject(request, body),
      writeLimitHeaders: (results) => writeLimitHeaders(response, results),
    };
  }

  router.post('/api/websites/:website/forms/:slug/submit', async (request: Request<Params>, response) => {
    const body = await readBody(request);
    const result = await services.submit(readRequest(request, response, body));
    response.locals.leadId = result.lead_id;
    sendJson(response, JSON.stringify(result));
  });

  return router;
}
