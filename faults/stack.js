import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../dist/modules/embedded/free-port.js';
import { createPostgres } from './postgres.js';
import { createProgram, createRedis, forkModule, local, readLines, until } from './processes.js';

/** The command of this version. */
export const CLI = local('../dist/cli.js');
const WORKERS = 3;
export const OWNER = { email: 'owner@faults.test', password: 'an owner of teams' };
export const QUOTA = 40;
export const METRICS_TOKEN = 'read-the-metrics-of-faults';

/** The secret of the captcha step of the website `keyed`. */
export const CAPTCHA_SECRET = 'secret-keyed';

/** Where the website of each name has its e-mail; the sink treats domains apart. */
const SITES = [
  ...['fine', 'grey', 'gone', 'hang', 'reset', 'garbage', 'busy', 'slow'].map((name) => ({
    team: 'wide',
    name,
  })),
  {
    team: 'wide',
    name: 'keyed',
    captcha: [{ key: 'turnstile:main', site_key: 'site-keyed', secret: CAPTCHA_SECRET }],
  },
  { team: 'narrow', name: 'narrow' },
  { team: 'kills', name: 'kills' },
  { team: 'spam', name: 'spam' },
];

function provisionDocument() {
  const limits = { submissions_per_minute: 1_000_000, submissions_per_hour: 100_000_000 };
  const team = (slug, plan) => ({
    slug,
    plan,
    name: slug,
    members: [{ email: OWNER.email, role: 'owner' }],
    forms: [
      {
        slug: 'contact',
        name: 'Contact',
        source_locale: 'en',
        submit_button_text: 'Send',
        confirmation_message: 'Thank you.',
        fields: [
          { name: 'email', type: 'email', label: 'E-mail', is_required: true },
          { name: 'name', type: 'text', label: 'Name' },
        ],
      },
    ],
    websites: SITES.filter((site) => site.team === slug).map(({ name, captcha = [] }) => ({
      name,
      host: `www.${name}.test`,
      url: `https://www.${name}.test`,
      email: `desk@${name}.test`,
      locale: 'en',
      time_zone: 'UTC',
      forms: [{ slug: 'contact' }],
      captcha,
    })),
  });
  return {
    plans: [
      { code: 'wide', name: 'Wide', notifications_per_month: null, ...limits },
      { code: 'narrow', name: 'Narrow', notifications_per_month: QUOTA, ...limits },
    ],
    users: [{ ...OWNER, name: 'Owner' }],
    teams: [team('wide', 'wide'), team('narrow', 'narrow'), team('kills', 'narrow'), team('spam', 'wide')],
  };
}

/**
 * A whole installation of processes of their own: PostgreSQL, Redis, SMTP sink, gateway, workers, client.
 *
 * @param {string} directory
 * @param {{ cli?: string, workers?: number, withReconciler?: boolean, isReachable?: boolean, document?: object,
 *   env?: Record<string, string>, postgres?: { directory: string, create?(directory: string): Promise<object>,
 *   release?(): Promise<unknown> } }} options `cli`: the command of another version. `isReachable`: the gateway listens at
 *   its PUBLIC_URL, as probes need it. `document`: what it is provisioned with. `env`: further variables. `postgres`:
 *   where its folder is, what starts it if not `createPostgres`, and what releases the folder when the installation is
 *   closed.
 */
export async function openStack(
  directory,
  {
    cli = CLI,
    workers: count = WORKERS,
    withReconciler = true,
    isReachable = false,
    document = provisionDocument(),
    env: further = {},
    postgres: place = { directory },
  } = {},
) {
  const postgres = await (place.create ?? createPostgres)(place.directory);
  const [redisPort, sinkPort, gatewayPort] = [await freePort(), await freePort(), await freePort()];
  const files = { sink: join(directory, 'sink.jsonl'), client: join(directory, 'client.jsonl') };
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    SMTP_URL: `smtp://127.0.0.1:${sinkPort}`,
    MAIL_FROM: 'forms@formgate.test',
    PUBLIC_URL: isReachable ? `http://127.0.0.1:${gatewayPort}` : 'http://formgate.test',
    APP_KEY: Buffer.alloc(32, 7).toString('base64'),
    METRICS_TOKEN,
    TRUST_PROXY: 'loopback',
    // Receivers of webhooks.
    OUTBOUND_ALLOW: '127.0.0.1',
    ALTCHA_MAX_NUMBER: '2000',
    NODE_ENV: 'production',
    ...further,
  };
  const programs = [];
  /** Makes a gateway or worker, which is not started yet. */
  const addProcess = async (command, { name, args = [cli, command], env: own = {}, port: given }) => {
    const port = given ?? (await freePort());
    const program = createProgram({
      name,
      directory,
      command: process.execPath,
      args,
      env: { ...env, ...(command === 'gateway' ? { PORT: `${port}` } : { WORKER_PORT: `${port}` }), ...own },
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
    });
    programs.push(program);
    return { ...program, port };
  };
  const gateway = await addProcess('gateway', { name: 'gateway', port: gatewayPort });
  const workers = [];
  for (let number = 1; number <= count; number++) {
    const name = `worker${number}`;
    const args = withReconciler ? undefined : [local('worker-without-reconciler.js')];
    workers.push(
      await addProcess('worker', { name, args, env: { SMTP_URL: `${env.SMTP_URL}?name=${name}` } }),
    );
  }
  const redis = createRedis({ directory, port: redisPort });
  const sink = forkModule('sink.js', { port: sinkPort, file: files.sink });
  await sink.ask('ready');

  /** Runs a command of Formgate to its end. */
  const run = async (...args) =>
    (await promisify(execFile)(process.execPath, [cli, ...args], { env: { ...env, PATH: process.env.PATH } }))
      .stdout;
  const file = join(directory, 'provision.json');
  await writeFile(file, JSON.stringify(document));
  await run('provision', file);
  const tokenOf = async (team) =>
    (await run('token', 'create', '--team', team, '--user', OWNER.email, '--name', 'load')).trim();
  const clientOf = async (team) => {
    const client = forkModule('client.js', {
      port: gateway.port,
      token: await tokenOf(team),
      file: files.client,
    });
    await client.ask('ready');
    return client;
  };
  const websites = Object.fromEntries(
    (await postgres.query('SELECT name, id FROM websites')).map(({ name, id }) => [name, id]),
  );

  return {
    directory,
    env,
    postgres,
    redis,
    redisPort,
    redisCli: redis.cli,
    gateway,
    workers,
    addProcess,
    sink,
    clientOf,
    tokenOf,
    websites,
    answers: () => readLines(files.client),
    kept: () => readLines(files.sink),

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
     * Waits until no notification of these websites is pending, nor any requested e-mail or notice about a quota.
     *
     * @returns how many still are when the time is over.
     */
    async drained(timeoutMs, names) {
      const pending = async () =>
        (
          await postgres.query(
            `SELECT (SELECT count(*) FROM notifications n JOIN submissions s ON s.id = n.submission_id
                      WHERE n.state = 'pending' AND s.website_id = ANY($1))::int
                  + (SELECT count(*) FROM requested_emails WHERE state = 'pending')::int
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
      await Promise.all([redis, ...programs].map((each) => each.kill()));
      await sink.stop();
      await postgres.close();
      await place.release?.();
    },
  };
}
