import type { OriginCheck } from '../http/cors.js';
import { isOwnOrigin } from './origin.js';
import type { ServedWebsite, Websites } from './websites.service.js';

/**
 * Creates the check whether an `Origin` is that of the website with an id.
 *
 * While PostgreSQL is away the last known website counts, so that its page may read the 503 answer. The check rejects
 * when there is none: a request that went on, and found the website a moment later, would be answered without CORS.
 */
export function createOriginCheck(websites: Pick<Websites, 'find' | 'lastKnown'>): OriginCheck {
  async function find(id: string): Promise<ServedWebsite | null> {
    try {
      return await websites.find(id);
    } catch (error) {
      const known = websites.lastKnown(id);
      if (known) return known;
      throw error;
    }
  }

  return async (websiteId, origin) => {
    const website = await find(websiteId);
    return website !== null && isOwnOrigin(origin, website.host);
  };
}
