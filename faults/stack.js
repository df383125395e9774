import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPostgres } from './postgres.js';
import { createProgram, forkModule, freePort, local, until } from './processes.js';

const CLI = local('../dist/cli.js');
export const WORKERS = 3;
export const OWNER = { email: 'owner@faults.test', password: 'an owner of teams' };
export const QUOTA = 40;

/** Where the website of each name has its e-mail; the sink treats domains apart. */
export const SITES = [
  ...['fine', 'grey', 'gone', 'hang', 'reset', 'garbage', 'busy', 'slow'].map((name) => ({
    team: 'wide',
    name,
  })),
  { team: 'narrow', name: 'narrow' },
  { team: 'kills', name: 'kills' },
];

function provisionDocument() {
  const limits = { submissions_per_minute: 1_000_000, submissions_per_hour: 100_000_000 };
  const team = (slug, plan) => ({
    ...{ slug, plan, name: slug, members: [{ email: OWNER.email, role: 'owner' }] },
    forms: [
      {
        ...{ slug: 'contact', name: 'Contact', source_locale: 'en', submit_button_text: 'Send' },
        confirmation_message: 'Thank you.',
        fields: [
          { name: 'email', type: 'email', label: 'E-mail', is_required: true },
          { name: 'name', type: 'text', label: 'Name' },
        ],
      },
    ],
    websites: SITES.filter((site) => site.team === slug).map(({ name }) => ({
      ...{ name, host: `www.${name}.test`, url: `https://www.${name}.test`, email: `desk@${name}.test` },
      ...{ locale: 'en', time_zone: 'UTC', forms: [{ slug: 'contact' }], captcha: [] },
    })),
  });
  return {
    plans: [
      { code: 'wide', name: 'Wide', notifications_per_month: null, ...limits },
      { code: 'narrow', name: 'Narrow', notifications_per_month: QUOTA, ...limits },
    ],
    users: [{ ...OWNER, name: 'Owner' }],
    teams: [team('wide', 'wide'), team('narrow', 'narrow'), team('kills', 'narrow')],
  };
}

const lines = (file) =>
  readFileSync(file, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** A whole installation of processes of their own: PostgreSQL, Redis, SMTP sink, gateway, workers, client. */
export async function openStack(directory, { withReconciler }) {
  const postgres = await createPostgres(directory);
  const [gatewayPort, redisPort, sinkPort] = [await freePort(), await freePort(), await freePort()];
  const files = { sink: join(directory, 'sink.jsonl'), client: join(directory, 'client.jsonl') };
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    SMTP_URL: `smtp://127.0.0.1:${sinkPort}`,
    MAIL_FROM: 'forms@formgate.test',
    PUBLIC_URL: 'http://formgate.test',
    APP_KEY: Buffer.alloc(32, 7).toString('base64'),
    PORT: String(gatewayPort),
    NODE_ENV: 'production',
  };
  const isHealthy = async (port) => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
  const node = { directory, command: process.execPath };
  const gateway = createProgram({
    ...{ ...node, name: 'gateway', args: [CLI, 'gateway'], env, isReady: () => isHealthy(gatewayPort) },
  });
  const workers = [];
  for (let number = 1; number <= WORKERS; number++) {
    const port = await freePort();
    workers.push(
      createProgram({
        ...{
          ...node,
          name: `worker${number}`,
          env: { ...env, SMTP_URL: `${env.SMTP_URL}?name=worker${number}`, WORKER_PORT: String(port) },
        },
        args: withReconciler ? [CLI, 'worker'] : [local('worker-without-reconciler.js')],
        isReady: () => isHealthy(port),
      }),
    );
  }
  const redisCli = async (...args) =>
    (await promisify(execFile)('redis-cli', ['-p', String(redisPort), ...args])).stdout.trim();
  const redis = createProgram({
    ...{ name: 'redis', directory, command: 'redis-server' },
    args: [
      ...['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', directory, '--save', ''],
      ...['--appendonly', 'no'],
    ],
    isReady: async () => (await redisCli('ping')) === 'PONG',
  });
  const sink = forkModule('sink.js', { port: sinkPort, file: files.sink });
  await sink.ask('ready');

  const run = async (...args) =>
    (await promisify(execFile)(process.execPath, [CLI, ...args], { env: { ...env, PATH: process.env.PATH } }))
      .stdout;
  const document = join(directory, 'provision.json');
  await writeFile(document, JSON.stringify(provisionDocument()));
  await run('provision', document);
  const tokenOf = async (team) =>
    (await run('token', 'create', '--team', team, '--user', OWNER.email, '--name', 'load')).trim();
  const clientOf = async (team) => {
    const client = forkModule('client.js', {
      ...{ port: gatewayPort, token: await tokenOf(team), file: files.client },
    });
    await client.ask('ready');
    return client;
  };
  const websites = Object.fromEntries(
    (await postgres.query('SELECT name, id FROM websites')).map(({ name, id }) => [name, id]),
  );

  return {
    ...{ postgres, redis, redisCli, gateway, workers, sink, clientOf, tokenOf, websites, gatewayPort },
    answers: () => lines(files.client),
    kept: () => lines(files.sink),

    async startAll() {
      await Promise.all(
        [redis, gateway, ...workers].map((each) =>
          until(`${each.name} is up`, async () => {
            if (!each.isRunning()) await each.start({ wait: false });
            return each.isUp();
          }),
        ),
      );
    },

    /**
     * Waits until no notification of these websites is pending, nor any notice about a quota.
     *
     * @returns how many still are when the time is over.
     */
    async drained(timeoutMs, names) {
      const pending = async () =>
        (
          await postgres.query(
            `SELECT (SELECT count(*) FROM notifications n JOIN submissions s ON s.id = n.submission_id
                      WHERE n.state = 'pending' AND s.website_id = ANY($1))::int
                  + (SELECT count(*) FROM quota_notices WHERE state = 'pending')::int AS n`,
            [names.map((name) => websites[name])],
          )
        )[0].n;
      await until('nothing is pending', async () => (await pending()) === 0, timeoutMs).catch(
        () => undefined,
      );
      return pending();
    },

    async close() {
      await Promise.all([gateway, redis, ...workers].map((each) => each.kill()));
      await sink.stop();
      await postgres.close();
    },
  };
}
