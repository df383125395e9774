// `npm run faults`: starts a real installation, breaks it in every way that it promises to bear, and compares
// what the client was told with what the database and the mail server hold.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drillFullDisk } from './drills/disk-full.js';
import { breakFleet } from './drills/fleet.js';
import { expireCertificate, misspellMailServer } from './drills/mail-server.js';
import { forgetProxy } from './drills/proxy.js';
import { fillRedis } from './drills/redis-full.js';
import { drillRestore } from './drills/restore.js';
import { rotateKey } from './drills/rotation.js';
import { delayFinalDot } from './drills/slow-dot.js';
import { upgradeUnderLoad } from './drills/upgrade.js';
import { sendHostility } from './hostility.js';
import { killAround, loseRedis, reconcileLogs } from './kills.js';
import { printSeen } from './observe.js';
import { losePostgres } from './postgres-away.js';
import { exhaustQuota } from './quota.js';
import { createRandom } from './random.js';
import { expireUnderLoad } from './retention.js';
import { mistreatMail } from './smtp.js';
import { killAroundSpam } from './spam.js';
import { openStack } from './stack.js';
import { stopUnderLoad } from './stops.js';
import { byRow, longestS, printTable } from './table.js';
import { mistreatWebhooks } from './webhooks.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    keep: { type: 'boolean', default: false },
    'without-reconciler': { type: 'boolean', default: false },
  },
});
const { quick } = values;
const needed = {
  ...(quick
    ? { kills: 15, accepted: 300, drainMs: 120_000 }
    : { kills: 200, accepted: 10_000, drainMs: 240_000 }),
  drainStartS: longestS(5, quick),
  // The longer a record waits for the machine, the more e-mails a kill finds accepted and not recorded.
  doublesAKill: quick ? 2 : 1,
};
const perSecond = quick ? 60 : 130;

/**
 * What is done to a stack, each with its row in the table: a number for a promise, a letter for a drill of the
 * operator. A part leaves the stack whole for the next; one that has its `own` opens it.
 */
const PARTS = {
  kills: { row: 1, work: killAndLoseRedis },
  smtp: { row: 4, work: (stack, { client }) => mistreatMail(stack, { client, quick }) },
  quota: { row: 5, work: (stack, { random }) => exhaustQuota(stack, { random, quick }) },
  stops: {
    row: 6,
    work: (stack, { client }) => stopUnderLoad(stack, { client, perSecond, quick }),
  },
  hostility: { row: 15, work: (stack) => sendHostility(stack) },
  postgres: {
    row: 7,
    work: (stack, { client }) => losePostgres(stack, { client, perSecond, quick }),
  },
  retention: { row: 18, own: true, work: (tools) => expireUnderLoad({ ...tools, quick }) },
  webhooks: {
    row: 16,
    work: (stack, { client, random }) => mistreatWebhooks(stack, { client, random, quick }),
  },
  spam: { row: 17, work: (stack, { random }) => killAroundSpam(stack, { random, quick }) },
  'slow-dot': { row: 'A', work: delayFinalDot },
  'redis-full': { row: 'B', work: (stack, { client }) => fillRedis(stack, { client, quick }) },
  'disk-full': { row: 'C', own: true, work: (tools) => drillFullDisk({ ...tools, quick }) },
  certificate: { row: 'D', work: expireCertificate },
  'mail-host': { row: 'E', work: misspellMailServer },
  proxy: { row: 'F', work: forgetProxy },
  restore: { row: 'G', own: true, work: (tools) => drillRestore({ ...tools, quick }) },
  upgrade: { row: 'H', own: true, work: (tools) => upgradeUnderLoad({ ...tools, quick }) },
  rotation: { row: 'I', own: true, work: (tools) => rotateKey({ ...tools, quick }) },
  fleet: { row: 'J', own: true, work: (tools) => breakFleet({ ...tools, quick, seed: Number(values.seed) }) },
};

