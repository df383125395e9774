import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import express from 'express';
import { readSettings } from '../../src/config.js';
import { READ_NAMES, VARIABLES } from '../support/variables.js';

const EXTERNAL = {
  DATABASE_URL: 'postgres://a:b@db/formgate',
  SMTP_URL: 'smtp://mail',
  MAIL_FROM: 'forms@agency.test',
  PUBLIC_URL: 'https://forms.agency.test',
  APP_KEY: Buffer.alloc(32, 1).toString('base64'),
};

async function fileOf(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'secret-')), 'secret');
  await writeFile(file, text);
  return file;
}

test.each(['DATABASE_URL', 'SMTP_URL', 'APP_KEY'] as const)('%s can be given as a file', async (name) => {
  const { [name]: value, ...others } = EXTERNAL;
  const settings = readSettings({ ...others, [`${name}_FILE`]: await fileOf(`${value}\n`) });
  expect(settings).toEqual(readSettings(EXTERNAL));
});

test('every other secret can be given as a file', async () => {
  const settings = readSettings({
    ...EXTERNAL,
    APP_KEY_PREVIOUS_FILE: await fileOf(Buffer.alloc(32, 2).toString('base64')),
    DIRECT_DATABASE_URL_FILE: await fileOf('postgres://a:b@primary/formgate'),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS_FILE: await fileOf('api-key=secret\n'),
    REDIS_URL_FILE: await fileOf('redis://redis'),
    METRICS_TOKEN_FILE: await fileOf('sixteen characters\n'),
  });
  expect(settings).toMatchObject({
    redisUrl: 'redis://redis',
    metricsToken: 'sixteen characters',
    appKeyPrevious: Buffer.alloc(32, 2),
    directDatabaseUrl: 'postgres://a:b@primary/formgate',
    tracing: { protocol: 'http/protobuf', headers: 'api-key=secret' },
  });
});

