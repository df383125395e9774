import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * Writes the labels of a host in punycode with their letters, as `société.example`, with its port if it has one.
 *
 * A host that the letters do not lead back to stays as it is.
 */
export function readableHost(host: string): string {
  if (!host.includes('xn--')) return host;
  const name = host.replace(/:\d+$/, '');
  const readable = domainToUnicode(name);
  return domainToASCII(readable) === name ? `${readable}${host.slice(name.length)}` : host;
}
