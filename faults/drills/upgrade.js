import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createObserver, leftOut } from '../observe.js';
import { forkModule, until } from '../processes.js';
import { CLI, OWNER } from '../stack.js';
import { copiesOf, longestS } from '../table.js';
import { readAnswers } from './answers.js';
import { buildOldVersion, findOldVersions } from './old-version.js';

const PER_SECOND = 20;
const SEEDED = 30_000;
/** How long a reader keeps a lock on the submissions at least, for which the migration waits and tries again. */
const READER_MS = 5_000;
const RETRIED = /Migration did not get a lock/;
const WAITS_FOR_READER = /locks .*\bsubmissions in ACCESS EXCLUSIVE/;
const POLL_EVERY_MS = 200;

/** Submissions and page views of the past, as the old version recorded them. */
async function seed(postgres, website) {
  await postgres.query(
    `INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails, attribution,
                              created_at)
     SELECT gen_random_uuid(), w.team_id, w.id, l.form_id, 1, 'en', jsonb_build_object('name', 'Past ' || n),
            ARRAY['past' || n || '@example.com'], '{"referrer": "https://search.test/find?q=past"}',
            now() - n * interval '1 minute'
       FROM generate_series(1, ${SEEDED}) AS n, websites w JOIN form_links l ON l.website_id = w.id
      WHERE w.id = $1`,
    [website],
  );
  await postgres.query(
    `INSERT INTO notifications (submission_id, state) SELECT id, 'sent' FROM submissions WHERE website_id = $1`,
    [website],
  );
  await postgres.query(
    `INSERT INTO visits (id, website_id, visitor_hash, page_url, created_at)
     SELECT gen_random_uuid(), $1, 'past', 'https://www.fine.test/?utm_source=past&email=a@example.com',
            now() - n * interval '1 minute' FROM generate_series(1, ${SEEDED}) AS n`,
    [website],
  );
  await postgres.query('ANALYZE');
}

/** What an old version's database says of its abilities, before it is migrated. */
async function readAbilities({ query }) {
  const [{ withholds, backfills }] = await query(
    `SELECT EXISTS (SELECT FROM pg_enum WHERE enumlabel = 'withheld') AS withholds, to_regclass('backfills') AS backfills`,
  );
  return { withholds, hasBackfilled: backfills !== null };
}

/**
 * Looks whether a process is ready, until it is told to stop. As an orchestrator does, it looks again before it takes
 * a process for not ready.
 */
function watchReadiness(observer, program) {
  let looks = 0;
  let failures = 0;
  let wasReady = true;
  let isStopped = false;
  const watching = (async () => {
    for (; !isStopped; await pause(POLL_EVERY_MS)) {
      const isReady = await observer.isReady(program).catch(() => false);
      looks += 1;
      if (!isReady && !wasReady) failures += 1;
      wasReady = isReady;
    }
  })();
  return {
    /** @returns how often it looked, and how often the process was not ready twice in a row. */
    async stop() {
      isStopped = true;
      await watching;
      return { looks, failures };
    },
  };
}

/** `formgate migrate` of this version, while a reader keeps the table of submissions for a while. */
async function migrateBesideReader({ postgres, env }) {
  const reader = await postgres.connect();
  await reader.query('BEGIN; SELECT id FROM submissions LIMIT 1');
  const startedAt = Date.now();
  const child = spawn(process.execPath, [CLI, 'migrate'], { env: { PATH: process.env.PATH, ...env } });
  const ended = once(child, 'close');
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].on('data', (chunk) => {
      said[name] += chunk;
    });
  }
  await pause(READER_MS);
  await until('it tries again or ends', () => RETRIED.test(said.stderr) || child.exitCode !== null);
  await reader.query('COMMIT');
  await reader.end();
  const [code] = await ended;
  return { ...said, code, tookMs: Date.now() - startedAt };
}

