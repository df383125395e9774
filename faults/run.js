// `npm run faults`: starts a real installation, breaks it in every way that it promises to bear, and compares
// what the client was told with what the database and the mail server hold.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sendHostility } from './hostility.js';
import { killAround, loseRedis, reconcileLogs } from './kills.js';
import { losePostgres } from './postgres-away.js';
import { exhaustQuota } from './quota.js';
import { createRandom } from './random.js';
import { mistreatMail } from './smtp.js';
import { openStack } from './stack.js';
import { stopUnderLoad } from './stops.js';
import { printTable } from './table.js';

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
const needed = quick
  ? { kills: 15, accepted: 300, drainMs: 60_000 }
  : { kills: 200, accepted: 10_000, drainMs: 240_000 };
const perSecond = quick ? 60 : 130;

/** What is done to a stack, each with its row in the table; a part leaves the stack whole for the next. */
const PARTS = {
  kills: { row: 1, work: killAndLoseRedis },
  smtp: { row: 4, work: (stack, { client }) => mistreatMail(stack, { client, quick }) },
  quota: { row: 5, work: (stack, { random }) => exhaustQuota(stack, { random, quick }) },
  stops: {
    row: 6,
    work: (stack, { client }) => stopUnderLoad(stack, { client, perSecond, rounds: quick ? 1 : 5 }),
  },
  hostility: { row: 15, work: (stack) => sendHostility(stack) },
  postgres: {
    row: 7,
    work: (stack, { client }) => losePostgres(stack, { client, perSecond, rounds: quick ? 1 : 3 }),
  },
};

/**
 * Each list has an installation of its own. Much of the time is waiting, which the short run does side by side. It
 * leaves out `hostility`, which measures delays: they mean something on an idle machine only.
 */
const LISTS = quick
  ? [
      ['kills', 'quota'],
      ['smtp', 'stops', 'postgres'],
    ]
  : [Object.keys(PARTS)];

async function killAndLoseRedis(stack, { client, random }) {
  const load = { client, perSecond };
  const counts = await killAround(stack, { random, ...needed, ...load });
  console.log(
    Object.entries(counts)
      .map(([name, n]) => `${n} ${name}`)
      .join(', '),
  );
  await stack.startAll();
  const redis = await loseRedis(stack, { ...load, awayMs: quick ? 2_000 : 5_000 });
  return reconcileLogs(stack, { counts, redis, needed });
}

/** A part that cannot even be carried out has missed its bar. */
async function carryOut(name, stack, tools) {
  const { row, work } = PARTS[name];
  const from = Date.now();
  const rows = await work(stack, tools).catch((error) => {
    if (values.keep) console.error(error);
    return [{ row, promise: name, figure: error.message, bar: 'is carried out', ok: false }];
  });
  console.log(`${name}: ${((Date.now() - from) / 1000).toFixed(0)} s`);
  return rows;
}

const stacks = [];
const closeAll = () => Promise.all(stacks.splice(0).map((stack) => stack.close()));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => closeAll().finally(() => process.exit(1)));
}

/** One installation, and what is done to it. */
async function carryOutAll(names, directory) {
  const stack = await openStack(directory, { withReconciler: !values['without-reconciler'] });
  stacks.push(stack);
  await stack.startAll();
  const client = await stack.clientOf('wide');
  const random = createRandom(Number(values.seed));
  const rows = [];
  for (const name of names) rows.push(...(await carryOut(name, stack, { client, random })));
  await client.stop();
  return rows;
}

console.log(`seed ${values.seed}${quick ? ', quick' : ''}`);
const startedAt = Date.now();
const directories = [];
const rows = [];
try {
  const only = values.only?.split(',');
  const lists = LISTS.map((names) => names.filter((name) => !only || only.includes(name)));
  const wanted = lists.filter((names) => names.length > 0);
  for (const _ of wanted) directories.push(await mkdtemp(join(tmpdir(), 'formgate-faults-')));
  const found = await Promise.all(wanted.map((names, index) => carryOutAll(names, directories[index])));
  rows.push(...found.flat().sort((a, b) => a.row - b.row));
} finally {
  await closeAll();
  if (values.keep) console.log(`Logs in ${directories.join(' and ')}`);
  else await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
}
printTable(rows);
console.log(`${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
