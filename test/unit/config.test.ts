import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readSettings } from '../../src/config.js';

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

test('REDIS_URL and METRICS_TOKEN can be given as files', async () => {
  const settings = readSettings({
    ...EXTERNAL,
    REDIS_URL_FILE: await fileOf('redis://redis'),
    METRICS_TOKEN_FILE: await fileOf('sixteen characters\n'),
  });
  expect(settings).toMatchObject({ redisUrl: 'redis://redis', metricsToken: 'sixteen characters' });
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
  const source = readFileSync('src/config.ts', 'utf8');
  const read = [...source.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name!);
  expect(read.length).toBeGreaterThan(20);
  expect(explained).toEqual(expect.arrayContaining(read));
});

test('docker-compose.yml passes on every variable that it does not set itself', () => {
  const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>;
  };
  const ownNetwork = ['PORT', 'HOST', 'DATA_DIR', 'POSTGRES_PASSWORD'];
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