/** What the answers, the database and the mail server say of each lead. */
async function reconcile(stack, answers) {
  const leads = answers.flatMap(({ lead }) => lead ?? []);
  const rows = await stack.postgres.query(
    `SELECT id, "values"->>'name' AS name FROM submissions WHERE "values"->>'name' LIKE 'visitor %'`,
  );
  const recorded = new Set(rows.map(({ id }) => id));
  const withheld = new Set(
    (
      await stack.postgres.query("SELECT submission_id AS id FROM notifications WHERE state = 'withheld'")
    ).map(({ id }) => id),
  );
  const copies = copiesOf(stack.kept());
  return {
    leads: leads.length,
    lost: leads.filter((id) => !recorded.has(id)).length,
    doubled: rows.length - new Set(rows.map(({ name }) => name)).size,
    unmailed: leads.filter((id) => !copies.has(id) && !withheld.has(id)).length,
    mailedTwice: [...copies.values()].filter((list) => list.length > 1).length,
  };
}

/** Waits until this version's backfills have changed what the old one left, and reads what the worker says of it. */
async function watchBackfills(postgres, observer, worker) {
  await until('the backfills have gone through', async () => {
    const [{ done }] = await postgres.query(
      'SELECT EXISTS (SELECT FROM backfills) AND NOT EXISTS (SELECT FROM backfills WHERE passes = 0) AS done',
    );
    return done;
  });
  observer.log(worker, 0, ({ msg }) => msg.startsWith('Backfill'));
  const readGauge = async () =>
    Object.values(await observer.metrics(worker, ['formgate_backfill_rows_left']));
  // It is set after the last portion has been committed.
  let gauge = [];
  const isNothingLeft = async () => {
    gauge = await readGauge();
    // A busy process leaves out what it could not measure in time.
    return gauge.length > 0 && gauge.every((rows) => rows === 0);
  };
  await until('the gauge shows that nothing is left', isNothingLeft).catch(() => undefined);
  const [{ whole }] = await postgres.query(
    `SELECT (SELECT count(*) FROM visits WHERE page_url LIKE '%email=%' AND visitor_hash = 'past')::int
          + (SELECT count(*) FROM submissions WHERE attribution->>'referrer' LIKE '%?%')::int AS whole`,
  );
  return {
    row: 'H',
    promise: `backfills of ${SEEDED} visits and as many leads end under load`,
    figure: `${whole} left as they were, gauge ${gauge.join()}`,
    bar: '0; 0 each',
    ok: whole === 0 && gauge.length > 0 && gauge.every((rows) => rows === 0),
  };
}

