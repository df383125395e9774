import { execFile } from 'node:child_process';
import { appendFile, mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createObserver, leftOut } from '../observe.js';
import { until } from '../processes.js';
import { longestS } from '../table.js';

const VOLUME = '400m';
/** So much is left on the disk, which some hundred submissions take up. */
const LEFT_BYTES = 400_000;
const PROMISE = "PostgreSQL's disk full";

const run = promisify(execFile);

/** A small file system in memory, in a folder. @throws Error where mounting is not allowed. */
async function mountVolume(directory) {
  await mkdir(directory, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${VOLUME}`, 'tmpfs', directory]);
  const ballast = join(directory, 'ballast');
  return {
    directory,
    /** Takes what is free but for a remainder; called again, also what has become free since. */
    async fill() {
      const { bavail, bsize } = await statfs(directory);
      await appendFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - LEFT_BYTES)));
    },
    empty: () => rm(ballast),
    // PostgreSQL gives up its lock file a moment before it ends, and with that its hold on the volume.
    release: () => until('the volume is free', () => run('umount', [directory]).then(() => true)),
  };
}

/** Counts the answers of a phase, and how many of those with a lead are not in the database. */
async function countAnswers(stack, phase) {
  const answers = stack.answers().filter((line) => line.phase === phase);
  const leads = answers.flatMap(({ lead }) => lead ?? []);
  const [{ n: lost }] = await stack.postgres.query(
    'SELECT count(*)::int AS n FROM unnest($1::uuid[]) AS lead WHERE lead NOT IN (SELECT id FROM submissions)',
    [leads],
  );
  const refused = answers.filter(({ status }) => status === 503).length;
  return { accepted: leads.length, refused, lost, others: answers.length - leads.length - refused };
}

const isRefusal = ({ cause }) => cause === 'disk_full';

async function fillDisk(stack, volume, { client, quick }) {
  const observer = createObserver('disk full');
  const { gateway, postgres } = stack;
  const longest = longestS(5, quick);
  const load = { perSecond: 60, websites: [stack.websites.fine] };
  const firstAccepted = (phase, since) =>
    until('a submission is accepted again', () =>
      stack.answers().find((line) => line.phase === phase && line.status === 200 && line.at >= since),
    ).then(({ at, ms }) => (at + ms - since) / 1000);

  const from = Date.now();
  await volume.fill();
  await client.ask('start', { ...load, phase: 'tables' });
  await until('submissions are refused', () =>
    stack.answers().some(({ phase, status }) => phase === 'tables' && status === 503),
  );
  await until('readiness says full', async () => (await observer.ready(gateway)).database === 'full');
  await pause(quick ? 1_000 : 10_000);
  const metrics = await observer.metrics(gateway, ['formgate_dependency_up']);
  const lines = observer.log(gateway, from, isRefusal);
  let emptiedAt = Date.now();
  await volume.empty();
  const tablesS = await firstAccepted('tables', emptiedAt);
  await client.ask('stop');
  const tables = await countAnswers(stack, 'tables');

  // Else a checkpoint renames old segments of the write-ahead log, and it needs no room for a long time.
  await postgres.query('ALTER SYSTEM SET wal_recycle = off');
  await postgres.query('SELECT pg_reload_conf()');
  await volume.fill();
  await client.ask('start', { ...load, phase: 'log' });
  // The next segment that does not exist yet finds no room, and PostgreSQL ends itself.
  await until('PostgreSQL has ended', async () => {
    await volume.fill();
    await postgres.query('SELECT pg_switch_wal()').catch(() => undefined);
    return !(await postgres.isRunning());
  });
  await pause(quick ? 1_000 : 5_000);
  const ready = await observer.ready(gateway);
  emptiedAt = Date.now();
  await volume.empty();
  await postgres.start();
  const logS = await firstAccepted('log', emptiedAt);
  await client.ask('stop');
  const log = await countAnswers(stack, 'log');
  const pending = await stack.drained(120_000, ['fine']);
  const readyAgain = await observer.ready(gateway);
  const figure = ({ accepted, refused, lost, others }) =>
    `${refused} refused with 503, ${others} otherwise, ${accepted} accepted, ${lost} of these lost`;
  return [
    {
      row: 'C',
      promise: `${PROMISE} (tables): 503, never a 200 that is not recorded; readyz and log say so`,
      figure: figure(tables),
      bar: 'some; 0; some; 0',
      ok:
        tables.refused > 0 &&
        tables.accepted > 0 &&
        tables.others === 0 &&
        tables.lost === 0 &&
        lines.length > 0 &&
        metrics['formgate_dependency_up{dependency="database"}'] === 0,
    },
    {
      row: 'C',
      promise: `${PROMISE} (write-ahead log): it ends itself; a supervisor starts it again`,
      figure: `${figure(log)}; readyz ${ready.database}`,
      bar: 'some; 0; some; 0; away',
      ok: log.refused > 0 && log.others === 0 && log.lost === 0 && ready.database === 'away',
    },
    {
      row: 'C',
      promise: 'recovers unaided when there is room',
      figure: `first 200 after ${tablesS.toFixed(1)} and ${logS.toFixed(1)} s, ${pending} pending, readyz ${readyAgain.status}`,
      bar: `≤ ${longest} s, 0, 200`,
      ok: tablesS <= longest && logS <= longest && pending === 0 && readyAgain.status === 200,
    },
  ];
}

/** An installation whose database is on a disk that becomes full, first for its tables and then for its log. */
export async function drillFullDisk({ open, directory, quick }) {
  const volume = await mountVolume(join(directory, 'volume')).catch((error) => error);
  if (volume instanceof Error) {
    return [
      leftOut('C', PROMISE, `no file system can be mounted: ${volume.message.trim().split('\n').at(-1)}`),
    ];
  }
  const stack = await open({ workers: 1, postgres: volume });
  const client = await stack.clientOf('wide');
  try {
    return await fillDisk(stack, volume, { client, quick });
  } finally {
    await client.stop();
    await stack.close();
  }
}
