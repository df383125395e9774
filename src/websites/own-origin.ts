import type { OriginCheck } from '../http/cors.js';
import { isOwnOrigin } from './origin.js';
import type { ServedWebsite, Websites } from './websites.service.js';

/** Creates the check whether an `Origin` is that of the website with an id. */
export function createOriginCheck(websites: Pick<Websites, 'find' | 'lastKnown'>): OriginCheck {
  async function find(id: string): Promise<ServedWebsite | null> {
    try {
      return await websites.find(id);
    } catch {
      // Fall back on the last known website, so that its page may read the 503 answer.
      return websites.lastKnown(id);
    }
  }

  return async (websiteId, origin) => {
    const website = await find(websiteId);
    return website !== null && isOwnOrigin(origin, website.host);
  };
}
