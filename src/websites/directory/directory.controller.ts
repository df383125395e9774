import { Router } from 'express';
import { departmentNotFound } from '../../errors.js';
import { sendList } from '../../http/send-json.js';
import { requireAccess, requireOrganization } from '../../tokens/access.js';
import { type BearerServices, readIntegrator } from '../../tokens/bearer.js';
import type { Directory } from './directory.service.js';

type Services = BearerServices & Readonly<{ directory: Directory }>;

/** Serves the website directory of the token's organization. */
export function directoryController(services: Services): Router {
  const { directory } = services;
  const router = Router();

  router.get('/api/websites', async (request, response) => {
    const bearer = await readIntegrator(request, response, services);
    requireOrganization(bearer, 'team:read');
    await sendList(response, await directory.list(bearer));
  });

  router.get('/api/websites/by-department/:code', async (request, response) => {
    const bearer = await readIntegrator(request, response, services);
    requireAccess(bearer, 'team:read');
    const websites = await directory.listServing(bearer, request.params.code);
    if (websites.length === 0) throw departmentNotFound();
    await sendList(response, websites);
  });

  return router;
}
