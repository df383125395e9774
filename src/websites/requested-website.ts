import type { Request, Response } from 'express';
import { websiteNotFound } from '../errors.js';
import { clientKey } from '../http/client-ip.js';
import { type Limiter, limitRequest } from '../http/rate-limit.js';
import type { ServedWebsite, Websites } from './websites.service.js';

export type WebsiteServices = Readonly<{
  limiter: Pick<Limiter, 'consume'>;
  websites: Pick<Websites, 'find'>;
}>;

/**
 * Finds the website that a public endpoint is asked about. Only ids of no website count against the address, so the
 * visitors of every website are served whatever their neighbours make up.
 *
 * @throws 404 when there is none; 429 when the address has asked for too many of those.
 */
export async function readWebsite<Params extends { website: string }>(
  request: Request<Params>,
  response: Response,
  { limiter, websites }: WebsiteServices,
): Promise<ServedWebsite> {
  const website = await websites.find(request.params.website);
  if (website) return website;
  await limitRequest(response, limiter, { limit: 'unknown-website', key: clientKey(request) });
  throw websiteNotFound();
}
