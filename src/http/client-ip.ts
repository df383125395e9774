import { isIP } from 'node:net';
import type { Request } from 'express';

/** Parses an IPv6 address into its eight groups. */
function groupsOf(address: string): number[] {
  // The URL parser knows every notation, the embedded dotted quad included, and prints one.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail] = canonical
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  if (!tail) return head;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

const isMapped = (groups: readonly number[]) =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

const dottedQuad = (groups: readonly number[]) =>
  groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');

/** Caches the address on the request, since Express goes through the proxies again for each read of `ip`. */
const ADDRESS = Symbol('client address');

type Sent = Pick<Request, 'ip' | 'socket'> & { [ADDRESS]?: string };

/**
 * Returns the client's address of a request, as the trusted proxies report it (TRUST_PROXY). An IPv4-mapped IPv6
 * address is printed as IPv4.
 */
export function clientIp(request: Sent): string {
  request[ADDRESS] ??= readIp(request);
  return request[ADDRESS];
}

function readIp(request: Sent): string {
  // A proxy that reports anything but addresses does not tell its clients apart: they count as one.
  const told = [request.ip, request.socket.remoteAddress].map((address) => address?.replace(/%.*$/, ''));
  const address = told.find((text) => text !== undefined && isIP(text) !== 0);
  if (!address) return 'unknown';
  if (isIP(address) === 4) return address;
  const groups = groupsOf(address);
  return isMapped(groups) ? dottedQuad(groups) : address;
}

/** Returns the key of a limit per IP: an IPv4 address, or the /64 of an IPv6 one, which is what one customer gets. */
export function clientKey(request: Sent): string {
  const ip = clientIp(request);
  if (isIP(ip) !== 6) return ip;
  const network = groupsOf(ip)
    .slice(0, 4)
    .map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
