import { z } from 'zod';
import { urlOf } from './environment.schema.js';

/** How nodemailer has to read a parameter's text, with the words for another one. */
const KINDS = {
  always: { pattern: /^true$/, words: 'true' },
  boolean: { pattern: /^(true|false)$/, words: 'true or false' },
  positive: { pattern: /^[1-9]\d{0,8}$/, words: 'a whole number from 1 on' },
  version: { pattern: /^TLSv1(\.[1-3])?$/, words: 'a version such as TLSv1.2' },
  text: { pattern: /./, words: 'a text' },
} as const;

type Kind = keyof typeof KINDS;

/**
 * The query parameters of SMTP_URL. nodemailer would ignore one that it does not know, so that a misspelt `requireTLS`
 * would send mail in the clear.
 */
const PARAMETERS: ReadonlyMap<string, Kind> = new Map([
  ['pool', 'always'],
  ['secure', 'boolean'],
  ['requireTLS', 'boolean'],
  ['ignoreTLS', 'boolean'],
  ['opportunisticTLS', 'boolean'],
  ['maxConnections', 'positive'],
  ['maxMessages', 'positive'],
  ['rateLimit', 'positive'],
  ['rateDelta', 'positive'],
  ['idleTimeout', 'positive'],
  ['connectionTimeout', 'positive'],
  ['greetingTimeout', 'positive'],
  ['socketTimeout', 'positive'],
  ['dnsTimeout', 'positive'],
  ['name', 'text'],
  ['localAddress', 'text'],
  ['authMethod', 'text'],
  ['tls.rejectUnauthorized', 'boolean'],
  ['tls.servername', 'text'],
  ['tls.minVersion', 'version'],
  ['tls.maxVersion', 'version'],
  ['tls.ciphers', 'text'],
  ['tls.ecdhCurve', 'text'],
  ['tls.sigalgs', 'text'],
]);

/** Names the first parameter that is unknown, given twice or has a wrong value; null when there is none. */
function faultOf({ protocol, search, searchParams }: URL): string | null {
  // What follows an unescaped question mark in a password is no parameter, and must not be shown.
  if (search.includes('@')) return 'has an @ in its parameters: write ? and @ of a password as %3F and %40';
  for (const [name, value] of searchParams) {
    const kind = PARAMETERS.get(name);
    if (kind === undefined) return `has a parameter ${name} that is not known`;
    if (searchParams.getAll(name).length > 1) return `has the parameter ${name} twice`;
    // nodemailer goes by the scheme.
    if (name === 'secure' && value !== String(protocol === 'smtps:'))
      return `has a parameter secure that contradicts its scheme: write ${value === 'true' ? 'smtps' : 'smtp'}://`;
    if (!KINDS[kind].pattern.test(value)) return `has a parameter ${name} that must be ${KINDS[kind].words}`;
  }
  return null;
}

/** The address of a mail server, with nodemailer's options as query parameters. */
export const smtpUrl = urlOf('smtp:', 'smtps:').check(
  z.superRefine((text, context) => {
    const fault = faultOf(new URL(text));
    if (fault !== null) context.addIssue(fault);
  }),
);
