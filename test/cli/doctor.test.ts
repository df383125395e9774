import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createSenderChecks } from '../../src/mail/sender-dns/sender-checks.service.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { startDnsServer } from '../support/dns-server.js';
import { runFormgate } from '../support/formgate.js';
import { freePort } from '../support/redis.js';
import type { SinkBehaviour } from '../support/smtp.js';

const ZONE = {
  'formgate.test': { txt: ['v=spf1 ip4:192.0.2.1 -all'] },
  '_dmarc.formgate.test': { txt: ['v=DMARC1; p=reject'] },
  'bounces.formgate.test': { mx: ['mx.formgate.test'] },
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
    'queue',
    'mail server',
    'SPF',
    'DMARC',
    'bounce MX',
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
  const { code, states } = await doctor(away);
  expect(code).toBe(1);
  expect(states).toMatchObject({ database: 'FAILED', schema: 'FAILED', 'mail server': 'ok', SPF: 'ok' });
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
  Object.assign(dns.zone, ZONE);
  await check(at(5 + 1_440 + 30));
  expect(await failing()).toEqual([]);
});
