import { setTimeout as pause } from 'node:timers/promises';
import { createMachinePostgres, findMachinePrograms } from './machine-postgres.js';
import { expiredOf, recordOldLeads, recordPersons } from './old-leads.js';
import { openPanel } from './panel.js';
import { until } from './processes.js';
import { quantile } from './table.js';
import { tracesInDump, tracesInTables } from './traces.js';

const ERASE = `mutation ($teamId: ID!, $email: String!) {
  erasePerson(teamId: $teamId, email: $email) { counts { submissions visits } } }`;

/**
 * Persons whose data is erased while submissions come and expire; each has three leads, a visit and a blocked address.
 */
const PERSONS = 20;

/** Submissions a second: more than an agency of thousands of websites has, and what leaves a busy machine some room. */
const PER_SECOND = 50;

/** What stands in all that is to go. */
const GONE = /(expired|erased)\d/;

/** Milliseconds between two looks at what the sessions of PostgreSQL do. */
const LOOK_EVERY_MS = 100;

const seconds = (since) => Math.round((Date.now() - since) / 1_000);

const sizesOf = async ({ postgres }) =>
  (
    await postgres.query(
      `SELECT pg_size_pretty(pg_table_size('submissions')) AS "table",
              pg_size_pretty(pg_indexes_size('submissions')) AS indexes,
              pg_size_pretty(pg_database_size(current_database())) AS "all", n_dead_tup::int AS dead,
              autovacuum_count::int AS vacuums
         FROM pg_stat_user_tables WHERE relname = 'submissions'`,
    )
  )[0];

const said = ({ table, indexes, all, dead, vacuums }) =>
  `table ${table}, indexes ${indexes}, database ${all}; ${dead} dead rows, autovacuum ${vacuums} times`;

/** Looks again and again how long the deletion's statement has run, and how many sessions wait for a lock. */
function watchSessions({ postgres }) {
  const seen = { portionMs: 0, waiting: 0 };
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      const [row] = await postgres.query(
        `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start) * 1000)
                           FILTER (WHERE query LIKE '%WITH run AS MATERIALIZED%'), 0)::int AS "portionMs",
                count(*) FILTER (WHERE wait_event_type = 'Lock')::int AS waiting
           FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()`,
      );
      for (const key of Object.keys(seen)) seen[key] = Math.max(seen[key], row[key]);
      await pause(LOOK_EVERY_MS);
    }
  })();
  return async () => {
    isOver = true;
    await work;
    return seen;
  };
}

async function erasePersons(stack) {
  const panel = await openPanel(stack);
  const [{ id: teamId }] = await stack.postgres.query(`SELECT id FROM teams WHERE slug = 'wide'`);
  let erased = 0;
  for (let number = 1; number <= PERSONS; number += 1) {
    const { data } = await panel.ask(ERASE, { teamId, email: `erased${number}@old.test` });
    erased += data?.erasePerson.counts.submissions ?? 0;
  }
  return erased;
}

/** Lets two thirds of the leads expire and erases persons while visitors submit; then searches the database. */
async function expire(stack, { bin, client, quick }) {
  const { postgres, websites } = stack;
  const count = quick ? 10_000 : 1_000_000;
  const recordedFrom = Date.now();
  await recordOldLeads(stack, count);
  await recordPersons(stack, PERSONS);
  console.log(`retention: ${count} leads recorded in ${seconds(recordedFrom)} s`);
  const before = await sizesOf(stack);
  const load = { perSecond: PER_SECOND, websites: [websites.fine] };
  await client.ask('start', { ...load, phase: 'before' });
  await pause(quick ? 5_000 : 60_000);
  await client.ask('start', { ...load, phase: 'expiring' });
  const endWatch = watchSessions(stack);
  // The run of today has ended with nothing to do; it begins again.
  await postgres.query('DELETE FROM retention_runs');
  const startedAt = Date.now();
  const erased = await erasePersons(stack);
  const finished = async () =>
    (await postgres.query('SELECT submissions FROM retention_runs WHERE finished_at IS NOT NULL'))[0];
  const { submissions: deleted } = await until('the run has ended', finished, 5_400_000);
  const took = seconds(startedAt);
  const { portionMs, waiting } = await endWatch();
  await client.ask('stop');
  const after = await sizesOf(stack);
  const vacuumFrom = Date.now();
  await postgres.query('VACUUM');
  const vacuumed = await sizesOf(stack);
  const vacuumTook = seconds(vacuumFrom);

  const answers = stack.answers();
  const p99 = (phase) =>
    quantile(
      answers.filter((one) => one.phase === phase).map(({ ms }) => ms),
      0.99,
    );
  const accepted = answers.flatMap(({ lead }) => lead ?? []);
  const [kept] = await postgres.query(
    `SELECT count(*) FILTER (WHERE "values" ->> 'name' ~ '^(held|returned|young)')::int AS old,
            count(*) FILTER (WHERE id = ANY ($1))::int AS new FROM submissions`,
    [accepted],
  );
  const { traces, where } = bin
    ? await tracesInDump(postgres, bin, GONE)
    : await tracesInTables(postgres, GONE);
  const stays = count - expiredOf(count);
  const tooMany = stays - kept.old + (accepted.length - kept.new);
  // A submission without an answer in 20 seconds counts as well. The p99 has no bar: it tells of the machine.
  const refused = answers.filter(({ status }) => status !== 200).length;
  console.log(
    `retention: ${deleted} of ${count} leads in ${took} s, ${Math.round(deleted / Math.max(took, 1))} a second; ` +
      `a portion was seen to take up to ${portionMs} ms, and up to ${waiting} sessions to wait for a lock`,
  );
  for (const [when, sizes] of Object.entries({ before, after, [`VACUUM of ${vacuumTook} s`]: vacuumed }))
    console.log(`retention: ${when}: ${said(sizes)}`);
  return [
    {
      row: 18,
      promise: 'what expires or is erased under load leaves no trace in a dump',
      figure: `${traces} traces of ${deleted} leads and ${PERSONS} persons (${erased} leads) in ${where}`,
      bar: '0',
      ok: traces === 0 && deleted === expiredOf(count) && erased === 3 * PERSONS,
    },
    {
      row: 18,
      promise: 'what is young, held, or of a person who came back stays, and so does every new lead',
      figure: `${tooMany} too many of ${stays + accepted.length}`,
      bar: '0',
      ok: tooMany === 0,
    },
    {
      row: 18,
      promise: 'no submission is refused meanwhile, or waits for 20 s',
      figure: `${refused} of ${answers.length}; p99 ${p99('before')} to ${p99('expiring')} ms`,
      bar: '0',
      ok: refused === 0,
    },
  ];
}

/**
 * Lets the leads of many years expire at once. PostgreSQL is the machine's where it has one, since the embedded one
 * comes without the `pg_dump` in which the traces are looked for.
 */
export async function expireUnderLoad({ open, directory, quick }) {
  const bin = await findMachinePrograms();
  const create = bin ? () => createMachinePostgres(bin) : undefined;
  const stack = await open({ postgres: { directory, create } });
  const client = await stack.clientOf('wide');
  try {
    return await expire(stack, { bin, client, quick });
  } finally {
    await client.stop();
    await stack.close();
  }
}
