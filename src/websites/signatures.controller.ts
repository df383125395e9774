import { Router } from 'express';
import { websiteDisabled, websiteNotFound } from '../errors.js';
import { clientKey } from '../http/client-ip.js';
import { type Limiter, limitRequest } from '../http/rate-limit.js';
import { requireOwnOrigin } from './origin.js';
import type { Signatures } from './signatures.service.js';
import { isServed, type Websites } from './websites.service.js';

type Services = {
  limiter: Pick<Limiter, 'consume'>;
  websites: Pick<Websites, 'find'>;
  signatures: Pick<Signatures, 'issue'>;
};

/** `GET /websites/{website}/signature`: what a page of the website needs to submit without a token. */
export function signaturesController({ limiter, websites, signatures }: Services): Router {
  const router = Router();

  router.get('/api/websites/:website/signature', async (request, response) => {
    const website = await websites.find(request.params.website);
    if (!website) throw websiteNotFound();
    await limitRequest(response, limiter, { limit: 'signature', key: clientKey(request) });
    if (!isServed(website)) throw websiteDisabled();
    requireOwnOrigin(request.get('origin'), website);
    response.set('Cache-Control', 'no-store').json(await signatures.issue(website.id));
  });

  return router;
}
