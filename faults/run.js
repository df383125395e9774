// `npm run faults`: starts a real installation, breaks it in every way that it promises to bear, and compares
// what the client was told with what the database and the mail server hold.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
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
const random = createRandom(Number(values.seed));
const needed = quick
  ? { kills: 15, accepted: 300, drainMs: 60_000 }
  : { kills: 200, accepted: 10_000, drainMs: 240_000 };
const wanted = (part) => !values.only || values.only.split(',').includes(part);

console.log(`seed ${values.seed}${quick ? ', quick' : ''}`);
const startedAt = Date.now();
const directory = await mkdtemp(join(tmpdir(), 'formgate-faults-'));
const stack = await openStack(directory, { withReconciler: !values['without-reconciler'] });
const rows = [];
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => stack.close().finally(() => process.exit(1)));
}

/** A part that cannot even be carried out has missed its bar. */
async function part(name, row, work) {
  if (!wanted(name)) return;
  const from = Date.now();
  try {
    rows.push(...(await work()));
  } catch (error) {
    rows.push({ row, promise: name, figure: error.message, bar: 'is carried out', ok: false });
    if (values.keep) console.error(error);
  }
  console.log(`${name}: ${((Date.now() - from) / 1000).toFixed(0)} s`);
}

try {
  await stack.startAll();
  const client = await stack.clientOf('wide');
  const load = { client, perSecond: quick ? 60 : 130 };
  await part('kills', 1, async () => {
    const counts = await killAround(stack, { random, ...needed, ...load });
    console.log(
      Object.entries(counts)
        .map(([name, n]) => `${n} ${name}`)
        .join(', '),
    );
    await stack.startAll();
    const redis = await loseRedis(stack, { ...load, awayMs: quick ? 2_000 : 5_000 });
    return reconcileLogs(stack, { counts, redis, needed });
  });
  await part('smtp', 4, () => mistreatMail(stack, { client, quick }));
  await part('quota', 5, () => exhaustQuota(stack, { random, quick }));
  await part('stops', 6, () => stopUnderLoad(stack, { ...load, rounds: quick ? 1 : 5 }));
  await part('postgres', 7, () => losePostgres(stack, { ...load, rounds: quick ? 1 : 3 }));
  await client.stop();
} finally {
  await stack.close();
  if (values.keep) console.log(`Logs in ${directory}`);
  else await rm(directory, { recursive: true, force: true });
}
printTable(rows);
console.log(`${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);
