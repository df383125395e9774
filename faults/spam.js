import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { killAtRandom, killsOf } from './kills.js';
import { openPanel } from './panel.js';
import { forkModule, readLines, until } from './processes.js';
import { OWNER } from './stack.js';
import { copiesOf } from './table.js';

const SPAM_EVERY = 2;

/** Within this time the workers have counted what there is: they do it every ten seconds. */
const COUNTED_MS = 60_000;

/** How long visitors go on at most when all is well again. */
const CALM_MS = 20_000;

const RELEASE = `mutation ($ids: [ID!]!) {
  setStateOfSelected(selection: { ids: $ids }, state: new) { changed }
}`;
const RELEASE_EVERY_MS = 300;
const AT_ONCE = 4;

/** Every other withheld lead is released, so that as many stay. */
const WITHHELD = `SELECT s.id FROM submissions s JOIN notifications n ON n.submission_id = s.id
                   WHERE s.website_id = $1 AND s.state = 'spam' AND n.state = 'withheld'
                     AND get_byte(uuid_send(s.id), 15) % 2 = 0
                   ORDER BY s.created_at DESC, s.id LIMIT ${AT_ONCE}`;

/** How long a statement may wait for a lock here, less than the gateway takes for a fault. */
const LOCKED_MS = 1_500;

/** What locks a statement out, and how it is known. */
const VERDICT = { table: 'spam_verdicts', statement: 'INSERT INTO spam_verdicts' };
const RELEASING = { table: 'notifications', statement: "SET state = 'pending', retrying_since" };

/**
 * Kills in the middle of a statement: holds it up by a lock, kills, and lets go. What waited in PostgreSQL goes on
 * without its client, and commits where it is a transaction of its own.
 *
 * @returns whether a statement was met and its sender, or PostgreSQL, killed.
 */
