import { z } from 'zod';
import { parseAnyUrl } from '../lib/text/http-url.js';

/**
 * Normalises a host name for the Origin check: lower-case ASCII (punycode), with a port when one is
 * given. Returns null when the text is not exactly a host: with a scheme, a path, user info, a trailing dot,
 * or a default port, which no Origin carries.
 */
export function normaliseHost(text: string): string | null {
  if (text === '' || /[\s/\\?#@]/.test(text) || /:(80|443)?$/.test(text)) return null;
  const url = parseAnyUrl(`http://${text}`);
  return url === null || url.hostname.endsWith('.') ? null : url.host;
}

/** A name of labels, an IPv4 address, or an IPv6 address in brackets, each with a port or without. */
const HOST_OF_PAGES = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[a-f\d:.]+\])(?::\d+)?$/;

/** Why a host is refused that a URL may have, but the origin of no page has. */
export const NO_HOST_OF_PAGES =
  'must be the host of a page, such as www.example.com: no page has one with a wildcard or several';

/**
 * Tells whether a normalised host may be that of a page. The parser of URLs also takes wildcards, quotes, commas and
 * empty labels, which the Origin check would compare in vain.
 */
export const isHostOfPages = (host: string): boolean => HOST_OF_PAGES.test(host);

/** An IPv4 address, as browsers write it, with a port or without. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+(?::\d+)?$/;

/** Returns the hostname of a normalised host: the host without its port. */
export const hostnameOf = (host: string): string => new URL(`http://${host}`).hostname;

/** Schema of a host name in any spelling; the output is its lower-case ASCII form. */
export const host = z
  .string()
  .max(253)
  .transform((value, context) => {
    const normal = normaliseHost(value);
    // The parser reads any number as an address: `1` as `0.0.0.1`.
    if (normal === null || (IPV4.test(normal) && normal !== value)) {
      context.addIssue({
        code: 'custom',
        message: 'must be a host name such as www.example.com, without scheme, path or default port',
      });
    }
    return normal ?? z.NEVER;
  });
