// `npm run bench`: measures each path with all its checks on, against a bare program in the same run, and holds
// the figures against their bars. `--only submit,config` measures these alone; `--json FILE` says
// where to; `--cpu-prof FOLDER` keeps a profile of each gateway and worker, at the price of its speed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { isMet, printFigures } from './figures.js';
import { directoryPrefix, removeLeftovers } from './leftovers.js';
import { openStack } from './stack.js';

/** In the order in which they are measured: rows that leave unsent notifications come late. */
const ROWS = [
  'config',
  'challenge',
  'directory',
  'graphql',
  'visitor',
  'latency',
  'mail',
  'submit',
  'processes',
  'inbox',
  'panel',
  'attention',
  'export',
  'growth',
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    json: { type: 'string', default: 'bench-results.json' },
    'cpu-prof': { type: 'string' },
  },
});
const only = values.only?.split(',') ?? ROWS;
const unknown = only.filter((name) => !ROWS.includes(name));
if (unknown.length > 0) throw new Error(`--only ${unknown}: there are ${ROWS.join(', ')}.`);

const machine = {
  cpu: `${cpus().length} × ${cpus()[0].model}`,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
};
console.log(Object.values(machine).join(', '));
await removeLeftovers();
const directory = await mkdtemp(directoryPrefix());
const profileTo = values['cpu-prof'];
const stack = await openStack(directory, {
  nodeOptions: profileTo ? ['--cpu-prof', `--cpu-prof-dir=${profileTo}`] : [],
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => stack.close().finally(() => process.exit(1)));
}
const figures = [];
try {
  for (const name of ROWS.filter((each) => only.includes(each))) {
    const from = performance.now();
    const { measure } = await import(`./rows/${name}.js`);
    figures.push(...(await measure(stack)));
    console.log(`${name}: ${Math.round((performance.now() - from) / 1000)} s`);
  }
} finally {
  await stack.close();
  // Those that were measured before one failed are worth having.
  printFigures(figures);
  await writeFile(values.json, `${JSON.stringify({ at: new Date(), machine, figures }, null, 2)}\n`);
}
await rm(directory, { recursive: true, force: true });
process.exit(figures.every(isMet) ? 0 : 1);
