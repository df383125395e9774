import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { decryptStepSecret } from '../../src/captcha/editing/save-chain.js';
import { SECRET_COLUMNS } from '../../src/cli/rekey.js';
import { openCluster } from '../../src/embedded/postgres/cluster.js';
import { openServer } from '../../src/embedded/postgres/server.js';
import type { CaptchaStep, Website } from '../../src/generated/prisma/client.js';
import { createCipher } from '../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../src/lib/crypto/keyring.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createServices } from '../../src/services.js';
import { signingSecrets, WITH_FORMER_SECRETS } from '../../src/webhooks/signing.js';
import { generateSignatureKey, openSignatureKey } from '../../src/websites/signatures/signature-key.js';
import { testConfig } from '../support/app.js';
import { PROVIDER_SETTINGS } from '../support/captcha-providers.js';
import { createTestDatabase, dumpTables, type TestDatabase } from '../support/database.js';
import { provision, TEST_ACTOR, team, website, websiteRow } from '../support/factories.js';
import { freshDataDir, runFormgate } from '../support/formgate.js';

const [OLD, NEW, LOST] = [1, 2, 3].map((fill) => Buffer.alloc(32, fill)) as [Buffer, Buffer, Buffer];
const before = createCipher(createKeyring(OLD));
const after = createCipher(createKeyring(NEW));

/** More websites than one portion has. */
const WEBSITES = 1_200;

let database: TestDatabase;

const environment = (key: Buffer, previous?: Buffer) => ({
  DATABASE_URL: database.url,
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'forms@formgate.test',
  PUBLIC_URL: 'http://formgate.test',
  LOG_LEVEL: 'silent',
  APP_KEY: key.toString('base64'),
  ...(previous && { APP_KEY_PREVIOUS: previous.toString('base64') }),
});

const rekey = () => runFormgate(['rekey'], environment(NEW, OLD));

const servicesWith = (key: Buffer, previous?: Buffer) =>
  createServices(testConfig(environment(key, previous)), createLogger('silent'));

/** Starts a process with these keys, as far as its check of them. */
async function start(key: Buffer, previous?: Buffer): Promise<number | null> {
  return (await runFormgate(['migrate'], environment(key, previous)).finished).code;
}

/** A database under OLD with many websites, one of which has a secret of each kind. */
beforeEach(async () => {
  database = await createTestDatabase();
  const services = servicesWith(OLD);
  await services.appKeyCheck.verify();
  const captcha = [
    { key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile },
    { key: 'recaptcha_enterprise:g', ...PROVIDER_SETTINGS.recaptcha_enterprise },
  ];
  await provision(services, [team('acme', { websites: [website('www.acme.test', { captcha })] })]);
  const { teamId } = await services.db.orm.website.findFirstOrThrow();
  const ids = Array.from(
    { length: WEBSITES - 1 },
    (_, n) => `018f2b5e-7c1a-7000-8000-${String(n).padStart(12, '0')}`,
  );
  await services.db.orm.website.createMany({
    data: ids.map((id) => ({
      ...websiteRow(teamId, id),
      signatureKeyCipher: generateSignatureKey(before, id),
    })),
  });
  await services.close();
});

afterEach(() => database.drop());

const rows = async (): Promise<{ websites: Website[]; steps: CaptchaStep[] }> => ({
  websites: await database.db.orm.website.findMany({ orderBy: { id: 'asc' } }),
  steps: await database.db.orm.captchaStep.findMany({ orderBy: { position: 'asc' } }),
});

/** Every secret in the clear, read with one key. */
async function secretsUnder(cipher: typeof before): Promise<string[]> {
  const { websites, steps } = await rows();
  return [
    ...websites.map((row) => Buffer.from(openSignatureKey(cipher, row).signatureKey).toString('hex')),
    ...steps.map(
      (row) => `${decryptStepSecret(cipher, row, 'secret')} ${decryptStepSecret(cipher, row, 'api-key')}`,
    ),
  ];
}

test('every column for ciphertexts is rekeyed', async () => {
  const columns = await database.db.orm.$queryRaw<{ name: string }[]>`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name LIKE '%\\_cipher'`;
  const known = SECRET_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(columns.map(({ name }) => name).sort()).toEqual([...known, 'key_checks.word_cipher'].sort());
});

test('rekey puts every secret under the new key, once, and changes nothing else', async () => {
  const secrets = await secretsUnder(before);
  const updatedAt = (await rows()).websites.map((row) => row.updatedAt);
  const first = await rekey().finished;
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('signature key of website: 500 read, 500 encrypted anew\n');
  expect(first.stdout).toContain('secret of captcha step: 1 read, 1 encrypted anew\n');
  expect(first.stdout).toContain('API key of captcha step: 1 read, 1 encrypted anew\n');
  expect(first.stdout).toMatch(/^1202 encrypted anew; nothing is left under another key\.\n$/m);
  expect(await secretsUnder(after)).toEqual(secrets);
  expect((await rows()).websites.map((row) => row.updatedAt)).toEqual(updatedAt);
  expect([await start(NEW), await start(OLD)]).toEqual([0, 1]);

  const tables = await dumpTables(database.url);
  const second = await rekey().finished;
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toMatch(/^Nothing is left to encrypt anew\.\n$/m);
  expect(await dumpTables(database.url)).toEqual(tables);
});

