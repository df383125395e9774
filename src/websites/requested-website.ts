import type { Request, Response } from 'express';
import { websiteNotFound } from '../errors.js';
import { clientKey } from '../http/limits/client-ip.js';
import { type Limiter, limitRequest } from '../http/limits/rate-limit.js';
import type { ServedWebsite, Websites } from './websites.service.js';

export type WebsiteServices = Readonly<{
  limiter: Pick<Limiter, 'consume'>;
  websites: Pick<Websites, 'find'>;
}>;

/**
 * Finds the website of a request to a public endpoint. Only unknown ids count against the client's address, so that
 * visitors behind a shared address are served even when a neighbour sends made-up ids.
 *
 * @throws 404 when there is no such website; 429 when the address has sent too many unknown ids.
 */
export async function readWebsite<Params extends { website: string }>(
  request: Request<Params>,
  response: Response,
  { limiter, websites }: WebsiteServices,
): Promise<ServedWebsite> {
  const website = await websites.find(request.params.website);
  if (website) {
    response.locals.websiteId = website.id;
    return website;
  }
  await limitRequest(response, limiter, { limit: 'unknown-website', key: clientKey(request) });
  throw websiteNotFound();
}
