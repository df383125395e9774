import { isOwnOrigin } from './origin.js';
import type { Websites } from './websites.service.js';

/** More websites than one installation serves; beyond it those seen first are forgotten. */
const MAX_REMEMBERED = 10_000;

/**
 * Creates the check whether an `Origin` is that of the website with an id. It remembers the hosts it has
 * seen: with PostgreSQL away a page can still read that the answer is 503.
 */
export function createOriginCheck(websites: Pick<Websites, 'find'>) {
  const hosts = new Map<string, string>();

  function remember(id: string, host: string): void {
    hosts.set(id, host);
    const [first] = hosts.keys();
    if (hosts.size > MAX_REMEMBERED && first !== undefined) hosts.delete(first);
  }

  async function hostOf(websiteId: string): Promise<string | undefined> {
    const id = websiteId.toLowerCase();
    let host: string | undefined;
    try {
      host = (await websites.find(id))?.host;
    } catch {
      return hosts.get(id);
    }
    if (host === undefined) hosts.delete(id);
    else if (hosts.get(id) !== host) remember(id, host);
    return host;
  }

  return async (websiteId: string, origin: string): Promise<boolean> => {
    const host = await hostOf(websiteId);
    return host !== undefined && isOwnOrigin(origin, host);
  };
}
