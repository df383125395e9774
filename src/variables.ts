import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { StartError } from './errors.js';
import {
  appKey,
  dnsServers,
  domainName,
  emailAddress,
  locales,
  mailbox,
  port,
  publicUrl,
  redisUrl,
  seconds,
  serviceUrl,
  subnets,
  timeOfDay,
  trustProxy,
  urlOf,
} from './lib/environment.schema.js';
import { readWith } from './lib/faults.js';
import { timeZone } from './lib/input.schema.js';
import { smtpUrl } from './lib/smtp-url.js';

const PLATFORM_LOCALES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];

const environment = z.object({
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: urlOf('postgres:', 'postgresql:').optional(),
  DIRECT_DATABASE_URL: urlOf('postgres:', 'postgresql:').optional(),
  REDIS_URL: redisUrl.optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailbox.optional(),
  PUBLIC_URL: publicUrl.optional(),
  APP_KEY: appKey.optional(),
  APP_KEY_PREVIOUS: appKey.optional(),
  TRUST_PROXY: trustProxy.optional(),
  KEEP_ALIVE_S: z.coerce.number().int().min(1).max(3_600).default(75),
  DRAIN_DELAY_S: z.coerce.number().int().min(0).max(300).default(0),
  CAPTCHA_DEFAULT: z.enum(['altcha', 'off']).default('altcha'),
  PLATFORM_LOCALES: locales.default(PLATFORM_LOCALES),
  SIGNATURE_TTL_S: seconds.default(600),
  ALTCHA_MAX_NUMBER: z.coerce.number().int().min(1000).max(10_000_000).default(100_000),
  METRICS_TOKEN: z.string().min(16).optional(),
  WORKER_PORT: port.optional(),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(100).default(10),
  MAIL_PER_SECOND: z.coerce.number().int().positive().optional(),
  PROBE_MAILBOX: emailAddress.optional(),
  OUTBOUND_ALLOW: subnets.optional(),
  BOUNCE_DOMAIN: domainName.optional(),
  BOUNCE_PORT: port.default(2525),
  DNS_SERVERS: dnsServers.optional(),
  DIGEST_AT: timeOfDay.default('07:30'),
  TIME_ZONE: timeZone.default('Europe/Paris'),
  GRAPHQL_LANDING_PAGE: z.enum(['on', 'off']).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  RECAPTCHA_VERIFY_URL: serviceUrl.default('https://www.google.com/recaptcha/api/siteverify'),
  RECAPTCHA_ENTERPRISE_URL: serviceUrl.default('https://recaptchaenterprise.googleapis.com/v1'),
  TURNSTILE_VERIFY_URL: serviceUrl.default('https://challenges.cloudflare.com/turnstile/v0/siteverify'),
  HCAPTCHA_VERIFY_URL: serviceUrl.default('https://api.hcaptcha.com/siteverify'),
  OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: serviceUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/protobuf', 'http/json']).default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.enum(['http/protobuf', 'http/json']).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_SDK_DISABLED: z.stringbool().default(false),
});

const REQUIRED = ['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL', 'APP_KEY'] as const;

/** Variables with a secret, each of which may be given as the name of a file instead, as in `APP_KEY_FILE`. */
const SECRETS = [
  'DATABASE_URL',
  'DIRECT_DATABASE_URL',
  'REDIS_URL',
  'SMTP_URL',
  'APP_KEY',
  'APP_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

/** How spans are sent. */
export type Tracing = Readonly<{ protocol: 'http/protobuf' | 'http/json'; headers: string | undefined }>;

/** Tells by OpenTelemetry's variables how spans are sent; its packages read the others themselves. */
function tracingOf(values: z.output<typeof environment>): Tracing | null {
  const endpoint = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || values.OTEL_TRACES_EXPORTER === 'none' || values.OTEL_SDK_DISABLED) return null;
  const { OTEL_EXPORTER_OTLP_HEADERS: headers } = values;
  const protocol = values.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? values.OTEL_EXPORTER_OTLP_PROTOCOL;
  return Object.freeze({ protocol, headers });
}

/** Files with certificates and keys for the collector, which OpenTelemetry's exporter would do without in silence. */
const COLLECTOR_FILES = ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'].flatMap((file) => [
  `OTEL_EXPORTER_OTLP_${file}`,
  `OTEL_EXPORTER_OTLP_TRACES_${file}`,
]);

/** Requires that the process can read the files of the collector that are set. */
function checkCollectorFiles(given: NodeJS.ProcessEnv, faults: string[]): void {
  for (const name of COLLECTOR_FILES) {
    const file = given[name]?.trim();
    if (!file) continue;
    try {
      readFileSync(file);
    } catch (error) {
      faults.push(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
}

/** Reads the files that `<name>_FILE` variables name, as orchestrators mount secrets; a last line break is dropped. */
function readSecretFiles(given: Readonly<Record<string, string | undefined>>, faults: string[]) {
  const contents: Record<string, string> = {};
  for (const name of SECRETS) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) faults.push(`${name} and ${name}_FILE are both set`);
    try {
      contents[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      faults.push(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
  return contents;
}

/**
 * Reads the variables and the files that they name. Those of REQUIRED are required beside DATABASE_URL.
 *
 * @throws StartError that names every faulty or missing variable at once.
 */
export function readVariables(env: NodeJS.ProcessEnv) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const faults: string[] = [];
  const given: NodeJS.ProcessEnv = { ...set, ...readSecretFiles(set, faults) };
  const blank = new Set(Object.keys(environment.shape).filter((name) => /^\s+$/.test(given[name] ?? '')));
  for (const name of blank) faults.push(`${name} must be more than white space`);
  const read = readWith(environment, given);
  if ('faults' in read) {
    for (const { path, message } of read.faults) {
      if (!blank.has(String(path[0]))) faults.push(`${String(path[0])} ${message}`);
    }
  }
  if (given.DATABASE_URL !== undefined) {
    for (const name of REQUIRED) {
      if (given[name] === undefined) faults.push(`${name} is required when DATABASE_URL is set`);
    }
  }
  if (given.APP_KEY_PREVIOUS !== undefined && given.APP_KEY_PREVIOUS === given.APP_KEY) {
    faults.push('APP_KEY_PREVIOUS must be another key than APP_KEY');
  }
  if (given.DIRECT_DATABASE_URL !== undefined && given.DATABASE_URL === undefined) {
    faults.push('DIRECT_DATABASE_URL needs DATABASE_URL beside it');
  }
  const tracing = 'faults' in read ? null : tracingOf(read.data);
  if (tracing) checkCollectorFiles(given, faults);
  if ('faults' in read || faults.length > 0) {
    throw new StartError(['Wrong configuration:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
  }
  return { given, values: read.data, tracing };
}
