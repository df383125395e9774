import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Gateway, startGateway } from '../../src/gateway.js';
import { createLogger } from '../../src/lib/logger.js';
import { createServices, type Services } from '../../src/services.js';
import { testConfig } from '../support/app.js';
import { watchAnswers } from '../support/contract.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { provision, team, websiteId } from '../support/factories.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { startProxy, type TcpProxy } from '../support/proxy.js';
import { eventually } from '../support/wait.js';

let database: TestDatabase;
let sql: pg.Client;
let site: string;

const environment = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  SMTP_URL: 'smtp://127.0.0.1:1',
  PORT: '0',
  MAIL_FROM: 'forms@formgate.test',
  PUBLIC_URL: 'http://formgate.test',
  APP_KEY: Buffer.alloc(32, 7).toString('base64'),
  TRUST_PROXY: 'loopback',
});

const servicesOn = (databaseUrl: string) =>
  createServices(testConfig(environment(databaseUrl)), createLogger('silent'));

beforeAll(async () => {
  database = await createTestDatabase();
  const services = servicesOn(database.url);
  await provision(services, [team('acme')]);
  site = await websiteId(services, 'www.acme.test');
  await services.close();
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
});

afterAll(async () => {
  await sql.end();
  await database.drop();
});

let client = 0;

async function config(url: string): Promise<{ status: number; buttonText: string | undefined }> {
  const response = await fetch(`${url}/api/websites/${site}/forms/config?f=contact~fr`, {
    headers: {
      origin: 'https://www.acme.test',
      'x-forwarded-for': `198.${++client % 200}.${Math.floor(client / 200)}.1`,
    },
  });
  const body = (await response.json()) as { forms?: Record<string, { submit_button_text: string }> };
  return { status: response.status, buttonText: body.forms?.['contact~fr']?.submit_button_text };
}

let edits = 0;

/** Changes the form, and returns its new text. */
async function edit(): Promise<string> {
  const text = `Envoyer ${++edits}`;
  await sql.query('UPDATE forms SET submit_button_text = $1', [text]);
  return text;
}

const shows = (url: string, text: string, withinMs: number) =>
  eventually(async () => (await config(url)).buttonText === text, { withinMs });

const LISTENERS = `FROM pg_stat_activity
  WHERE datname = current_database() AND query = 'LISTEN "catalogue_changes"'`;

const listeners = async () => (await sql.query(`SELECT 1 ${LISTENERS}`)).rowCount ?? 0;

/** Ends the connections that listen, in every process; returns how many there were. */
const endListeners = async () =>
  (await sql.query(`SELECT pg_terminate_backend(pid) ${LISTENERS}`)).rowCount ?? 0;

describe('two gateway processes', () => {
  let processes: Running[];
  let urls: string[];

  beforeAll(async () => {
    processes = [0, 1].map(() => runFormgate(['gateway'], environment(database.url)));
    const lines = await Promise.all(
      processes.map((running) => running.printed(/"url":"([^"]+)","msg":"Gateway listens"/)),
    );
    urls = lines.map(([, url]) => url!);
  });

  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM');
    for (const { finished } of processes) expect((await finished).code).toBe(0);
  });

  test('both see an edit within a second', async () => {
    for (const url of urls) expect((await config(url)).status).toBe(200);
    const text = await edit();
    await Promise.all(urls.map((url) => shows(url, text, 1000)));
  });

  test('both see an edit that they were not told of within five, and the next within a second', async () => {
    expect(await endListeners()).toBe(2);
    const missed = await edit();
    await Promise.all(urls.map((url) => shows(url, missed, 5000)));
    await eventually(async () => (await listeners()) === 2);
    const after = await edit();
    await Promise.all(urls.map((url) => shows(url, after, 1000)));
  });
});

describe('PostgreSQL away', () => {
  let proxy: TcpProxy;
  let services: Services;
  let gateway: Gateway;
  let unwatch: () => void;

  beforeAll(async () => {
    proxy = await startProxy(database.url);
    services = servicesOn(proxy.url);
    gateway = await startGateway(services);
    unwatch = watchAnswers(gateway.url);
  });

  afterAll(async () => {
    unwatch();
    await gateway.close();
    await services.close();
    await proxy.stop();
  });

  test('that no longer answers: served for at most five seconds, then 503, and again when it is back', async () => {
    expect((await config(gateway.url)).status).toBe(200);
    proxy.freeze();
    expect((await config(gateway.url)).status).toBe(200);
    const text = await edit();
    await eventually(async () => (await config(gateway.url)).status === 503, { withinMs: 7000 });
    expect((await config(gateway.url)).status).toBe(503);
    proxy.thaw();
    await shows(gateway.url, text, 5000);
  });

  test('that refuses: 503 rather than what may be outdated', async () => {
    expect((await config(gateway.url)).status).toBe(200);
    await proxy.stop();
    await eventually(async () => (await config(gateway.url)).status === 503, { withinMs: 5000 });
  });
});
