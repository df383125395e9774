import { Router } from 'express';
import { websiteDisabled } from '../../errors.js';
import { clientKey } from '../../http/limits/client-ip.js';
import { limitRequest } from '../../http/limits/rate-limit.js';
import { requireOwnOrigin } from '../origin.js';
import { readWebsite, type WebsiteServices } from '../requested-website.js';
import { isServed } from '../websites.service.js';
import type { Signatures } from './signatures.service.js';

type Services = WebsiteServices & { signatures: Pick<Signatures, 'issue'> };

/** Serves `GET /websites/{website}/signature`, with which a page of the website submits without a token. */
export function signaturesController(services: Services): Router {
  const { limiter, signatures } = services;
  const router = Router();

  router.get('/api/websites/:website/signature', async (request, response) => {
    response.set('Cache-Control', 'no-store');
    const website = await readWebsite(request, response, services);
    await limitRequest(response, limiter, { limit: 'signature', key: clientKey(request) });
    if (!isServed(website)) throw websiteDisabled();
    requireOwnOrigin(request.get('origin'), website);
    response.json(await signatures.issue(website.id));
  });

  return router;
}
