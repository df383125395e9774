// `node bench/probes.js`: lets a worker run the daily probes of 500 websites, and prints what they cost: CPU, requests,
// bytes, rows. The day passes in minutes, since each run of the job is followed by the next at once. Linux only.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Queue, QueueEvents } from 'bullmq';
import { createAuthority } from '../faults/fleet/certificates.js';
import { fleetDocument, STEP } from '../faults/fleet/document.js';
import { serveNames } from '../faults/fleet/names.js';
import { pageWithScript, servePages } from '../faults/fleet/pages.js';
import { serveProvider } from '../faults/fleet/provider.js';
import { createObserver } from '../faults/observe.js';
import { openStack } from '../faults/stack.js';
import { readCpu } from './probes/cpu.js';
import { createMeter } from './probes/meter.js';

const PARTS = ['worker', 'gateway', 'postgres', 'redis'];

/** Runs of the daily job in a day: one a minute. */
const RUNS_A_DAY = 1_440;

/** Runs that find nothing due, from which the cost of one is taken. */
const EMPTY_RUNS = 300;

/** Days for which a probe is kept. */
const KEPT_DAYS = 90;

const { values } = parseArgs({
  options: {
    websites: { type: 'string', default: '500' },
    /** The difficulty of the proof of work: with 1000 it costs next to nothing. */
    'max-number': { type: 'string', default: '100000' },
    /** How long the processes are watched at rest, so that their other jobs are not counted. */
    'rest-s': { type: 'string', default: '60' },
  },
});
const count = Number(values.websites);
const restS = Number(values['rest-s']);

async function openInstallation(directory, { authority, pages, provider, names }) {
  const meter = await createMeter();
  const stack = await openStack(directory, {
    workers: 1,
    document: fleetDocument(pages),
    env: {
      PUBLIC_URL: meter.url,
      OUTBOUND_ALLOW: '127.0.0.0/8',
      TURNSTILE_VERIFY_URL: provider.url,
      NODE_EXTRA_CA_CERTS: authority.file,
      DNS_SERVERS: names.server,
      ALTCHA_MAX_NUMBER: values['max-number'],
    },
  });
  meter.leadTo(stack.gateway.port);
  for (const [number, page] of pages.entries()) {
    page.html = pageWithScript(meter.url, stack.websites[`site${number}`]);
  }
  await stack.startAll();
  return { ...stack, meter };
}

/** Opens the queue of the regular jobs. Its `run` carries the daily job out, and resolves when that has ended. */
async function openJob({ redisPort, redisCli }) {
  const connection = { host: '127.0.0.1', port: redisPort };
  const queue = new Queue('regular', { connection });
  const events = new QueueEvents('regular', { connection });
  await events.waitUntilReady();
  return {
    async run() {
      // The minute that limits count passes at once.
      const script = "for _, key in ipairs(redis.call('keys', 'limit:*')) do redis.call('del', key) end";
      await redisCli('eval', script, '0');
      const job = await queue.add('probes-daily', {}, { removeOnComplete: false, removeOnFail: false });
      await job.waitUntilFinished(events);
    },
    async close() {
      await events.close();
      await queue.close();
    },
  };
}

