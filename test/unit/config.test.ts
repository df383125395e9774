import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readSettings } from '../../src/config.js';
import { VARIABLES } from '../support/variables.js';

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
    ...{ redisUrl: 'redis://redis', metricsToken: 'sixteen characters' },
    appKeyPrevious: Buffer.alloc(32, 2),
    directDatabaseUrl: 'postgres://a:b@primary/formgate',
    tracing: { protocol: 'http/protobuf', headers: 'api-key=secret' },
  });
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
  expect(explained).toEqual(expect.arrayContaining(VARIABLES));
});

test('docker-compose.yml passes on every variable that it does not set itself', () => {
  const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>;
  };
  // The image sets the addresses; the rest concerns other services.
  const ownNetwork = ['PORT', 'HOST', 'WORKER_PORT', 'DATA_DIR', 'POSTGRES_PASSWORD'];
  const passed = { ...compose.services.gateway!.environment, ...compose.services.worker!.environment };
  for (const name of explained.filter((each) => !ownNetwork.includes(each)))
    expect(passed).toHaveProperty(name);
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
