import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startGateway } from '../../src/gateway.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createServices } from '../../src/services.js';
import { testConfig } from '../support/app.js';
import { begin } from '../support/begin.js';
import { watchAnswers } from '../support/contract.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { provision, team, websiteId } from '../support/factories.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { startProxy } from '../support/proxy.js';
import { eventually } from '../support/wait.js';

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
  createServices(testConfig(environment(databaseUrl)), createLogger('silent'), { statementTimeoutMs: 1_900 });

/** A database with one website and its form, to change it past every gateway. */
type Installation = Readonly<{
  database: TestDatabase;
  sql: pg.Client;
  site: string;
  close(): Promise<void>;
}>;

async function openInstallation(): Promise<Installation> {
  const database = await createTestDatabase();
  const services = servicesOn(database.url);
  await provision(services, [team('acme')]);
  const site = await websiteId(services, 'www.acme.test');
  await services.close();
  const sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
  const close = async () => {
    await sql.end();
    await database.drop();
  };
  return { database, sql, site, close };
}

let client = 0;

type Shown = { status: number; buttonText: string | undefined };

async function config({ site }: Installation, url: string): Promise<Shown> {
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
async function edit({ sql }: Installation): Promise<string> {
  const text = `Envoyer ${++edits}`;
  await sql.query('UPDATE forms SET submit_button_text = $1', [text]);
  return text;
}

const shows = (installation: Installation, url: string, text: string, withinMs: number) =>
  eventually(async () => (await config(installation, url)).buttonText === text, { withinMs });

const LISTENERS = `FROM pg_stat_activity
  WHERE datname = current_database() AND query = 'LISTEN "catalogue_changes"'`;

const listeners = async ({ sql }: Installation) => (await sql.query(`SELECT 1 ${LISTENERS}`)).rowCount ?? 0;

/** Ends the connections that listen, in every process; returns how many there were. */
const endListeners = async ({ sql }: Installation) =>
  (await sql.query(`SELECT pg_terminate_backend(pid) ${LISTENERS}`)).rowCount ?? 0;

/** A gateway that reaches PostgreSQL through a proxy. */
async function openProxied(installation: Installation) {
  const proxy = await startProxy(installation.database.url);
  const services = servicesOn(proxy.url);
  const gateway = await startGateway(services);
  const unwatch = watchAnswers(gateway.url);
  return {
    proxy,
    config: () => config(installation, gateway.url),
    shows: (text: string, withinMs: number) => shows(installation, gateway.url, text, withinMs),
    async close() {
      unwatch();
      await gateway.close();
      await services.close();
      await proxy.stop();
      await installation.close();
    },
  };
}

type Outage = Readonly<{ atOnce: number; later: number }>;

/** The status of a gateway's first answer that is not a 200. */
const statusLater = ({ config }: Awaited<ReturnType<typeof openProxied>>, withinMs: number) =>
  eventually(
    async () => {
      const { status } = await config();
      return status !== 200 && status;
    },
    { withinMs },
  );

/** Freezes what is between a gateway and PostgreSQL, edits, and lets go until the edit shows. */
async function outlastFreeze(): Promise<Outage> {
  const installation = await openInstallation();
  const proxied = await openProxied(installation);
  await eventually(async () => (await proxied.config()).status === 200);
  // Once listening begins the cache needs a new check, which a freeze at that very moment would prevent.
  await eventually(async () => (await listeners(installation)) === 1);
  await proxied.shows(await edit(installation), 1000);
  // The first edit may be seen before its notification comes; the second comes after it.
  await proxied.shows(await edit(installation), 1000);
  const atOnce = await eventually(async () => {
    proxied.proxy.freeze();
    const { status } = await proxied.config();
    // A notification that came at that very moment has emptied the cache.
    if (status !== 200) {
      proxied.proxy.thaw();
      await eventually(async () => (await proxied.config()).status === 200);
    }
    return status === 200 && status;
  });
  const text = await edit(installation);
  const later = await statusLater(proxied, 7000);
  proxied.proxy.thaw();
  await proxied.shows(text, 5000);
  await proxied.close();
  return { atOnce, later };
}

/** Takes PostgreSQL away from a gateway for good; returns the status that it then answers with. */
async function meetRefusal(): Promise<number> {
  const proxied = await openProxied(await openInstallation());
  await eventually(async () => (await proxied.config()).status === 200);
  await proxied.proxy.stop();
  const later = await statusLater(proxied, 5000);
  await proxied.close();
  return later;
}

/** Both begin early, as they wait for seconds. */
let away: Readonly<{ frozen: Promise<Outage>; refusing: Promise<number> }>;

beforeAll(() => {
  away = { frozen: begin(outlastFreeze), refusing: begin(meetRefusal) };
});

describe('two gateway processes', () => {
  let installation: Installation;
  let processes: Running[];
  let urls: string[];

  const bothShow = (text: string, withinMs: number) =>
    Promise.all(urls.map((url) => shows(installation, url, text, withinMs)));

  beforeAll(async () => {
    installation = await openInstallation();
    processes = [0, 1].map(() => runFormgate(['gateway'], environment(installation.database.url)));
    const lines = await Promise.all(
      processes.map((running) => running.printed(/"url":"([^"]+)","msg":"Gateway listens"/)),
    );
    urls = lines.map(([, url]) => url!);
  });

  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGTERM');
    for (const { finished } of processes) expect((await finished).code).toBe(0);
    await installation.close();
  });

  test('both show an edit within a second', async () => {
    for (const url of urls) expect((await config(installation, url)).status).toBe(200);
    await bothShow(await edit(installation), 1000);
  });

  test('both show an edit without a notification within five seconds, and the next one within one', async () => {
    expect(await endListeners(installation)).toBe(2);
    await bothShow(await edit(installation), 5000);
    await eventually(async () => (await listeners(installation)) === 2);
    await bothShow(await edit(installation), 1000);
  });
});

describe('while PostgreSQL is away', () => {
  test('and hangs, a gateway serves its cache for at most five seconds, then answers 503 until it is back', async () => {
    expect(await away.frozen).toEqual({ atOnce: 200, later: 503 });
  });

  test('and refuses connections, a gateway answers 503 rather than what may be outdated', async () => {
    expect(await away.refusing).toBe(503);
  });
});
