import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseAnyUrl } from './text/http-url.js';

/** The schemas of values in the environment. */

export const port = z.coerce.number().int().min(0).max(65535);
export const seconds = z.coerce.number().int().positive();
/** The address of a service that the gateway calls. */
export const serviceUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an http or https address',
  abort: true,
});

/** The address before the paths of links, as browsers write it, without a slash at its end. */
export const publicUrl = serviceUrl
  .refine(
    (text) => {
      const { username, password, search, hash } = new URL(text);
      return `${username}${password}${search}${hash}` === '' && !/[?#]/.test(text);
    },
    { error: 'must have no user, password, query or fragment, since links continue it' },
  )
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

export const urlOf = (...protocols: string[]) =>
  z.string().refine((text) => protocols.includes(parseAnyUrl(text)?.protocol ?? ''), {
    error: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    abort: true,
  });

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The address of a Redis, whose path is the number of a database. */
export const redisUrl = urlOf('redis:', 'rediss:')
  .refine(
    (text) => {
      const { pathname, searchParams } = new URL(text);
      return /^\/?\d*$/.test(pathname) && /^\d*$/.test(searchParams.get('db') ?? '');
    },
    { error: 'must end with its port or the number of a database, as in redis://localhost:6379/1' },
  )
  .refine(isDecodable, { error: 'must have %25 for a % of its password' });

export const appKey = z
  .string()
  .refine((text) => /^[A-Za-z0-9+/]{43}=$/.test(text), {
    error: 'must be 32 bytes in Base64, as `openssl rand -base64 32` prints them',
  })
  .transform((text) => Buffer.from(text, 'base64'));

/** An address as SMTP carries it without extensions; its domain may be one of a private network, or a literal. */
const ASCII_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@(\[[!-~]+\]|[\w-]+(\.[\w-]+)*)$/;

/** Writes the domain of an address as mail servers know it: one with accents in its ASCII form, any other as it is. */
const withAsciiDomain = (address: string): string =>
  ASCII_ADDRESS.test(address) ? address : address.replace(/(?<=@)[^@]*$/, domainToASCII);

export const emailAddress = z
  .string()
  .transform(withAsciiDomain)
  .pipe(z.email({ error: 'must be an address, as in forms@agency.test' }));

export const mailbox = z
  .string()
  .regex(/^([^\r\n<>"]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, {
    error: 'must be an address, as in forms@agency.test or Agency <forms@agency.test>',
  })
  .transform((text) => {
    const [, name = '', address = text] = /^(.*)<(.*)>$/.exec(text) ?? [];
    return { name: name.trim(), address: withAsciiDomain(address) };
  })
  .refine(({ address }) => ASCII_ADDRESS.test(address), {
    error: 'must have an address of ASCII letters, digits and signs before its @, and a domain after it',
  });

/** Names of subnets that proxy-addr, which Express asks, knows. */
const NAMED_SUBNETS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Tells whether proxy-addr takes a text: a name, an address, or a subnet of at least one bit by number or mask. */
function isProxy(text: string): boolean {
  if (NAMED_SUBNETS.has(text)) return true;
  const [start = '', size, ...further] = text.split('/');
  const kind = isIP(start);
  if (kind === 0 || further.length > 0) return false;
  if (size === undefined) return true;
  const isMask = kind === 4 && isIP(size) === 4;
  const bits = isMask ? (ipaddr.IPv4.parse(size).prefixLengthFromSubnetMask() ?? 0) : Number(size);
  return /^[\d.]+$/.test(size) && bits >= 1 && bits <= (kind === 4 ? 32 : 128) && Number.isInteger(bits);
}

/** A number of hops, or what Express accepts as `trust proxy`: names, addresses and subnets. */
export const trustProxy = z
  .string()
  .transform((text) => (/^\d{1,2}$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim())))
  .refine((given) => typeof given === 'number' || given.every(isProxy), {
    error:
      'must be a number of hops, or loopback, linklocal, uniquelocal, addresses and subnets separated by commas',
  });

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

export const locales = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    // A code that no language has offers a translation that no page ever asks for.
    (parts) => parts.every((part) => /^[a-z]{2,3}$/.test(part) && languageNames.of(part) !== undefined),
    { error: 'must be codes of languages separated by commas, as in fr,en' },
  )
  .transform((parts) => [...new Set(parts)]);

/** Addresses and subnets, as in `127.0.0.1` and `10.0.0.0/8`. */
export const subnets = z
  .string()
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .pipe(
    z.array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
        error: 'must be addresses or subnets separated by commas, as in 10.0.0.0/8',
      }),
    ),
  );

/** A domain of at least two labels, in lower case. */
export const domainName = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(
    z.string().regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/, {
      error: 'must be a domain, as in bounces.agency.test',
    }),
  );

/** Tells whether a text is an address of a resolver, with a port or without. */
function isResolver(text: string): boolean {
  const [, address = text, number = '53'] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(isIP(text) ? '' : text) ?? [];
  return isIP(address) !== 0 && Number(number) >= 1 && Number(number) <= 65_535;
}

/** Addresses of resolvers, each with a port where it is not 53. */
export const dnsServers = z
  .string()
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .refine((parts) => parts.length > 0 && parts.every(isResolver), {
    error: 'must be addresses separated by commas, as in 9.9.9.9,127.0.0.1:5353',
  });

/** A time of day, as in 07:30. */
export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
  error: 'must be a time of day, as in 07:30',
});
