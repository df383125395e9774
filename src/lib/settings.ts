import { isIP } from 'node:net';
import { z } from 'zod';

/** The schemas of values in the environment. */

export const port = z.coerce.number().int().min(0).max(65535);
export const seconds = z.coerce.number().int().positive();
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

export const urlOf = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

export const appKey = z
  .string()
  .refine((text) => /^[A-Za-z0-9+/]{43}=$/.test(text), {
    error: 'must be 32 bytes in Base64, as `openssl rand -base64 32` prints them',
  })
  .transform((text) => Buffer.from(text, 'base64'));

export const mailbox = z
  .string()
  .regex(/^([^\r\n<>"]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, {
    error: 'must be an address, as in forms@agency.test or Agency <forms@agency.test>',
  })
  .transform((text) => {
    const [, name = '', address = text] = /^(.*)<(.*)>$/.exec(text) ?? [];
    return { name: name.trim(), address };
  });

/** A number of hops, or what Express accepts as `trust proxy`: names, addresses and subnets. */
export const trustProxy = z
  .string()
  .regex(/^(\d{1,2}|[\w.:/]+(\s*,\s*[\w.:/]+)*)$/, {
    error: 'must be a number of hops, or loopback, addresses and subnets separated by commas',
  })
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim())));

export const locales = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(z.string().regex(/^[a-z]{2,3}$/, { error: 'must be languages such as fr,en' })).min(1));

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

/** Addresses of resolvers, each with a port where it is not 53. */
export const dnsServers = z
  .string()
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
  .refine(
    (parts) =>
      parts.length > 0 &&
      parts.every((part) => isIP(part) || isIP(/^\[?([^\]]+)\]?:\d{1,5}$/.exec(part)?.[1] ?? '')),
    { error: 'must be addresses separated by commas, as in 9.9.9.9,127.0.0.1:5353' },
  );

/** A time of day, as in 07:30. */
export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
  error: 'must be a time of day, as in 07:30',
});
