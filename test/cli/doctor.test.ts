import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/free-port.js';
import { createSenderChecks } from '../../src/mail/sender-dns/sender-checks.service.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createTestDatabase } from '../support/database.js';
import { startDnsServer } from '../support/dns-server.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { runFormgate } from '../support/formgate.js';
import { startPooler } from '../support/pooler.js';
import { describeWith } from '../support/programs.js';
import { describeWithRedis, startRedisServer } from '../support/redis.js';
import type { SinkBehaviour } from '../support/smtp.js';

const ZONE = {
  'formgate.test': { txt: ['v=spf1 ip4:192.0.2.1 -all'] },
  '_dmarc.formgate.test': { txt: ['v=DMARC1; p=reject'] },
  'bounces.formgate.test': { mx: ['mx.formgate.test'], txt: ['v=spf1 ip4:192.0.2.1 -all'] },
};

const smtp: SinkBehaviour = { startTls: true, login: { user: 'forms', password: 'secret' } };

let app: TestApp;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let env: Record<string, string>;

beforeAll(async () => {
  dns = await startDnsServer({ ...ZONE });
  app = await startTestApp({
    smtp,
    env: { DNS_SERVERS: dns.server, BOUNCE_DOMAIN: 'bounces.formgate.test' },
  });
  env = {
    DATABASE_URL: app.database.url,
    SMTP_URL: `${app.sink.url}?tls.rejectUnauthorized=false`,
    MAIL_FROM: 'forms@formgate.test',
    PUBLIC_URL: 'http://formgate.test',
    APP_KEY: Buffer.alloc(32, 7).toString('base64'),
    DNS_SERVERS: dns.server,
    BOUNCE_DOMAIN: 'bounces.formgate.test',
    LOG_LEVEL: 'silent',
  };
});
afterAll(async () => {
  await app?.close();
  await dns?.stop();
});

const doctor = async (over: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await runFormgate(['doctor'], { ...env, ...over }).finished;
  const lines = stdout.trimEnd().split('\n');
  const states = Object.fromEntries(lines.map((line) => line.split(/ {2,}/).slice(0, 2) as [string, string]));
  return { code, stderr: stderr.trim(), states, stdout };
};

const HEALTHY = Object.fromEntries(
  [
    'version',
    'database',
    'schema',
    'app key',
    'clock',
    'time zones',
    'queue',
    'mail server',
    'SPF',
    'DMARC',
    'bounce MX',
    'bounce SPF',
  ].map((name) => [name, 'ok']),
);

test('formgate doctor finds nothing wrong with a healthy installation, sends no e-mail, and ends with 0', async () => {
  expect(await doctor()).toMatchObject({ code: 0, stderr: '', states: HEALTHY });
  expect(app.sink.logins.some(({ isEncrypted }) => isEncrypted)).toBe(true);
  expect(app.sink.messages).toEqual([]);
});

test('formgate doctor names what fails with what to do, and ends with 1', async () => {
  const wrong = (env.SMTP_URL ?? '').replace(':secret@', ':wrong@');
  const { code, stderr, states, stdout } = await doctor({ SMTP_URL: wrong, MAIL_FROM: 'forms@other.test' });
  expect(code).toBe(1);
  expect(stderr).toBe('3 checks failed.');
  expect(states).toMatchObject({ database: 'ok', 'mail server': 'FAILED', SPF: 'FAILED', DMARC: 'FAILED' });
  expect(stdout).toMatch(/mail server +FAILED +.*SMTP_URL/);
  expect(stdout).toMatch(/SPF +FAILED +other\.test\. Publish/);
  expect(stdout).not.toContain('wrong');
});

