import { Router } from 'express';
import { websiteDisabled, websiteNotFound } from '../../errors.js';
import { FIVE_MINUTES } from '../../http/assets/cache-control.js';
import { answerIfKnown } from '../../http/assets/etag.js';
import { clientKey } from '../../http/limits/client-ip.js';
import { limitRequest } from '../../http/limits/rate-limit.js';
import { sendJson } from '../../http/send-json.js';
import { requireOwnOrigin } from '../../websites/origin.js';
import { readWebsite, type WebsiteServices } from '../../websites/requested-website.js';
import { isServed } from '../../websites/websites.service.js';
import type { Forms } from './forms.service.js';

type Services = WebsiteServices & { forms: Pick<Forms, 'configure'> };

/** Serves `GET /websites/{website}/forms/config`, with the checks in their order. */
export function formsController(services: Services): Router {
  const { limiter, forms } = services;
  const router = Router();

  router.get('/api/websites/:website/forms/config', async (request, response) => {
    const website = await readWebsite(request, response, services);
    await limitRequest(response, limiter, { limit: 'api-forms-config', key: clientKey(request) });
    if (!isServed(website)) throw websiteDisabled();
    requireOwnOrigin(request.get('origin'), website);
    const answer = await forms.configure(website, request.query.f);
    if (!answer) throw websiteNotFound();
    const { etag, body, versions } = answer;

    response.setHeader('Cache-Control', FIVE_MINUTES);
    if (versions) response.setHeader('X-Form-Versions', versions);
    if (!answerIfKnown(request, response, etag)) sendJson(response, body, 'latin1');
  });

  return router;
}
