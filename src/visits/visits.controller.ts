import { Router } from 'express';
import { websiteDisabled } from '../errors.js';
import { JSON_OR_TEXT_TYPE, parseJsonObject, readBody } from '../http/json-body.js';
import { clientIp, clientKey } from '../http/limits/client-ip.js';
import { writeLimitHeaders } from '../http/limits/rate-limit.js';
import { requireOwnOrigin } from '../websites/origin.js';
import { readWebsite, type WebsiteServices } from '../websites/requested-website.js';
import { isServed } from '../websites/websites.service.js';
import { readPageView } from './visit-body.js';
import type { Visits } from './visits.service.js';

type Services = WebsiteServices & { visits: Visits };

/** `POST /websites/{website}/visits`: records a page view and gives the `visitor_hash` of a submission. */
export function visitsController(services: Services): Router {
  const { limiter, visits } = services;
  const router = Router();

  router.post('/api/websites/:website/visits', async (request, response) => {
    const body = await readBody(request);
    const website = await readWebsite(request, response, services);
    const ofAddress = await limiter.consume({ limit: 'visits', key: clientKey(request) });
    writeLimitHeaders(response, ofAddress);
    if (!isServed(website)) throw websiteDisabled();
    requireOwnOrigin(request.get('origin'), website);
    const view = readPageView(parseJsonObject(request, body, JSON_OR_TEXT_TYPE));
    // After every check, so that only what is recorded can use up what the website's visitors share.
    const ofWebsite = await limiter.consume({ limit: 'visits-website', key: website.id });
    writeLimitHeaders(response, [...ofAddress, ...ofWebsite]);
    const visitor = {
      websiteId: website.id,
      address: clientIp(request),
      userAgent: request.get('user-agent') ?? '',
    };
    const visitorHash = await visits.record(visitor, view);
    response.set('Cache-Control', 'no-store').json({ visitor_hash: visitorHash });
  });

  return router;
}