test('formgate doctor goes on where the database is away', async () => {
  const port = await freePort();
  const away = { DATABASE_URL: `postgres://x:y@127.0.0.1:${port}/z` };
  const { code, states, stdout, stderr } = await doctor(away);
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'One check failed.' });
  expect(states).toMatchObject({
    database: 'FAILED',
    schema: 'SKIPPED',
    'app key': 'SKIPPED',
    clock: 'SKIPPED',
    'time zones': 'SKIPPED',
    'mail server': 'ok',
    SPF: 'ok',
  });
  expect(lineOf(stdout, 'database')).toMatch(
    /connection_refused: connect ECONNREFUSED .*\. See that PostgreSQL runs and DATABASE_URL is right\.$/,
  );
  expect(lineOf(stdout, 'app key')).toMatch(/It needs the check of the database, which failed\.$/);
});

const lineOf = (stdout: string, name: string): string =>
  stdout.split('\n').find((line) => line.startsWith(`${name} `)) ?? '';

test('formgate doctor says what PostgreSQL says, and what to do about it', async () => {
  const named = (change: (url: URL) => void) => {
    const url = new URL(app.database.url);
    change(url);
    return { DATABASE_URL: url.href };
  };
  const wrongPassword = await doctor(named((url) => Object.assign(url, { password: 'wrong' })));
  expect(lineOf(wrongPassword.stdout, 'database')).toMatch(
    /FAILED +login_refused: password authentication failed .*\. See that DATABASE_URL has the right user and password\.$/,
  );
  const noDatabase = await doctor(named((url) => Object.assign(url, { pathname: '/no_such' })));
  expect(lineOf(noDatabase.stdout, 'database')).toMatch(
    /FAILED +database_missing: database "no_such" does not exist\. Name a database in DATABASE_URL that exists\.$/,
  );
  await app.services.db.orm.$executeRaw`CREATE ROLE crowded LOGIN PASSWORD 'secret' CONNECTION LIMIT 0`;
  const crowded = await doctor(
    named((url) => Object.assign(url, { username: 'crowded', password: 'secret' })),
  ).finally(() => app.services.db.orm.$executeRaw`DROP ROLE crowded`);
  expect(lineOf(crowded.stdout, 'database')).toMatch(
    /FAILED +too_many_clients: .*\. Raise max_connections of PostgreSQL, or run fewer processes\.$/,
  );
  for (const { stdout } of [wrongPassword, noDatabase, crowded]) expect(stdout).not.toMatch(/prisma|migrate/);
});

test('formgate doctor names websites whose time zone PostgreSQL does not know', async () => {
  const { orm } = app.services.db;
  await provision(app.services, [
    team('zones', { websites: [website('www.zones.test'), website('lower.zones.test')] }),
  ]);
  const id = await websiteId(app.services, 'www.zones.test');
  await orm.website.update({ where: { id }, data: { timeZone: 'ECT' } });
  await orm.website.updateMany({ where: { host: 'lower.zones.test' }, data: { timeZone: 'europe/paris' } });
  const { code, stdout, states } = await doctor();
  expect({ code, states }).toMatchObject({ code: 1, states: { ...HEALTHY, 'time zones': 'FAILED' } });
  expect(lineOf(stdout, 'time zones')).toMatch(
    new RegExp(`FAILED +PostgreSQL does not know that of ${id} \\(ECT\\)\\. Set one such as Europe/Paris `),
  );
  await orm.website.updateMany({ data: { timeZone: 'Europe/Paris' } });
});

test('formgate doctor says that it does not check the DNS of a domain for tests', async () => {
  const { code, states } = await doctor({ DNS_SERVERS: '' });
  expect({ code, states }).toMatchObject({ code: 0, states: { 'sender DNS': 'SKIPPED' } });
});

test('formgate doctor enters no key into a database that has none', async () => {
  const { orm } = app.services.db;
  const known = await orm.keyCheck.findMany();
  await orm.keyCheck.deleteMany();
  const { states, stdout } = await doctor({ APP_KEY: Buffer.alloc(32, 8).toString('base64') });
  expect(states).toMatchObject({ 'app key': 'ok' });
  expect(lineOf(stdout, 'app key')).toMatch(/the first process to start enters it$/);
  expect(await orm.keyCheck.count()).toBe(0);
  await orm.keyCheck.createMany({ data: known });
});

