import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import pg from 'pg';
import { freePort } from '../../src/embedded/free-port.js';
import { commandEnv, startTestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { freshDataDir, type Running, runFormgate } from '../support/formgate.js';
import { recordedLeads } from '../support/leads.js';
import { eventually } from '../support/wait.js';

const started: Running[] = [];
/** A data folder that the second test leaves whole and free; setting one up takes seconds. */
let usedDir: string;

afterAll(async () => {
  for (const { child } of started) child.kill('SIGTERM');
  await Promise.all(started.map(({ finished }) => finished));
});

function start(dataDir: string, env: Record<string, string>): Running {
  const running = runFormgate(['start'], { DATA_DIR: dataDir, ...env });
  started.push(running);
  return running;
}

const sorted = (schema: GraphQLSchema): string => printSchema(lexicographicSortSchema(schema));

type Mail = { to: string[]; replyTo: string[]; subject: string; text: string };

/** Follows the printed link, as the panel's page does. @returns the cookie; null when it is refused. */
async function followLoginLink(running: Running): Promise<string | null> {
  const [, url, token] = await running.printed(/(http\S+)\/panel\/login#(\S+)/);
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'mutation ($token: String!) { loginByLink(token: $token) }',
      variables: { token },
    }),
  });
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? null;
}

/** What the printed curl does, done with fetch. */
async function submitAsPrinted(running: Running): Promise<{ lead_id: string }> {
  const [, url] = await running.printed(/curl (\S+)/);
  const [, authorization] = await running.printed(/'Authorization: ([^']+)'/);
  const [, body] = await running.printed(/-d '([^']+)'/);
  const response = await fetch(url!, {
    method: 'POST',
    headers: { authorization: authorization!, 'content-type': 'application/json' },
    body: body!,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { lead_id: string };
}

async function mailAbout(running: Running, leadId: string): Promise<Mail> {
  const [, page] = await running.printed(/e-mails appear at (\S+)/);
  return eventually(async () => {
    const list = (await (await fetch(`${page}/api/messages`)).json()) as { id: string }[];
    for (const { id } of list) {
      const mail = (await (await fetch(`${page}/api/messages/${id}`)).json()) as Mail;
      if (mail.text.includes(leadId)) return mail;
    }
    return null;
  });
}

test('start prints a link that logs in once, and serves a submission up to its e-mail, again after kill -9', async () => {
  const dataDir = await freshDataDir();
  const PORT = String(await freePort());
  const first = start(dataDir, { PORT });
  const { lead_id } = await submitAsPrinted(first);
  const mail = await mailAbout(first, lead_id);
  expect(mail).toMatchObject({
    to: ['corse@lumen-paysage.test', 'bonjour@lumen-paysage.test'],
    replyTo: ['ada@example.com'],
    subject: 'Nouvelle demande : Contact — Lumen Corse',
  });
  expect(mail.text).toContain('Surface en m²\u00a0: 40');
  expect(mail.text).toContain('https://corse.lumen-paysage.test/contact');

  const [, demoSite] = await first.printed(/in a browser at (\S+)/);
  expect(await (await fetch(demoSite!)).text()).toContain(`src="http://127.0.0.1:${PORT}/formgate.js"`);

  const panel = `http://127.0.0.1:${PORT}/graphql`;
  const page = await fetch(panel, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('graphql/graphiql.js');
  const introspection = await fetch(panel, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery({ specifiedByUrl: true }) }),
  });
  const { data } = (await introspection.json()) as { data: IntrospectionQuery };
  const document = await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8');
  // The bundle may rename a class, and GraphQL has its types' names from there.
  expect(sorted(buildClientSchema(data))).toBe(sorted(buildSchema(document)));

  const cookies = await Promise.all(Array.from({ length: 5 }, () => followLoginLink(first)));
  const [cookie, ...others] = cookies.filter((one) => one !== null);
  expect(others).toEqual([]);
  const me = await fetch(panel, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: cookie! },
    body: JSON.stringify({ query: '{ me { email } }' }),
  });
  expect(await me.json()).toEqual({ data: { me: { email: 'staff@agency.test' } } });

  const second = runFormgate(['start'], { DATA_DIR: dataDir, PORT: String(await freePort()) });
  expect(await second.finished).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Another Formgate is already using .*:${PORT}`)),
  });

  const [, token] = await first.printed(/Bearer (\S+)'/);
  const created = await runFormgate(
    ['token', 'create', '--team', 'lumen', '--user', 'claire@lumen-paysage.test', '--name', 'shell'],
    { DATA_DIR: dataDir },
  ).finished;
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\|[0-9A-Za-z]{48}\n$/) });

  first.child.kill('SIGKILL');
  await first.finished;
  const again = start(dataDir, { PORT });
  expect((await again.printed(/Bearer (\S+)'/))[1]).toBe(token);
  await mailAbout(again, lead_id);
  await mailAbout(again, (await submitAsPrinted(again)).lead_id);

  again.child.kill('SIGINT');
  expect((await again.finished).code).toBe(0);
  await expect(fetch(`http://127.0.0.1:${PORT}/healthz`)).rejects.toThrow();

  const afterwards = await runFormgate(['migrate'], { DATA_DIR: dataDir }).finished;
  expect(afterwards).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' });
});

test('start succeeds after a kill -9 at any moment of the first start', async () => {
  const dataDir = await freshDataDir();
  const PORT = String(await freePort());
  for (const afterMs of [150, 400, 700, 1000, 1300, 1600]) {
    const killed = runFormgate(['start'], { DATA_DIR: dataDir, PORT });
    const timer = setTimeout(() => killed.child.kill('SIGKILL'), afterMs);
    await killed.finished;
    clearTimeout(timer);
  }
  const whole = start(dataDir, { PORT });
  await mailAbout(whole, (await submitAsPrinted(whole)).lead_id);
  whole.child.kill('SIGTERM');
  expect((await whole.finished).code).toBe(0);
  usedDir = dataDir;
});