async function upgrade(stack, observer, old, { quick }) {
  const { postgres, websites, gateway: oldGateway } = stack;
  const [oldWorker] = stack.workers;
  const { withholds, hasBackfilled } = await readAbilities(postgres);
  await seed(postgres, websites.fine);
  const file = join(stack.directory, 'visitors.jsonl');
  const visitors = forkModule('drills/visitors.js', {
    website: websites.fine,
    origin: 'https://www.fine.test',
    owner: OWNER,
    file,
  });
  const phaseMs = quick ? 2_000 : 15_000;
  const longest = longestS(2, quick);
  try {
    await visitors.ask('use', { ports: [oldGateway.port] });
    await visitors.ask('login');
    await visitors.ask('start', { perSecond: PER_SECOND });
    await pause(phaseMs);
    const watches = [oldGateway, oldWorker].map((each) => watchReadiness(observer, each));
    const migrated = await migrateBesideReader(stack);
    observer.print('migrate', `${(migrated.tookMs / 1000).toFixed(1)} s, code ${migrated.code}`);
    for (const line of `${migrated.stderr}${migrated.stdout}`.trim().split('\n'))
      observer.print('migrate', line);

    const newGateway = await stack.addProcess('gateway', { name: 'gateway-new', args: [CLI, 'gateway'] });
    const newWorker = await stack.addProcess('worker', { name: 'worker-new', args: [CLI, 'worker'] });
    await newGateway.start();
    await newWorker.start();
    const started = [await observer.ready(newGateway), await observer.ready(newWorker)];
    await visitors.ask('use', { ports: [oldGateway.port, newGateway.port] });
    await pause(phaseMs);

    const [spam] = await postgres.query(
      `SELECT (SELECT count(*)::int FROM notifications WHERE state = 'withheld') AS withheld`,
    );
    await visitors.ask('use', { ports: [newGateway.port] });
    const watched = await Promise.all(watches.map((watch) => watch.stop()));
    const stopped = await Promise.all([oldGateway.stop(), oldWorker.stop()]);
    await pause(phaseMs);
    await visitors.ask('stop');
    // An attempt that a busy machine breaks off is repeated minutes later.
    const pending = await stack.drained(600_000, ['fine']);
    const { answers, refused, failed, slowestMs } = readAnswers(file);
    const notReady = watched.reduce((sum, { failures }) => sum + failures, 0);
    const looks = watched.reduce((sum, { looks }) => sum + looks, 0);
    const found = await reconcile(stack, answers);
    observer.log(oldGateway, 0, ({ level }) => level >= 40);
    observer.log(newGateway, 0, ({ level }) => level >= 40);
    observer.log(oldWorker, 0, ({ level }) => level >= 40);

    const [{ marked }] = await postgres.query(
      'SELECT count(*)::int AS marked FROM spam_verdicts WHERE score >= threshold',
    );
    const applied = migrated.stdout.split('\n').filter((line) => line.startsWith('Applied')).length;
    const waits = WAITS_FOR_READER.test(migrated.stdout + migrated.stderr);
    const from = `upgrade from ${old.version} (${old.commit.slice(0, 7)}) at ${PER_SECOND} visitors a second`;
    return [
      {
        row: 'H',
        promise: `${from}: every request is answered`,
        figure: `${failed.length} failed${failed[0] ? ` (${failed[0].kind} ${failed[0].error ?? failed[0].code ?? failed[0].status})` : ''}, ${refused} refused with 503, of ${answers.length}; slowest ${(slowestMs / 1000).toFixed(1)} s`,
        // The short run has installations side by side, which delay each other.
        bar: `0, ${quick ? '≤ 2 %' : 0}; ≤ ${longest} s`,
        ok:
          answers.length > 0 &&
          failed.length === 0 &&
          refused <= answers.length * (quick ? 0.02 : 0) &&
          slowestMs <= longest * 1000,
      },
      {
        row: 'H',
        promise: 'no lead and no mail is lost or doubled',
        figure: `of ${found.leads} leads ${found.lost} lost, ${found.doubled} doubled, ${found.unmailed} not mailed (${pending} pending), ${found.mailedTwice} mailed twice`,
        bar: '0, 0, 0, 0',
        ok:
          found.leads > 0 &&
          pending === 0 &&
          found.lost + found.doubled + found.unmailed + found.mailedTwice === 0,
      },
      {
        row: 'H',
        promise: `${applied} migrations beside a reader of ${READER_MS / 1000} s; both versions are ready`,
        figure: `exit ${migrated.code} after ${(migrated.tookMs / 1000).toFixed(1)} s; old not ready ${notReady} of ${looks} times; new ${started.map(({ status }) => status).join()}; old ended with ${stopped.map(({ code }) => code).join()}`,
        bar: `0${waits ? ', waits for it' : ''}; 0; 200,200; 0,0`,
        ok:
          migrated.code === 0 &&
          (RETRIED.test(migrated.stderr) || !waits) &&
          looks > 0 &&
          notReady === 0 &&
          started.every(({ status }) => status === 200) &&
          stopped.every(({ code }) => code === 0),
      },
      {
        row: 'H',
        promise: withholds
          ? 'spam is marked and withheld beside the old version'
          : "spam is marked and mailed while the old version's panel runs, which knows no withheld e-mail",
        figure: `${spam.withheld} withheld beside it, ${marked} marked`,
        bar: `${withholds ? 'some' : 0}, some`,
        ok: spam.withheld > 0 === withholds && marked > 0,
      },
      // An old version that knows backfills has gone through them already.
      ...(hasBackfilled ? [] : [await watchBackfills(postgres, observer, newWorker)]),
    ];
  } finally {
    await visitors.stop();
  }
}

/** From each old version, as its own code and schema are, to this one: old and new processes side by side. */
export async function upgradeUnderLoad({ open, directory, quick }) {
  const found = await findOldVersions().catch((error) => error);
  if (found instanceof Error) return [leftOut('H', 'upgrade under load', found.message)];
  const rows = [];
  for (const commit of quick ? found.releases : [found.before, ...found.releases]) {
    const place = join(directory, commit.slice(0, 7));
    const old = { commit, ...(await buildOldVersion(commit, join(place, 'code'))) };
    const stack = await open({ cli: old.cli, workers: 1 }, place);
    try {
      rows.push(...(await upgrade(stack, createObserver(`upgrade from ${old.version}`), old, { quick })));
    } finally {
      await stack.close();
    }
  }
  return rows;
}
