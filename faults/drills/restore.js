import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createMachinePostgres, findMachinePrograms } from '../machine-postgres.js';
import { createObserver, leftOut } from '../observe.js';
import { until } from '../processes.js';
import { copiesOf } from '../table.js';

const PHASE = 'dump';
const PROMISE = 'a dump of the running installation restores';

const run = promisify(execFile);

/** Sends a submission as an integration does. @returns its lead. */
async function submit(gateway, website, token) {
  const url = `http://127.0.0.1:${gateway.port}/api/websites/${website}/forms/contact/submit`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ email: 'after@example.com', name: 'after' });
  const response = await fetch(url, { method: 'POST', headers, body });
  return (await response.json()).lead_id;
}

/** Dumps the database under load with the programs of its version, and starts a gateway and a worker on the copy. */
async function restore(stack, { bin, client, quick }) {
  const { postgres, websites } = stack;
  const observer = createObserver('restore');
  const file = join(stack.directory, 'formgate.dump');
  const token = await stack.tokenOf('wide');
  await client.ask('start', { perSecond: 60, websites: [websites.fine], phase: PHASE });
  await pause(quick ? 2_000 : 10_000);
  const dumpedAt = Date.now();
  await run(join(bin, 'pg_dump'), ['--format=custom', `--file=${file}`, postgres.url]);
  await client.ask('stop');
  await stack.drained(120_000, ['fine']);

  await postgres.query('CREATE DATABASE restored');
  const url = new URL(postgres.url);
  url.pathname = '/restored';
  const restored = url.href;
  await run(join(bin, 'pg_restore'), ['--clean', '--if-exists', '--no-owner', `--dbname=${restored}`, file]);
  const before = stack
    .answers()
    .filter(({ phase, lead, at, ms }) => phase === PHASE && lead && at + ms < dumpedAt);
  const session = await postgres.connect(restored);
  const { rows } = await session.query(
    `WITH closed AS (UPDATE notifications SET state = 'failed' WHERE state = 'pending' RETURNING 1)
     SELECT (SELECT count(*)::int FROM unnest($1::uuid[]) AS lead WHERE lead NOT IN (SELECT id FROM submissions))
              AS missing,
            (SELECT count(*)::int FROM closed) AS closed`,
    [before.map(({ lead }) => lead)],
  );
  await session.end();
  const [{ missing, closed }] = rows;

  const env = { DATABASE_URL: restored, REDIS_URL: `${stack.env.REDIS_URL}/1` };
  const gateway = await stack.addProcess('gateway', { name: 'gateway-G', env });
  const worker = await stack.addProcess('worker', { name: 'worker-G', env });
  await gateway.start();
  await worker.start();
  const ready = [await observer.ready(gateway), await observer.ready(worker)];
  const lead = await submit(gateway, websites.fine, token);
  await until('its e-mail is sent', () => copiesOf(stack.kept()).has(lead));
  await observer.metrics(worker, ['formgate_notifications_pending', 'formgate_notifications_total']);
  await Promise.all([gateway.stop(), worker.stop()]);
  observer.log(worker, 0, ({ level }) => level >= 40);
  const copies = copiesOf(stack.kept());
  const twice = before.filter((answer) => copies.get(answer.lead)?.length > 1).length;
  const isReady = ready.every(({ status }) => status === 200);
  return [
    {
      row: 'G',
      promise: `${PROMISE}: no lead missing, no mail twice, gateway and worker go on`,
      figure: `${missing} of ${before.length} missing, ${twice} twice (${closed} closed), ${isReady ? 'ready' : 'not ready'}, a new lead ${lead ? 'mailed' : 'refused'}`,
      bar: '0, 0, ready, mailed',
      ok: before.length > 0 && missing === 0 && twice === 0 && isReady && lead !== undefined,
    },
  ];
}

/**
 * Dumps an installation as docs/operations.md says, and restores it as another one. Its PostgreSQL is the machine's,
 * since the embedded one comes without `pg_dump`, which refuses a server that is newer than itself.
 */
export async function drillRestore({ open, directory, quick }) {
  const bin = await findMachinePrograms();
  if (!bin)
    return [leftOut('G', PROMISE, 'this machine has no PostgreSQL with pg_dump in /usr/lib/postgresql')];
  const create = () => createMachinePostgres(bin);
  const stack = await open({ workers: 1, postgres: { directory, create } });
  const client = await stack.clientOf('wide');
  try {
    return await restore(stack, { bin, client, quick });
  } finally {
    await client.stop();
    await stack.close();
  }
}