test('a port in use prints one message and exits with 1', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const refused = await runFormgate(['start'], {
    DATA_DIR: usedDir,
    PORT: String(port),
    LOG_LEVEL: 'silent',
  }).finished;
  taken.close();
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: `Port ${port} on 127.0.0.1 is already in use. Set PORT to a free one.\n`,
  });
});

test('a damaged key prints one message, and nothing is encrypted with it', async () => {
  const dataDir = await freshDataDir();
  await writeFile(join(dataDir, 'app-key'), 'damaged');
  const { code, stdout, stderr } = await runFormgate(['start'], { DATA_DIR: dataDir }).finished;
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/app-key is damaged\. Restore it, .*\n$/),
  });
});

test('a file in place of the folder of caught e-mails prints one message', async () => {
  const dataDir = await freshDataDir();
  await writeFile(join(dataDir, 'mail'), '');
  expect(await runFormgate(['start'], { DATA_DIR: dataDir, PORT: '0' }).finished).toEqual({
    code: 1,
    stdout: '',
    stderr: `The data folder ${dataDir}/mail cannot be made: a file stands in its way.\n`,
  });
});

test('SIGTERM under load on kept connections fails no request', async () => {
  const running = start(usedDir, { PORT: String(await freePort()), LOG_LEVEL: 'error' });
  const [, url] = await running.printed(/ready at (\S+)/);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const outcomes: (number | string)[] = [];
  let isStopping = false;
  let isRefused = false;
  const ask = () =>
    new Promise<void>((resolve) => {
      const asked = request(`${url}/readyz`, { agent }, async (response) => {
        const isDraining = (await text(response)).includes('draining');
        outcomes.push(isDraining ? 'draining' : (response.statusCode ?? 0));
        resolve();
      });
      asked.once('error', (error: NodeJS.ErrnoException) => {
        // A connection that was never taken is no request that was lost.
        if (isStopping && !asked.reusedSocket) isRefused = true;
        else outcomes.push(error.code ?? error.message);
        resolve();
      });
      asked.end();
    });
  const clients = Array.from({ length: 8 }, async () => {
    while (!isRefused) await ask();
  });
  await eventually(() => outcomes.length > 100);
  const stoppedAt = Date.now();
  isStopping = true;
  running.child.kill('SIGTERM');
  await Promise.all(clients);
  expect((await running.finished).code).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(10_000);
  expect(new Set(outcomes)).toEqual(new Set([200, 'draining']));
  agent.destroy();
});

test.each(['gateway', 'worker'])(
  '%s without DATABASE_URL says so, and makes no database',
  async (command) => {
    const dataDir = await freshDataDir();
    const { code, stderr } = await runFormgate([command], { DATA_DIR: dataDir }).finished;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `DATABASE_URL is required: a ${command} brings no database of its own. formgate start does.\n`,
    });
    expect(await readdir(dataDir)).toEqual([]);
  },
);

test('a command without DATABASE_URL makes no database where start has made none', async () => {
  const dataDir = await freshDataDir();
  const { code, stderr } = await runFormgate(['migrate'], { DATA_DIR: dataDir }).finished;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `There is no database: set DATABASE_URL, or run formgate start, which makes one in ${dataDir}.\n`,
  });
  expect(await readdir(dataDir)).toEqual([]);
});

test('start gives the statements of its worker the time that they take', async () => {
  const app = await startTestApp();
  try {
    const { services, sink } = app;
    const acme = team('acme', { forms: [contactForm()], websites: [website('www.acme.test')] });
    await provision(services, [acme]);
    const [submissionId] = await recordedLeads(services, await websiteId(services, 'www.acme.test'), 1);
    const { orm } = services.db;
    // Longer than a request waits for a statement.
    await orm.$executeRaw`
      CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(2.5); RETURN NEW; END'`;
    await orm.$executeRaw`
      CREATE TRIGGER take_time BEFORE UPDATE ON notifications FOR EACH ROW WHEN (NEW.state = 'sent')
      EXECUTE FUNCTION take_time()`;
    const running = runFormgate(['start'], { ...commandEnv(app), PORT: '0' });
    started.push(running);
    const recorded = () =>
      orm.notification.findUniqueOrThrow({ where: { submissionId }, include: { attemptLog: true } });
    await eventually(async () => (await recorded()).state === 'sent');
    expect((await recorded()).attemptLog).toMatchObject([{ number: 1, outcome: 'sent' }]);
    expect(sink.messages).toHaveLength(1);
    running.child.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ code: 0 });
  } finally {
    await app.close();
  }
});

test('a stop leaves no PostgreSQL behind, though a statement of the worker runs on', async () => {
  const dataDir = await freshDataDir();
  const running = start(dataDir, { PORT: '0' });
  await running.printed(/curl (\S+)/);
  const folder = join(dataDir, 'postgres');
  const [pid, , , port] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(port),
    user: 'formgate',
    database: 'formgate',
    password: (await readFile(join(folder, 'password'), 'utf8')).trim(),
  });
  // It ends with its server.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`
    CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(300); RETURN NEW; END';
    CREATE TRIGGER take_time BEFORE UPDATE ON notifications FOR EACH ROW WHEN (NEW.state = 'sent')
      EXECUTE FUNCTION take_time()`);
  await submitAsPrinted(running);
  await eventually(async () => {
    const { rows } = await client.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
    return rows.length > 0;
  });
  const stoppedAt = performance.now();
  running.child.kill('SIGTERM');
  await running.finished;
  expect(performance.now() - stoppedAt).toBeLessThan(10_000);
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