test('a protocol for traces alone goes before that of all signals', () => {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
  const traces = { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
  expect(readSettings({ ...EXTERNAL, ...collector, ...traces })).toMatchObject({
    tracing: { protocol: 'http/json' },
  });
  expect(() =>
    readSettings({ ...EXTERNAL, ...collector, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' }),
  ).toThrow(/OTEL_EXPORTER_OTLP_TRACES_PROTOCOL/);
});

test('a previous key that is the key itself is a fault', () => {
  const { APP_KEY } = EXTERNAL;
  expect(() => readSettings({ ...EXTERNAL, APP_KEY_PREVIOUS: APP_KEY })).toThrow(
    /^ {2}APP_KEY_PREVIOUS must be another key than APP_KEY$/m,
  );
});

test('a file that is missing, and a variable that is given twice, are faults that show no secret', async () => {
  const { APP_KEY, ...others } = EXTERNAL;
  expect(() => readSettings({ ...others, APP_KEY_FILE: '/nowhere/app-key' })).toThrow(
    /APP_KEY_FILE cannot be read: ENOENT/,
  );
  expect(() => readSettings({ ...EXTERNAL, APP_KEY_FILE: '/dev/null' })).toThrow(
    /APP_KEY and APP_KEY_FILE are both set/,
  );
  expect(() => readSettings({ ...EXTERNAL, APP_KEY: 'not a key at all' })).toThrow(
    /^(?!.*not a key at all)/s,
  );
});

/** Names of the variables that .env.example explains. */
const explained = [...readFileSync('.env.example', 'utf8').matchAll(/^# ([A-Z_]+)=/gm)].map(
  ([, name]) => name!,
);

test('.env.example explains every variable that Formgate reads', () => {
  expect(VARIABLES.length).toBeGreaterThan(20);
  const named = READ_NAMES.filter((name) => !name.endsWith('_FILE'));
  expect(explained).toEqual(expect.arrayContaining(named));
});

test('.env.example can be sourced by a shell with every line uncommented', async () => {
  const { execFileSync } = await import('node:child_process');
  const file = await fileOf(readFileSync('.env.example', 'utf8').replace(/^# (?=[A-Z_]+=)/gm, ''));
  const printed = execFileSync('sh', [
    '-euc',
    `set -a; . "$0"; printf '%s|%s' "$MAIL_FROM" "$SMTP_URL"`,
    file,
  ]);
  expect(printed.toString()).toBe(
    'Agency Forms <forms@agency.example>|smtp://user:password@mail.example.com:587',
  );
});

test.each([
  ['PORT', 'abc', 'must be a number'],
  ['PORT', '80.5', 'must be a whole number'],
  ['PORT', '-1', 'must be at least 0'],
  ['PORT', '70000', 'must be at most 65535'],
  ['DATABASE_URL', 'mysql://db', 'must be an address that starts with postgres:// or postgresql://'],
  ['PUBLIC_URL', 'agency.test', 'must be an http or https address'],
  ['MAIL_FROM', 'agency', 'must be an address, as in forms@agency.test or Agency <forms@agency.test>'],
  [
    'MAIL_FROM',
    'Agence <réception@agency.test>',
    'must have an address of ASCII letters, digits and signs before its @, and a domain after it',
  ],
  [
    'MAIL_FROM',
    'forms@agency..test',
    'must have an address of ASCII letters, digits and signs before its @, and a domain after it',
  ],
  ['PROBE_MAILBOX', 'sondes', 'must be an address, as in forms@agency.test'],
  ['APP_KEY', 'short', 'must be 32 bytes in Base64, as `openssl rand -base64 32` prints them'],
  ['KEEP_ALIVE_S', '0', 'must be at least 1'],
  ['DRAIN_DELAY_S', '301', 'must be at most 300'],
  ['CAPTCHA_DEFAULT', 'none', 'must be one of altcha, off'],
  ['SIGNATURE_TTL_S', '0', 'must be more than 0'],
  ['ALTCHA_MAX_NUMBER', '10', 'must be at least 1000'],
  ['METRICS_TOKEN', 'short', 'must be at least 16 characters'],
  ['WORKER_CONCURRENCY', 'ten', 'must be a number'],
  ['MAIL_PER_SECOND', '0', 'must be more than 0'],
  ['MAIL_PER_SECOND', '0.5', 'must be a whole number'],
  ['DNS_SERVERS', 'dns', 'must be addresses separated by commas, as in 9.9.9.9,127.0.0.1:5353'],
  ['DNS_SERVERS', '127.0.0.1:99999', 'must be addresses separated by commas, as in 9.9.9.9,127.0.0.1:5353'],
  ['DIGEST_AT', '7:30', 'must be a time of day, as in 07:30'],
  ['TIME_ZONE', 'Paris', 'must be a time zone such as Europe/Paris'],
  ['TIME_ZONE', `Europe/${'x'.repeat(60)}`, 'must be at most 64 characters'],
  ['BOUNCE_DOMAIN', 'agency', 'must be a domain, as in bounces.agency.test'],
  ['LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, fatal, silent'],
  [
    'OTEL_SDK_DISABLED',
    'maybe',
    'must be one of true, 1, yes, on, y, enabled, false, 0, no, off, n, disabled',
  ],
])('%s=%s is refused with the rule that it breaks', (name, value, rule) => {
  const read = () => readSettings({ ...EXTERNAL, [name]: value });
  expect(read).toThrow(`\n  ${name} ${rule}`);
});

test('a setting that is white space alone is refused once, by its name, and so is a secret in a file', async () => {
  const blank = [...VARIABLES.filter((name) => !(name in EXTERNAL)), 'SMTP_URL'];
  const { SMTP_URL: _, ...others } = EXTERNAL;
  const env = { ...others, ...Object.fromEntries(blank.map((name) => [name, ' \t'])) };
  const faults = blank.map((name) => `  ${name} must be more than white space`).sort();
  const read = (given: NodeJS.ProcessEnv) => {
    try {
      return [readSettings(given).dataDir];
    } catch (error) {
      return (error as Error).message.split('\n').slice(1).sort();
    }
  };
  expect(read(env)).toEqual(faults);
  expect(read({ DATABASE_URL: ' ' })).toContain('  DATABASE_URL must be more than white space');
  expect(read({ ...EXTERNAL, METRICS_TOKEN_FILE: await fileOf(' '.repeat(20)) })).toEqual([
    '  METRICS_TOKEN must be more than white space',
  ]);
});

test.each(['CERTIFICATE', 'TRACES_CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'])(
  'a file of OTEL_EXPORTER_OTLP_%s that cannot be read is a fault where there is a collector',
  async (file) => {
    const name = `OTEL_EXPORTER_OTLP_${file}`;
    const collector = { ...EXTERNAL, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318' };
    expect(() => readSettings({ ...collector, [name]: '/nowhere/ca.pem' })).toThrow(
      `\n  ${name} cannot be read: ENOENT`,
    );
    expect(() => readSettings({ ...collector, [name]: '/' })).toThrow(`\n  ${name} cannot be read: EISDIR`);
    expect(() => readSettings({ ...EXTERNAL, [name]: '/nowhere/ca.pem' })).not.toThrow();
    for (const readable of [await fileOf('certificate'), ' ', '']) {
      expect(() => readSettings({ ...collector, [name]: readable })).not.toThrow();
    }
  },
);

test.each([
  ['forms@agence-créée.test', 'forms@xn--agence-cre-j7aa.test'],
  ['forms@Agency.test', 'forms@Agency.test'],
])('a mailbox of %s has a domain that mail servers know', (given, address) => {
  expect(readSettings({ ...EXTERNAL, MAIL_FROM: `Créée <${given}>`, PROBE_MAILBOX: given })).toMatchObject({
    mailFrom: { name: 'Créée', address },
    probeMailbox: address,
  });
});

test.each(['forms@mail_relay.internal', 'forms@[10.0.0.5]'])(
  'MAIL_FROM may be %s, of a private network',
  (address) => {
    expect(readSettings({ ...EXTERNAL, MAIL_FROM: address })).toMatchObject({ mailFrom: { address } });
  },
);

test('DNS_SERVERS takes addresses with a port and without', () => {
  const dnsServers = ['9.9.9.9', '127.0.0.1:5353', '::1', '[::1]:5353'];
  expect(readSettings({ ...EXTERNAL, DNS_SERVERS: dnsServers.join(', ') })).toMatchObject({ dnsServers });
});

test('PROBE_MAILBOX and OUTBOUND_ALLOW are read, and checked', () => {
  const set = { PROBE_MAILBOX: 'probes@agency.test', OUTBOUND_ALLOW: '10.0.0.0/8, fd00::/8,192.168.1.1' };
  expect(readSettings({ ...EXTERNAL, ...set })).toMatchObject({
    probeMailbox: 'probes@agency.test',
    outboundAllow: ['10.0.0.0/8', 'fd00::/8', '192.168.1.1'],
  });
  expect(readSettings(EXTERNAL)).toMatchObject({ probeMailbox: null, outboundAllow: [] });
  expect(() => readSettings({ ...EXTERNAL, PROBE_MAILBOX: 'Agency <a@b.test>' })).toThrow(
    'PROBE_MAILBOX must be',
  );
  for (const subnets of ['localhost', '10.0.0.0/33', '10.0.0', '::1/129', '10.0.0.1;10.0.0.2']) {
    expect(() => readSettings({ ...EXTERNAL, OUTBOUND_ALLOW: subnets })).toThrow('OUTBOUND_ALLOW must be');
  }
});

test('without DATABASE_URL, outgoing calls may reach this machine, where the demo is, unless OUTBOUND_ALLOW is set', () => {
  expect(readSettings({})).toMatchObject({ outboundAllow: ['127.0.0.0/8', '::1'] });
  expect(readSettings({ OUTBOUND_ALLOW: '10.0.0.0/8' })).toMatchObject({ outboundAllow: ['10.0.0.0/8'] });
});

test.each([
  '1',
  'loopback',
  'linklocal, uniquelocal',
  '10.0.0.1',
  '10.0.0.0/8,::1',
  'fd00::/8',
  '10.0.0.0/255.0.0.0',
])('TRUST_PROXY=%s is what Express takes', (given) => {
  const { http } = readSettings({ ...EXTERNAL, TRUST_PROXY: given });
  expect(() => express().set('trust proxy', http.trustProxy)).not.toThrow();
});

test.each([
  'true',
  'maybe',
  '10.0.0.300',
  '1.2.3.4/99',
  '1.2.3.4/0',
  '1.2.3.4/8/8',
  '1.2.3.4/255.0.255.0',
  '1.2.3.4/1.5',
  '::1/255.0.0.0',
  'loopback,',
  '100',
  '-1',
])('TRUST_PROXY=%s is refused', (given) => {
  expect(() => readSettings({ ...EXTERNAL, TRUST_PROXY: given })).toThrow('TRUST_PROXY must be');
});

test.each(['redis://redis', 'redis://redis/', 'rediss://:secret@redis:6380/15', 'redis://redis?db=3'])(
  'REDIS_URL=%s is taken',
  (given) => {
    expect(readSettings({ ...EXTERNAL, REDIS_URL: given })).toMatchObject({ redisUrl: given });
  },
);

test.each([
  'redis://redis/abc',
  'redis://redis/1/2',
  'redis://redis/-1',
  'redis://redis?db=x',
  'http://redis',
  'redis://:50%off@redis',
  'redis://:%ff@redis',
])('REDIS_URL=%s is refused', (given) => {
  expect(() => readSettings({ ...EXTERNAL, REDIS_URL: given })).toThrow(/^ {2}REDIS_URL must .*$/m);
});

test.each([
  '?requireTLS=false',
  '?maxConnections=3&maxMessages=50&socketTimeout=60000',
  '?tls.rejectUnauthorized=false&tls.servername=mail.agency.test&tls.minVersion=TLSv1.2',
  '?name=forms.agency.test&authMethod=LOGIN',
  '?secure=false&pool=true',
])('SMTP_URL with %s is taken', (parameters) => {
  expect(readSettings({ ...EXTERNAL, SMTP_URL: `smtp://mail:25${parameters}` })).toMatchObject({
    smtpUrl: `smtp://mail:25${parameters}`,
  });
});

test.each([
  ['requireTls=true', 'requireTls that is not known'],
  ['requireTLS=yes', 'requireTLS that must be true or false'],
  ['requireTLS=', 'requireTLS that must be true or false'],
  ['requireTLS=true&requireTLS=true', 'requireTLS twice'],
  ['secure=true', 'secure that contradicts its scheme: write smtps://'],
  ['pool=false', 'pool that must be true'],
  ['maxConnections=0', 'maxConnections that must be a whole number'],
  ['maxConnections=abc', 'maxConnections that must be a whole number'],
  ['maxMessages=1.5', 'maxMessages that must be a whole number'],
  ['socketTimeout=-1', 'socketTimeout that must be a whole number'],
  ['tls.rejectUnauthorized=0', 'tls.rejectUnauthorized that must be true or false'],
  ['tls.minVersion=1.2', 'tls.minVersion that must be a version'],
  ['tls.rejectUnauthorised=false', 'tls.rejectUnauthorised that is not known'],
])('SMTP_URL with ?%s is refused', (parameters, fault) => {
  expect(() => readSettings({ ...EXTERNAL, SMTP_URL: `smtp://user:secret@mail?${parameters}` })).toThrow(
    new RegExp(`^ {2}SMTP_URL has (a|the) parameter ${fault}`, 'm'),
  );
});

test('a question mark in the password of SMTP_URL is a fault that shows no secret', () => {
  const read = () => readSettings({ ...EXTERNAL, SMTP_URL: 'smtp://user:12?secret=word@mail' });
  expect(read).toThrow(/^ {2}SMTP_URL has an @ in its parameters/m);
  expect(read).toThrow(/^(?!.*(secret|word@))/s);
});

test('PUBLIC_URL is what the links begin with', () => {
  expect(readSettings({ ...EXTERNAL, PUBLIC_URL: 'https://agency.test/gate/' })).toMatchObject({
    publicUrl: 'https://agency.test/gate',
  });
  expect(readSettings({ ...EXTERNAL, PUBLIC_URL: 'HTTPS://Forms.Büro.test:443' })).toMatchObject({
    publicUrl: 'https://forms.xn--bro-hoa.test',
  });
  for (const end of [
    'user@agency.test',
    'u:p@agency.test',
    'agency.test?',
    'agency.test?a=b',
    'agency.test/#x',
  ]) {
    expect(() => readSettings({ ...EXTERNAL, PUBLIC_URL: `https://${end}` })).toThrow(
      'PUBLIC_URL must have no user, password, query or fragment',
    );
  }
});

test('PLATFORM_LOCALES are languages', () => {
  expect(readSettings({ ...EXTERNAL, PLATFORM_LOCALES: 'fr, ar,br,fr' })).toMatchObject({
    locales: ['fr', 'ar', 'br'],
  });
  for (const given of ['xx,yy', 'fr,', 'FR', 'fr-FR', 'fr;en']) {
    expect(() => readSettings({ ...EXTERNAL, PLATFORM_LOCALES: given })).toThrow('PLATFORM_LOCALES must be');
  }
});
