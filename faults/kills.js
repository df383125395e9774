import { setTimeout as pause } from 'node:timers/promises';
import { sendAgainInPanel } from './panel.js';
import { until } from './processes.js';
import { copiesOf } from './table.js';

/** So long without new deaths is a share of the time in which the load is really served. */
const CALM_MS = [150, 700];
const DOWN_MS = [0, 400];
/** On a machine too busy to reach the figures, the bar is missed rather than the day spent. */
const LONGEST_MS = 660_000;
const STAGES = ['mail', 'data', 'dot', 'accepted'];

/** Kills a worker at a stage of its conversation with the mail server, or after a while if it has none. */
async function killAtStage(stack, worker, stage) {
  await stack.sink.ask('trap', { stage, worker: worker.name, pid: worker.pid() });
  const died = await worker.died(4_000).then(
    () => true,
    () => false,
  );
  if (!died) await worker.kill();
}

/**
 * Kills gateway, workers, PostgreSQL and Redis at random points under load, also workers at each stage of a
 * message; starts each again. At times Redis is flushed instead.
 *
 * @param isEnough told how many times it has killed so far.
 * @returns how many of each were killed, and how often Redis was flushed.
 */
export async function killAtRandom(stack, { random, isEnough, longestMs }) {
  const deadline = Date.now() + longestMs;
  const counts = {};
  const count = (name) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const victims = ['gateway', 'worker', 'worker', 'postgres', 'redis', 'stage', 'flush'];
  for (let killed = 0; !(await isEnough(killed)) && Date.now() < deadline; ) {
    // Mostly the load is served for a moment before the next death; at times that meets the start.
    if (random.between(0, 1) < 0.8) {
      await until('the gateway is up', () => stack.gateway.isUp() || !stack.gateway.isRunning());
    }
    await pause(random.between(...CALM_MS));
    // What died is started again, as a supervisor would; also what met no PostgreSQL when it started.
    for (const each of [stack.gateway, ...stack.workers])
      if (!each.isRunning()) await each.start({ wait: false });
    const victim = random.pick(victims);
    const worker = random.pick(stack.workers);
    const isAboutWorker = victim === 'worker' || victim === 'stage';
    if ((isAboutWorker && !worker.isUp()) || (victim === 'gateway' && !stack.gateway.isUp())) continue;
    if (victim === 'flush') {
      await stack.redisCli('flushall');
      count('flushes');
      continue;
    }
    if (victim === 'stage') {
      const stage = random.pick(STAGES);
      await killAtStage(stack, worker, stage);
      count(`worker at ${stage}`);
      killed += 1;
      continue;
    }
    const target = { gateway: stack.gateway, worker, postgres: stack.postgres, redis: stack.redis }[victim];
    await target.kill();
    await pause(random.between(...DOWN_MS));
    if (victim === 'postgres' || victim === 'redis') await target.start();
    count(victim);
    killed += 1;
  }
  return counts;
}

/** How many times it has killed. */
export const killsOf = (counts) =>
  Object.entries(counts)
    .filter(([name]) => name !== 'flushes')
    .reduce((sum, [, n]) => sum + n, 0);

/**
 * Kills at random under load, until so many were killed, so many submissions accepted and some sent again.
 *
 * @returns how many of each were killed, and the submissions whose e-mails were requested again meanwhile.
 */
export async function killAround(stack, { random, kills, accepted, client, perSecond }) {
  await client.ask('start', { perSecond, websites: [stack.websites.fine], phase: 'kills' });
  const again = sendAgainInPanel(stack);
  const counts = await killAtRandom(stack, {
    random,
    longestMs: LONGEST_MS,
    isEnough: async (killed) =>
      killed >= kills && again.handedOver.size > 0 && (await client.ask('accepted')) >= accepted,
  });
  await client.ask('stop');
  await again.stop();
  return { counts, requested: again.handedOver };
}