async function killWithin(stack, { table, statement }, victims) {
  let session;
  try {
    session = await stack.postgres.connect();
    session.on('error', () => undefined);
    await session.query(`SET lock_timeout = ${LOCKED_MS}`);
    await session.query('BEGIN');
    await session.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    await until(
      'a statement waits',
      async () =>
        (
          await stack.postgres.query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, $1) > 0 LIMIT 1`,
            [statement],
          )
        ).length > 0,
      LOCKED_MS,
    );
    await Promise.all(victims.map((each) => each.kill()));
    return true;
  } catch {
    return false;
  } finally {
    await session?.end().catch(() => undefined);
  }
}

/** Starts what is dead, and waits until the gateway and a worker are up. */
async function served({ gateway, workers }) {
  await until('the gateway and a worker are up', async () => {
    for (const each of [gateway, ...workers]) if (!each.isRunning()) await each.start({ wait: false });
    return gateway.isUp() && workers.some((each) => each.isUp());
  });
}

/**
 * Kills between verdict and withholding, and between the change of a state and the release of its e-mail.
 *
 * @returns how many times it has killed, by the moment; fewer than `rounds` where no such statement was met.
 */
async function killAtMoments(stack, { rounds, deadline }) {
  const { gateway, workers, postgres } = stack;
  const moments = {
    'postgres in a verdict': [VERDICT, [postgres]],
    'postgres in a release': [RELEASING, [postgres]],
    'gateway in a release': [RELEASING, [gateway]],
    'workers in a verdict': [VERDICT, workers],
  };
  const counts = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, [statement, victims]] of Object.entries(moments)) {
      let isKilled = false;
      while (!isKilled && Date.now() < deadline) {
        await served(stack);
        isKilled = await killWithin(stack, statement, victims);
        if (isKilled && victims.includes(postgres)) await postgres.start();
      }
      counts[name] = (counts[name] ?? 0) + Number(isKilled);
    }
  }
  return counts;
}

/**
 * Takes withheld leads out of the spam, some at a time, while everything around it dies.
 *
 * @returns the leads of which it was told that their state is set, and what stops it.
 */
function releaseInPanel(stack) {
  const released = new Set();
  let isStopped = false;
  let panel = null;
  async function release() {
    const ids = (await stack.postgres.query(WITHHELD, [stack.websites.spam])).map(({ id }) => id);
    if (ids.length === 0) return;
    panel ??= await openPanel(stack);
    const { errors } = await panel.ask(RELEASE, { ids });
    if (!errors) for (const id of ids) released.add(id);
  }
  const releasing = (async () => {
    while (!isStopped) {
      await pause(RELEASE_EVERY_MS);
      // The gateway, or what it needs, is dead at times.
      await release().catch(() => undefined);
    }
  })();
  return {
    released,
    stop() {
      isStopped = true;
      return releasing;
    },
  };
}

/** Reads each lead of the website with what has become of it, by its id. */
async function readLeads({ postgres, websites }) {
  const rows = await postgres.query(
    `SELECT s.id, s.state AS lead, s."values" ->> 'name' LIKE '%backlinks%' AS "isSpam", n.state, n.attempts,
            n.quota_claimed_at IS NOT NULL AS "hasUnit", coalesce(jsonb_array_length(v.reasons), 0) AS reasons,
            n.attempts - (SELECT count(*) FROM notification_attempts a WHERE a.submission_id = s.id)::int AS unrecorded
       FROM submissions s JOIN notifications n ON n.submission_id = s.id
       LEFT JOIN spam_verdicts v ON v.submission_id = s.id
      WHERE s.website_id = $1`,
    [websites.spam],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const readUnits = async ({ postgres }) =>
  (
    await postgres.query(
      `SELECT coalesce(sum(used), 0)::int AS used FROM quota_usages u JOIN teams t ON t.id = u.team_id
        WHERE t.slug = 'spam'`,
    )
  )[0].used;

/** Reads what the workers have counted of the website's day, and waits until that is what there is. */
async function readCounts({ postgres, websites }, leads) {
  const sent = leads.filter(({ state }) => state === 'sent').length;
  const read = async () =>
    (
      await postgres.query(
        `SELECT (SELECT coalesce(sum(stored), 0)::int FROM daily_counts WHERE website_id = $1) AS leads,
                (SELECT coalesce(sum(emails_sent), 0)::int FROM daily_counts WHERE website_id = $1) AS sent,
                (SELECT coalesce(sum(count), 0)::int FROM captcha_counts
                  WHERE website_id = $1 AND verdict = 'accepted') AS admitted`,
        [websites.spam],
      )
    )[0];
  const isRight = (counts) =>
    counts.leads === leads.length && counts.sent === sent && counts.admitted === leads.length;
  await until('the day is counted', async () => isRight(await read()), COUNTED_MS).catch(() => undefined);
  const counts = await read();
  return { ...counts, isRight: isRight(counts), expected: { leads: leads.length, sent } };
}

/** The rows from the visitors' log, what the panel was told, the database and the mail server. */
async function reconcile(stack, { accepted, released, kills, moments, pending, needed }) {
  const leads = await readLeads(stack);
  const used = await readUnits(stack);
  const copies = copiesOf(stack.kept());
  const all = [...leads.values()];
  const count = (isMeant) => all.filter(isMeant).length;
  const copiesFor = ({ id }) => copies.get(id) ?? [];
  const isWithheld = ({ lead, state }) => lead === 'spam' && state === 'withheld';
  const isMailed = (one) => one.state === 'sent' && copiesFor(one).length > 0;
  const withheld = count(isWithheld);
  const lost = accepted.filter((id) => !leads.has(id)).length;
  const neither = count((one) => !isWithheld(one) && !isMailed(one));
  const again = all.reduce((sum, one) => sum + Math.max(0, copiesFor(one).length - 1), 0);
  const twice = count((one) => copiesFor(one).length - 1 > one.unrecorded);
  const different = count((one) => new Set(copiesFor(one).map(({ hash }) => hash)).size > 1);
  const mailedToo = count((one) => isWithheld(one) && copiesFor(one).length > 0);
  const unreasoned = count((one) => isWithheld(one) && one.reasons === 0);
  const mistaken = count((one) => isWithheld(one) && !one.isSpam);
  const unjudged = count((one) => one.isSpam && one.reasons === 0);
  const held = [...released].filter((id) => !isMailed(leads.get(id) ?? {})).length;
  const withUnit = count((one) => isWithheld(one) && one.hasUnit);
  const mailed = count(isMailed);
  const counted = await readCounts(stack, all);
  const met = Object.values(moments);
  return [
    {
      row: 17,
      promise: 'kills between verdict, withholding and release: nothing mailed twice, nothing stuck',
      figure: `${twice} twice, ${different} different, ${mailedToo} withheld and mailed, ${pending} pending, ${lost + neither} lost of ${accepted.length} accepted over ${kills} kills, ${met.join('/')} of them within; ${again} again`,
      bar: `0, 0, 0, 0, 0 of ≥ ${needed.accepted}, ≥ ${needed.kills} kills, each moment; one for each unrecorded attempt`,
      ok:
        [twice, different, mailedToo, pending, lost, neither].every((n) => n === 0) &&
        accepted.length >= needed.accepted &&
        kills >= needed.kills &&
        met.every((n) => n > 0),
    },
    {
      row: 17,
      promise: 'spam is judged and withheld with its reasons all the same, and no lead is',
      figure: `${unjudged} unjudged, ${unreasoned} without a reason, ${mistaken} leads; ${withheld} withheld`,
      bar: '0, 0, 0; > 0',
      ok: unjudged === 0 && unreasoned === 0 && mistaken === 0 && withheld > 0,
    },
    {
      row: 17,
      promise: 'what is released is mailed, and takes its unit of the quota only then',
      figure: `${held} of ${released.size} not mailed, ${withUnit} withheld with a unit; ${used} units for ${mailed} e-mails`,
      bar: '0 of > 0, 0; as many',
      ok: held === 0 && released.size > 0 && withUnit === 0 && used === mailed,
    },
    {
      row: 17,
      promise: 'the daily counts of leads, e-mails and admitted captchas are exact after the kills',
      figure: `${counted.leads} leads, ${counted.sent} sent, ${counted.admitted} admitted`,
      bar: `${counted.expected.leads}, ${counted.expected.sent}, ${counted.expected.leads}`,
      ok: counted.isRight,
    },
  ];
}

/**
 * Lets visitors submit, every other time spam, while gateway, workers, PostgreSQL and Redis are killed and an owner
 * takes leads out of the spam.
 */
export async function killAroundSpam(stack, { random, quick }) {
  const needed = quick
    ? { kills: 7, accepted: 60, rounds: 1, perSecond: 25, momentsMs: 60_000, longestMs: 60_000 }
    : { kills: 100, accepted: 2_000, rounds: 8, perSecond: 40, momentsMs: 240_000, longestMs: 400_000 };
  const file = join(stack.directory, 'visitors-of-spam.jsonl');
  const visitors = forkModule('drills/visitors.js', {
    website: stack.websites.spam,
    origin: 'https://www.spam.test',
    owner: OWNER,
    file,
    spamEvery: SPAM_EVERY,
  });
  const acceptedSoFar = () => readLines(file).flatMap(({ lead }) => lead ?? []);
  try {
    await visitors.ask('use', { ports: [stack.gateway.port] });
    await visitors.ask('login');
    await visitors.ask('start', { perSecond: needed.perSecond });
    const releasing = releaseInPanel(stack);
    const met = await killAtMoments(stack, {
      rounds: needed.rounds,
      deadline: Date.now() + needed.momentsMs,
    });
    const kills = needed.kills - killsOf(met);
    const others = await killAtRandom(stack, {
      random,
      longestMs: needed.longestMs,
      isEnough: (killed) => killed >= kills,
    });
    const counts = { ...met, ...others };
    await stack.startAll();
    // On a busy machine few have come through between the deaths.
    await until(
      'enough is accepted and released',
      () => acceptedSoFar().length >= needed.accepted && releasing.released.size > 0,
      CALM_MS,
    ).catch(() => undefined);
    await visitors.ask('stop');
    await releasing.stop();
    const pending = await stack.drained(quick ? 60_000 : 240_000, ['spam']);
    console.log(
      Object.entries(counts)
        .map(([name, n]) => `${n} ${name}`)
        .join(', '),
    );
    return reconcile(stack, {
      accepted: acceptedSoFar(),
      released: releasing.released,
      pending,
      needed,
      kills: killsOf(counts),
      moments: met,
    });
  } finally {
    await visitors.stop();
  }
}
