import { isIP } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

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

/** An address with what a proxy may write around it: a port, which some add to it, and the brackets that this needs. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/;

function withoutPort(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

function readIp(request: Sent): string {
  // A proxy that reports anything but addresses does not tell its clients apart: they count as one.
  const reported = [request.ip, request.socket.remoteAddress].map(
    (address) => address && withoutPort(address).replace(/%.*$/, ''),
  );
  // The library alone would read `1` as 0.0.0.1.
  const address = reported.find((text) => text !== undefined && isIP(text) !== 0);
  if (!address) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : address;
}

/** Returns what a limit per IP counts: an IPv4 address, or the /64 of an IPv6 one, which is what one customer gets. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Returns the key of a limit per IP for the client of a request. */
export const clientKey = (request: Sent): string => networkOf(clientIp(request));
