import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { createSemaphore } from '../semaphore.js';

/** Finds the addresses of a name; rejects with the error of the resolver when there are none. */
export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

/** Time for the first answer of a DNS server, in milliseconds; the second try has longer. */
const DNS_TIMEOUT_MS = 1_500;
const DNS_TRIES = 2;

/** How long IPv4 addresses wait for IPv6 ones: some name servers drop questions for AAAA. */
const V6_MS = 300;

/** Names that lead to this machine and are not asked of DNS (RFC 6761, 6.3). */
const LOOPBACK = /(^|\.)localhost\.?$/i;

/** Errors after which a name may still be in the hosts file: DNS has no such name, or there is no DNS server. */
const NOT_IN_DNS = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Asks for the addresses of both families; once IPv4 ones have come, the question for IPv6 is cancelled after `V6_MS`.
 * IPv6 ones wait for the others, without which a machine that has IPv4 alone reaches nothing.
 */
async function askBoth(resolver: Resolver, name: string) {
  const [v4, v6] = [resolver.resolve4(name), resolver.resolve6(name)];
  let timer: NodeJS.Timeout | undefined;
  const limit = (): void => {
    timer = setTimeout(() => resolver.cancel(), V6_MS);
  };
  v4.then(limit, () => undefined);
  const outcomes = await Promise.allSettled([v4, v6]);
  clearTimeout(timer);
  return outcomes;
}

/**
 * Creates the resolver of names that a person typed.
 *
 * It asks DNS over sockets. `dns.lookup` would occupy a thread for as long as a dead server is waited for, and a few
 * such names would hold up every look-up of the process, that of the mail server included.
 *
 * @param servers DNS servers as in `192.0.2.1:53`; the system's, unless given.
 */
export function createResolveName(servers?: readonly string[]): ResolveName {
  // One at a time, since a server may deny a name at once and then keep the second question waiting.
  const oneAtATime = createSemaphore(1);
  const lookUpHere = (name: string) => oneAtATime(() => lookup(name, { all: true }));

  return async (name) => {
    if (LOOPBACK.test(name)) return lookUpHere(name);
    // A new one each time, since it reads the system's servers only once.
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (servers) resolver.setServers(servers);
    const [v4, v6] = await askBoth(resolver, name);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    const errors = [v4, v6].map((outcome) => (outcome as PromiseRejectedResult).reason);
    const failure = errors.find(({ code }) => !NOT_IN_DNS.has(code));
    if (failure) throw failure;
    return lookUpHere(name);
  };
}