/** Redis stopped for a while, then absent when gateway and worker start. @returns figures of row 2. */
export async function loseRedis(stack, { client, perSecond, awayMs }) {
  const phase = 'redis away';
  const drainsMs = [];
  const settle = async () => {
    const from = stack.kept().length;
    const backAt = Date.now();
    await stack.redis.start();
    while (stack.kept().length === from && Date.now() - backAt < 30_000) await pause(20);
    drainsMs.push(Date.now() - backAt);
  };
  await stack.redis.kill();
  await client.ask('start', { perSecond, websites: [stack.websites.fine], phase });
  await pause(awayMs);
  await client.ask('stop');
  await settle();

  await Promise.all([stack.redis.kill(), stack.gateway.kill(), ...stack.workers.map((each) => each.kill())]);
  await Promise.all([stack.gateway.start(), ...stack.workers.map((each) => each.start())]);
  await client.ask('start', { perSecond, websites: [stack.websites.fine], phase });
  await pause(awayMs);
  await client.ask('stop');
  await settle();
  const answers = stack.answers().filter((line) => line.phase === phase);
  return { drainsMs, answers: answers.length, not200: answers.filter(({ status }) => status !== 200).length };
}

/** Rows 1 to 3 from the client's log, the database and the sink. */
export async function reconcileLogs(stack, { counts, requested, redis, needed }) {
  const total = killsOf(counts);
  const pending = await stack.drained(needed.drainMs, ['fine']);
  const phases = new Set(['kills', 'redis away']);
  const accepted = stack.answers().filter(({ phase, lead }) => phases.has(phase) && lead);
  const rows = await stack.postgres.query(
    `SELECT submission_id AS id, state, attempts - (SELECT count(*) FROM notification_attempts a
        WHERE a.submission_id = n.submission_id)::int AS unrecorded FROM notifications n`,
  );
  const again = await stack.postgres.query(
    `SELECT email_id AS id, submission_id AS lead, state, attempts - (SELECT count(*)
        FROM requested_email_attempts a WHERE a.email_id = e.email_id)::int AS unrecorded FROM requested_emails e`,
  );
  const recorded = new Map([...rows, ...again].map((row) => [row.id, row]));
  const copies = copiesOf(stack.kept());
  const lost = accepted.filter(({ lead }) => !recorded.has(lead)).length;
  const unmailed = accepted.filter(({ lead }) => !copies.has(lead)).length;
  const recordedAgain = new Set(again.map(({ lead }) => lead));
  const forgotten = [...requested].filter((lead) => !recordedAgain.has(lead)).length;
  const unmailedAgain = again.filter(({ id }) => !copies.has(id)).length;
  const twice = [...copies].filter(([, list]) => list.length > 1);
  const extra = twice.reduce((sum, [, list]) => sum + list.length - 1, 0);
  const different = twice.filter(([, list]) => new Set(list.map(({ hash }) => hash)).size > 1).length;
  const elsewhere = twice.filter(
    ([id, list]) => list.length - 1 > (recorded.get(id)?.unrecorded ?? 0),
  ).length;
  const drainS = Math.max(...redis.drainsMs) / 1000;
  return [
    {
      row: 1,
      promise: 'a 200 means recorded',
      figure: `${lost} lost of ${accepted.length} accepted over ${total} kills`,
      bar: `0 of ≥ ${needed.accepted}, ≥ ${needed.kills} kills`,
      ok: lost === 0 && accepted.length >= needed.accepted && total >= needed.kills,
    },
    {
      row: 2,
      promise: 'each submission within quota is mailed',
      figure: `${unmailed} not mailed, ${pending} pending`,
      bar: '0, 0',
      ok: unmailed === 0 && pending === 0,
    },
    {
      row: 2,
      promise: 'each e-mail that is requested again in the panel is mailed',
      figure: `${forgotten} lost, ${unmailedAgain} not mailed of ${again.length}`,
      bar: '0, 0 of > 0',
      ok: forgotten === 0 && unmailedAgain === 0 && again.length > 0,
    },
    {
      row: 2,
      promise: 'submit answers 200 with Redis down',
      figure: `${redis.answers - redis.not200} of ${redis.answers}`,
      bar: 'all',
      ok: redis.answers > 0 && redis.not200 === 0,
    },
    {
      row: 2,
      promise: 'draining starts after the return of Redis',
      figure: `${drainS.toFixed(1)} s`,
      bar: `≤ ${needed.drainStartS} s`,
      ok: drainS <= needed.drainStartS,
    },
    {
      row: 3,
      promise: 'no message twice but between final OK and record',
      figure: `${elsewhere} elsewhere; ${extra} there over ${total} kills, ${different} not byte-identical`,
      bar: `0; ≤ ${needed.doublesAKill} a kill, 0`,
      ok: elsewhere === 0 && extra <= needed.doublesAKill * total && different === 0,
    },
  ];
}