test('rekey puts the secrets of a webhook under the new key, those of several rotations too', async () => {
  const services = servicesWith(OLD);
  const { teamId } = await services.db.orm.website.findFirstOrThrow();
  const settings = { url: 'https://hooks.acme.test/', events: ['form.changed' as const], websiteIds: [] };
  const { webhooks } = services;
  const { id, secret } = await webhooks.create(
    teamId,
    { ...settings, formIds: [], description: '', enabled: true },
    TEST_ACTOR,
  );
  const secrets = [secret];
  while (secrets.length < 4) {
    secrets.unshift(await webhooks.rotateSecret((await webhooks.find(id))!, TEST_ACTOR));
  }
  await services.close();
  const { code, stdout } = await rekey().finished;
  expect(code).toBe(0);
  expect(stdout).toContain('former secret of webhook: 2 read, 2 encrypted anew\n');
  const stored = await database.db.orm.webhook.findUniqueOrThrow({
    where: { id },
    include: WITH_FORMER_SECRETS,
  });
  expect(signingSecrets(after, stored, new Date())).toEqual(secrets);
});

test('rekey goes on where it was killed, and the new key alone is refused until it has ended', async () => {
  const secrets = await secretsUnder(before);
  // A lock on one website lets no run end.
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM websites ORDER BY id DESC LIMIT 1 FOR UPDATE');
  for (const line of [/500 read/, /1 were locked or edited/]) {
    const running = rekey();
    await running.printed(line);
    running.child.kill('SIGKILL');
    await running.finished;
    expect([await start(NEW), await start(OLD), await start(NEW, OLD)]).toEqual([1, 1, 0]);
  }
  await holder.query('ROLLBACK');
  await holder.end();
  expect(await rekey().finished).toMatchObject({ code: 0 });
  expect(await secretsUnder(after)).toEqual(secrets);
  expect(await start(NEW)).toBe(0);
});

test('rekey replaces no key that is regenerated meanwhile, and no edit fails', async () => {
  const services = servicesWith(NEW, OLD);
  await services.appKeyCheck.verify();
  const { websites } = await rows();
  const edited = new Map<string, string>();
  const running = rekey();
  let isOver = false;
  const finished = running.finished.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const website = websites[(edited.size * 7) % websites.length]!;
    await services.managedWebsites.regenerateKey(website, { userId: null, channel: 'system' });
    const stored = await services.db.orm.website.findUniqueOrThrow({ where: { id: website.id } });
    const { signatureKey } = openSignatureKey(services.cipher, stored);
    edited.set(website.id, Buffer.from(signatureKey).toString('hex'));
  }
  await services.close();
  expect(await finished).toMatchObject({ code: 0, stderr: '' });
  expect(edited.size).toBeGreaterThan(10);
  expect(await secretsUnder(after)).toEqual(expect.arrayContaining([...edited.values()]));
});

test('rekey names what neither key reads, does the rest and exits with 1', async () => {
  const { websites, steps } = await rows();
  const lost = createCipher(createKeyring(LOST));
  const { id } = websites[700]!;
  await database.db.orm.website.update({
    where: { id },
    data: { signatureKeyCipher: generateSignatureKey(lost, id) },
  });
  await database.db.orm.captchaStep.update({
    where: { id: steps[0]!.id },
    data: { secretCipher: new Uint8Array([9, 9, 9]) },
  });
  for (const count of [1_200, 0]) {
    const { code, stdout, stderr } = await rekey().finished;
    expect({ code, stderr: stderr.split('\n') }).toEqual({
      code: 1,
      stderr: [
        'These can be read under neither APP_KEY nor APP_KEY_PREVIOUS, and have to be set anew:',
        `  signature key of website ${id}`,
        `  secret of captcha step ${steps[0]!.id}`,
        '',
      ],
    });
    expect(stdout).toMatch(new RegExp(`^${count} encrypted anew\\.$`, 'm'));
  }
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a command together with its own PostgreSQL',
  async (signal) => {
    const dataDir = await freshDataDir();
    const directory = join(dataDir, 'postgres');
    await (await openCluster({ directory })).release();
    const env = { DATA_DIR: dataDir, LOG_LEVEL: 'silent', APP_KEY: OLD.toString('base64') };
    expect(await runFormgate(['migrate'], env).finished).toMatchObject({ code: 0 });
    const keys = { APP_KEY: NEW.toString('base64'), APP_KEY_PREVIOUS: OLD.toString('base64') };
    const { child, printed, finished } = runFormgate(['rekey'], { ...env, ...keys });
    await printed(/^From now on/m);
    child.kill(signal);
    expect(await finished).toMatchObject({ code: null, stderr: '' });
    expect(child.signalCode).toBe(signal);
    const server = await openServer(directory);
    const running = await server.find();
    await server.stop();
    expect(running).toBeUndefined();
  },
);