test('formgate doctor checks no key against a database that lacks migrations', async () => {
  const older = await createTestDatabase();
  await older.db.orm.$executeRaw`DELETE FROM _prisma_migrations
    WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`;
  const { states, stdout } = await doctor({ DATABASE_URL: older.url });
  expect(states).toMatchObject({ database: 'ok', schema: 'FAILED', 'app key': 'SKIPPED', clock: 'ok' });
  expect(lineOf(stdout, 'schema')).toMatch(/it lacks 1 of \d+ migrations\. Run formgate migrate\.$/);
  await older.drop();
});

describeWith('pgbouncer')('behind a pooler', () => {
  test('formgate doctor asks for DIRECT_DATABASE_URL', async () => {
    const pooler = await startPooler(app.database.url);
    const { states, stdout } = await doctor({ DATABASE_URL: pooler.url });
    expect(states).toMatchObject({ database: 'FAILED', schema: 'SKIPPED' });
    expect(lineOf(stdout, 'database')).toMatch(/Behind a pooler set DIRECT_DATABASE_URL\.$/);
    const both = { DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: app.database.url };
    expect(await doctor(both)).toMatchObject({ code: 0, states: HEALTHY });
    await pooler.stop();
  });
});

describeWithRedis('with a Redis', () => {
  test('formgate doctor tells one that is full from one that lacks the database', async () => {
    const redis = await startRedisServer();
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory', '1');
    const full = await doctor({ REDIS_URL: redis.url });
    expect(lineOf(full.stdout, 'queue')).toMatch(
      /FAILED +memory_full: .*\. Redis is full: raise its maxmemory/,
    );
    await client.config('SET', 'maxmemory', '0');
    client.disconnect();
    const missing = await doctor({ REDIS_URL: `${redis.url}/99` });
    expect(lineOf(missing.stdout, 'queue')).toMatch(/FAILED +refused\. REDIS_URL names a database/);
    await redis.stop();
    const away = await doctor({ REDIS_URL: redis.url });
    expect(lineOf(away.stdout, 'queue')).toMatch(
      /FAILED +connection_refused: .*\. See that Redis runs and REDIS_URL is right\.$/,
    );
  });
});

test('the daily check keeps what it has found, since when, and forgets it when DNS is right', async () => {
  const { db, senderDns, log } = app.services;
  const check = (at: Date) => createSenderChecks({ db, senderDns, log, clock: () => at }).run();
  const at = (minutes: number) => new Date(Date.parse('2026-11-24T12:00:00Z') + minutes * 60_000);
  const failing = () => db.orm.senderCheck.findMany({ where: { isOk: false } });
  await check(at(0));
  expect(await db.orm.senderCheck.count()).toBe(0);
  dns.zone['formgate.test'] = { txt: ['v=spf1 -all', 'v=spf1 mx -all'] };
  await check(at(5));
  expect(await failing()).toMatchObject([{ name: 'spf', finding: 'several_records', since: at(5) }]);
  await check(at(6));
  expect(await db.orm.senderCheck.findUnique({ where: { name: 'spf' } })).toMatchObject({ checkedAt: at(5) });
  dns.zone['formgate.test'] = 'fails';
  await check(at(5 + 1_440));
  expect(await failing()).toMatchObject([{ name: 'spf', finding: 'several_records', since: at(5) }]);
  dns.zone['formgate.test'] = { txt: ['v=spf1 -all', 'v=spf1 mx -all'] };
  await check(at(5 + 1_440 + 30));
  expect(await failing()).toMatchObject([{ name: 'spf', finding: 'several_records', since: at(5) }]);
  // What is mended is seen half an hour later, and what is well is checked once a day.
  Object.assign(dns.zone, ZONE);
  await check(at(5 + 1_440 + 60));
  expect(await failing()).toEqual([]);
  dns.zone['formgate.test'] = { txt: ['v=spf1 -all', 'v=spf1 mx -all'] };
  await check(at(5 + 1_440 + 1_440));
  expect(await failing()).toEqual([]);
  await check(at(5 + 1_440 + 60 + 1_440));
  expect(await failing()).toMatchObject([{ name: 'spf' }]);
});