/**
 * Each list has an installation of its own. Much of the time is waiting, which the short run does side by side, as far
 * as two cores bear it. It leaves out `hostility`, which measures delays: they mean something on an idle machine only.
 * `upgrade` and `fleet` have bars of seconds, `rotation` bears no 503 and `webhooks` is much work, so they come when
 * the others, which delay each other, have ended.
 */
const PHASES = quick
  ? [
      [
        ['quota', 'retention', 'spam'],
        ['kills', 'smtp', 'postgres'],
        ['slow-dot', 'redis-full', 'certificate', 'mail-host', 'proxy', 'restore', 'stops', 'disk-full'],
      ],
      [['upgrade'], ['fleet']],
      [['webhooks', 'rotation']],
    ]
  : [[Object.keys(PARTS)]];

async function killAndLoseRedis(stack, { client, random }) {
  const load = { client, perSecond };
  const { counts, requested } = await killAround(stack, { random, ...needed, ...load });
  console.log(
    Object.entries(counts)
      .map(([name, n]) => `${n} ${name}`)
      .join(', '),
  );
  await stack.startAll();
  const redis = await loseRedis(stack, { ...load, awayMs: quick ? 2_000 : 5_000 });
  return reconcileLogs(stack, { counts, requested, redis, needed });
}

/** A part that cannot even be carried out has missed its bar. */
async function carryOut(name, work) {
  const from = Date.now();
  const rows = await work().catch((error) => {
    if (values.keep) console.error(error);
    return [{ row: PARTS[name].row, promise: name, figure: error.message, bar: 'is carried out', ok: false }];
  });
  console.log(`${name}: ${((Date.now() - from) / 1000).toFixed(0)} s`);
  return rows;
}

const stacks = new Set();
const closeAll = () => Promise.all([...stacks].map((stack) => stack.close()));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => closeAll().finally(() => process.exit(1)));
}

async function open(directory, options) {
  await mkdir(directory, { recursive: true });
  const opened = await openStack(directory, options);
  const stack = {
    ...opened,
    async close() {
      if (stacks.delete(stack)) await opened.close();
    },
  };
  stacks.add(stack);
  await stack.startAll();
  return stack;
}

/** Carries out parts one after the other, on one installation but for those that open their own. */
async function carryOutAll(names, directory) {
  const withReconciler = !values['without-reconciler'];
  const stack = names.every((name) => PARTS[name].own) ? null : await open(directory, { withReconciler });
  const client = await stack?.clientOf('wide');
  const random = createRandom(Number(values.seed));
  const rows = [];
  for (const name of names) {
    const { own, work } = PARTS[name];
    const place = join(directory, name);
    if (own) {
      const tools = { directory: place, open: (options, inside = place) => open(inside, options) };
      rows.push(...(await carryOut(name, () => work(tools))));
      continue;
    }
    // A part that broke off may have left the load on and a process down.
    await client.ask('stop');
    await stack.startAll();
    rows.push(...(await carryOut(name, () => work(stack, { client, random }))));
  }
  await client?.stop();
  await stack?.close();
  return rows;
}

console.log(`seed ${values.seed}${quick ? ', quick' : ''}`);
const startedAt = Date.now();
const directories = [];
const rows = [];
try {
  const only = values.only?.split(',');
  for (const lists of PHASES) {
    const wanted = lists
      .map((names) => names.filter((name) => !only || only.includes(name)))
      .filter((names) => names.length > 0);
    const found = await Promise.all(
      wanted.map(async (names) => {
        const directory = await mkdtemp(join(tmpdir(), 'formgate-faults-'));
        directories.push(directory);
        return carryOutAll(names, directory);
      }),
    );
    rows.push(...found.flat());
  }
  rows.sort(byRow);
} finally {
  await closeAll();
  if (values.keep) console.log(`Logs in ${directories.join(' and ')}`);
  else await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
}
printSeen();
console.log('');
printTable(rows);
console.log(`${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
// Again at the end, where a log that was cut short still has them.
const missed = rows.filter(({ ok }) => ok === false);
for (const { row, promise, figure, bar } of missed)
  console.log(`MISSED ${row}: ${promise}: ${figure}, not ${bar}`);
process.exit(missed.length > 0 ? 1 : 0);