/** Reads everything that is counted. CPU is in seconds. */
async function readCounters({ gateway, workers, redis, postgres, meter, kept }, pages) {
  const metric = 'formgate_http_request_duration_seconds_count';
  const metrics = Object.entries(await createObserver('probes').metrics(gateway, [metric]));
  const [{ wal, backend }] = await postgres.query(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal, pg_backend_pid() AS backend`,
  );
  const pids = { worker: workers[0].pid(), gateway: gateway.pid(), redis: redis.pid() };
  const emails = kept();
  return {
    ...(await readCpu({ ...pids, backend })),
    ...meter.bytes(),
    requests: metrics.reduce((sum, [labels, value]) => (labels.includes('/api/') ? sum + value : sum), 0),
    pages: pages.reduce((sum, { requests }) => sum + requests, 0),
    emails: emails.length,
    emailBytes: emails.reduce((sum, { bytes }) => sum + bytes, 0),
    wal,
  };
}

/** Creates the function that does some work and tells what it used, without what the processes use at rest. */
async function createMeasure(read) {
  async function used(work) {
    const [before, from] = [await read(), performance.now()];
    await work();
    const seconds = (performance.now() - from) / 1_000;
    const after = await read();
    const spent = Object.entries(after).map(([name, value]) => [name, value - before[name]]);
    return { ...Object.fromEntries(spent), seconds };
  }
  const atRest = await used(() => pause(restS * 1_000));
  return async (work) => {
    const spent = await used(work);
    const ofParts = PARTS.map((name) => [
      name,
      spent[name] - (atRest[name] / atRest.seconds) * spent.seconds,
    ]);
    return { ...spent, ...Object.fromEntries(ofParts) };
  };
}

/** Has every website probed by the daily job. */
async function probeAll({ postgres }, job) {
  await postgres.query(`INSERT INTO scheduled_probes (website_id, due_at) SELECT id, now() FROM websites
                        ON CONFLICT (website_id) DO UPDATE SET due_at = now()`);
  const isLeft = async () =>
    (
      await postgres.query(
        `SELECT EXISTS (SELECT FROM websites w WHERE NOT EXISTS (
           SELECT FROM probes p WHERE p.website_id = w.id AND p.ok IS NOT NULL)) AS left`,
      )
    )[0].left;
  while (await isLeft()) await job.run();
}

/** Lets the probes of 90 days pile up. @returns how many rows and bytes they are. */
async function keepFor90Days({ postgres }) {
  await postgres.query(
    `INSERT INTO probes (id, website_id, steps, ok, started_at, finished_at, certificate_expires_at)
     SELECT gen_random_uuid(), website_id, steps, ok, started_at - make_interval(days => day),
            finished_at - make_interval(days => day), certificate_expires_at
       FROM generate_series($1::int - 1, 1, -1) day, probes`,
    [KEPT_DAYS],
  );
  await postgres.query('VACUUM probes');
  const [kept] = await postgres.query(
    `SELECT count(*)::int AS rows, avg(pg_column_size(p.*))::float8 AS row,
            pg_total_relation_size('probes')::float8 AS bytes,
            (SELECT count(*)::int FROM submissions) AS leads FROM probes p`,
  );
  return kept;
}

function print({ day, empty, kept, probes }) {
  const ofCpu = (used) => PARTS.reduce((sum, name) => sum + used[name], 0);
  const line = (name, one, all) => console.log(`| ${name.padEnd(38)} | ${one.padEnd(24)} | ${all} |`);
  const row = (name, total, unit, [small, large], digits = 1) =>
    line(
      name,
      `${((total / probes) * small).toFixed(digits)} ${unit[0]}`,
      `${((total / probes) * count * large).toFixed(1)} ${unit[1]}`,
    );
  const time = [
    ['ms', 's'],
    [1_000, 1],
  ];
  const size = [
    ['kB', 'MB'],
    [1e-3, 1e-6],
  ];
  line('', 'one probe', `${count} websites a day`);
  row('requests to the gateway', day.requests, ['', ''], [1, 1]);
  row('requests to websites', day.pages, ['', ''], [1, 1]);
  for (const name of PARTS) row(`CPU of ${name}`, day[name], ...time);
  row('CPU', ofCpu(day), ...time);
  const run = ofCpu(empty) / EMPTY_RUNS;
  line(
    'CPU to look for what is due',
    `${(run * 1_000).toFixed(1)} ms a minute`,
    `${(run * RUNS_A_DAY).toFixed(1)} s`,
  );
  row('bytes to the gateway', day.up, ...size);
  row('bytes from the gateway', day.down, ...size);
  row('e-mails', day.emails, ['', ''], [1, 1]);
  row('bytes of e-mails', day.emailBytes, ...size);
  row('log of PostgreSQL', day.wal, ...size);
  const whole = `${(kept.row / 1e3).toFixed(1)} kB, ${(kept.bytes / kept.rows / 1e3).toFixed(1)} kB with indexes`;
  line(`PostgreSQL after ${KEPT_DAYS} days`, whole, `${kept.rows} rows, ${(kept.bytes / 1e6).toFixed(1)} MB`);
  line('test leads that are left', '', String(kept.leads));
}

const directory = await mkdtemp(join(tmpdir(), 'formgate-probes-'));
await mkdir(join(directory, 'certificates'));
const authority = await createAuthority(join(directory, 'certificates'));
const served = await servePages(count, authority);
const provider = await serveProvider(STEP.secret);
const names = await serveNames({ 'formgate.test': { txt: 'v=spf1 ip4:192.0.2.1 -all' } });
let stack;
try {
  stack = await openInstallation(directory, { ...served, authority, provider, names });
  const job = await openJob(stack);
  // The first run schedules every website for another hour.
  await job.run();
  const measure = await createMeasure(() => readCounters(stack, served.pages));
  const day = await measure(() => probeAll(stack, job));
  const [{ probes, failed }] = await stack.postgres.query(
    'SELECT count(*)::int AS probes, count(*) FILTER (WHERE NOT ok)::int AS failed FROM probes',
  );
  const empty = await measure(async () => {
    for (let run = 0; run < EMPTY_RUNS; run += 1) await job.run();
  });
  console.log(`${cpus().length} × ${cpus()[0].model}, Node.js ${process.version}`);
  console.log(`${probes} probes in ${day.seconds.toFixed(0)} s, ${failed} failed\n`);
  print({ day, empty, probes, kept: await keepFor90Days(stack) });
  await job.close();
} finally {
  await stack?.close();
  stack?.meter.close();
  for (const each of [served, provider, names]) each.close();
  await rm(directory, { recursive: true, force: true });
}
// Sockets of a worker that was killed may still be open.
process.exit();
