import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../dist/modules/embedded/free-port.js';
import { openPanel } from './panel.js';
import { forkModule, readLines, until } from './processes.js';
import { copiesOf, quantile } from './table.js';

/** Receivers by what is wrong with each; the secret of `rotated` changes in the middle. */
const RECEIVERS = ['honest', 'rotated', 'flaky', 'redirect', 'hang', 'drip', 'flood', 'gone'];

/** The receiver whose answer disables its endpoint: what waits for it ends as failed. */
const DISABLED = 'gone';

const CREATE = `mutation ($teamId: ID!, $input: WebhookInput!) {
  createWebhook(teamId: $teamId, input: $input) { webhook { id } secret } }`;
const ROTATE = 'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }';
const DELETE = 'mutation ($id: ID!) { deleteWebhook(id: $id) }';

/** Seconds after a rotation from which no attempt signs with the old secret alone. */
const OVERLAP_FROM_S = 2;

/** Checks a signature by the words of the specification, without the code or library that made it. */
function isSigned({ id, timestamp, signature, body }, secret) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return (signature ?? '').split(' ').includes(`v1,${mac}`);
}

/** Creates an endpoint for each receiver. @returns their ids and secrets by name. */
async function createEndpoints({ postgres }, panel, port) {
  const [{ id: teamId }] = await postgres.query(`SELECT id FROM teams WHERE slug = 'wide'`);
  const endpoints = {};
  for (const name of RECEIVERS) {
    const input = { url: `http://127.0.0.1:${port}/${name}`, events: ['submission_created'] };
    const { data, errors } = await panel.ask(CREATE, { teamId, input });
    if (errors) throw new Error(`No webhook: ${JSON.stringify(errors)}`);
    endpoints[name] = { id: data.createWebhook.webhook.id, secret: data.createWebhook.secret };
  }
  return endpoints;
}

/** Milliseconds after its return in which a submission may still find no PostgreSQL (row 7). */
const RECOVERY_MS = 5_000;

/** Kills PostgreSQL and starts it again. @returns when it was away. */
async function losePostgres({ postgres, gateway }, awayMs) {
  const from = Date.now();
  await postgres.kill();
  await pause(awayMs);
  await postgres.start();
  const to = Date.now();
  const isReady = async () => (await fetch(`http://127.0.0.1:${gateway.port}/readyz`)).ok;
  await until('the gateway has PostgreSQL again', isReady);
  return { from, to };
}

/**
 * Kills and empties what delivers and records, also all workers just after an answer and before its record.
 *
 * @returns how many it killed, how many workers may have left an answer unrecorded, and when PostgreSQL was away.
 */
async function killDeliverers(stack, { random, receivers, kills }) {
  const victims = ['worker', 'postgres', 'gateway', 'redis', 'flush', 'answered'];
  const [every, outages] = [stack.workers.length, []];
  let [killed, interrupted] = [0, 0];
  for (; killed < kills; killed += 1) {
    await pause(random.between(300, 900));
    // Each is tried, whatever the seed.
    const victim = victims[killed] ?? random.pick(victims);
    interrupted += { worker: 1, postgres: every, answered: every }[victim] ?? 0;
    if (victim === 'flush') await stack.redisCli('flushall');
    else if (victim === 'postgres') outages.push(await losePostgres(stack, random.between(0, 1_500)));
    else if (victim === 'answered') {
      await receivers.ask('trap', { pids: stack.workers.flatMap((each) => each.pid() ?? []) });
      await Promise.all(stack.workers.map((each) => each.died(20_000).catch(() => undefined)));
      await receivers.ask('trap', { pids: [] });
    } else {
      const target = { worker: random.pick(stack.workers), gateway: stack.gateway, redis: stack.redis }[
        victim
      ];
      await target.kill();
      await pause(random.between(0, 400));
    }
    await stack.startAll();
  }
  return { killed, interrupted, outages };
}

/** Makes retries due now, instead of after hours, until no delivery is pending. @returns how many still are. */
async function drain({ postgres }, timeoutMs) {
  const pending = async () =>
    (await postgres.query(`SELECT count(*)::int AS n FROM webhook_deliveries WHERE state = 'pending'`))[0].n;
  const isDrained = async () => {
    await postgres.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now()
        WHERE state = 'pending' AND claimed_until IS NULL AND next_attempt_at > now()`,
    );
    await pause(500);
    return (await pending()) === 0;
  };
  await until('no delivery is pending', isDrained, timeoutMs).catch(() => undefined);
  return pending();
}

/** Compares what the receivers have logged with the submissions and deliveries of the database. */
async function reconcile({ postgres }, { endpoints, received, since }) {
  const leads = await postgres.query('SELECT id FROM submissions WHERE created_at >= $1', [since]);
  const deliveries = await postgres.query(
    'SELECT id, webhook_id, submission_id, state FROM webhook_deliveries',
  );
  const recorded = new Map(deliveries.map((one) => [`${one.webhook_id} ${one.submission_id}`, one]));
  const taken = new Map();
  const figures = { expected: 0, lost: 0, unsigned: 0, renamed: 0, repeated: 0, invisible: 0 };
  for (const one of received) {
    const endpoint = endpoints[one.name];
    const secrets = [endpoint?.secret];
    if (endpoint?.renewed && Number(one.timestamp) > endpoint.rotatedAt / 1000 + OVERLAP_FROM_S) {
      secrets.push(endpoint.renewed);
    }
    if (!endpoint || !secrets.every((secret) => isSigned(one, secret))) figures.unsigned += 1;
    const { data } = JSON.parse(one.body);
    const key = `${endpoint?.id} ${data.lead_id}`;
    if (recorded.get(key)?.id !== one.id) figures.renamed += 1;
    if (one.status < 200 || one.status > 299) continue;
    if (taken.has(key)) figures.repeated += 1;
    taken.set(key, one);
  }
  for (const [name, { id: webhookId }] of Object.entries(endpoints)) {
    for (const { id } of leads) {
      const key = `${webhookId} ${id}`;
      const state = recorded.get(key)?.state;
      // Nothing is recorded for an endpoint once it is disabled, and what it had before is shown as failed.
      if (name === DISABLED) {
        figures.invisible += state === undefined || state === 'failed' ? 0 : 1;
        continue;
      }
      figures.expected += 1;
      if (!taken.has(key) || state !== 'delivered') figures.lost += 1;
    }
  }
  return figures;
}

/** Kills what delivers and records webhooks under load, while receivers hang and lie and a secret is rotated. */
export async function mistreatWebhooks(stack, { client, random, quick }) {
  const [kills, needed, perSecond] = quick ? [12, 500, 6] : [60, 5_000, 10];
  const port = await freePort();
  const file = join(stack.directory, 'receivers.jsonl');
  const receivers = forkModule('receivers.js', { port, file });
  await receivers.ask('ready');
  const from = stack.answers().length;
  const load = { perSecond, websites: [stack.websites.fine] };
  await client.ask('start', { ...load, phase: 'no webhooks' });
  await pause(quick ? 3_000 : 15_000);
  await client.ask('stop');

  const endpoints = await createEndpoints(stack, await openPanel(stack), port);
  const [{ now: since }] = await stack.postgres.query('SELECT now()');
  await client.ask('start', { ...load, phase: 'webhooks' });
  await pause(quick ? 3_000 : 15_000);
  await client.ask('start', { ...load, phase: 'webhooks and kills' });
  const before = await killDeliverers(stack, { random, receivers, kills: kills / 2 });
  const { data } = await (await openPanel(stack)).ask(ROTATE, { id: endpoints.rotated.id });
  Object.assign(endpoints.rotated, { renewed: data.rotateWebhookSecret.secret, rotatedAt: Date.now() });
  const after = await killDeliverers(stack, { random, receivers, kills: kills / 2 });
  const killed = before.killed + after.killed;
  const outages = [...before.outages, ...after.outages];
  await client.ask('stop');
  await receivers.ask('heal');
  const pending = await drain(stack, quick ? 120_000 : 400_000);
  const unsent = await stack.drained(120_000, ['fine']);
  const received = readLines(file);
  const { expected, lost, unsigned, renamed, repeated, invisible } = await reconcile(stack, {
    endpoints,
    received,
    since,
  });
  const [{ state: stateOfGone }] = await stack.postgres.query('SELECT state FROM webhooks WHERE id = $1', [
    endpoints[DISABLED].id,
  ]);
  const panel = await openPanel(stack);
  for (const { id } of Object.values(endpoints)) await panel.ask(DELETE, { id });
  await receivers.stop();

  const answers = stack.answers().slice(from);
  const copies = copiesOf(stack.kept());
  const accepted = answers.flatMap(({ lead }) => lead ?? []);
  const unmailed = accepted.filter((lead) => !copies.has(lead)).length;
  const isWithoutPostgres = ({ at, ms }) =>
    outages.some(({ from, to }) => at + ms >= from && at <= to + RECOVERY_MS);
  const unavailable = answers.filter((one) => one.status === 503 && isWithoutPostgres(one));
  const refused = answers.filter(
    (one) => one.status !== undefined && one.status !== 200 && !unavailable.includes(one),
  );
  // A gateway that is killed breaks connections off, but none may hang. The p99 has no bar: it tells of the machine.
  const hung = answers.filter(({ error }) => error === 'TIMEOUT').length;
  const statuses = [...new Set(refused.map(({ status }) => ` (${status})`))].join('');
  const p99 = (phase) =>
    quantile(
      answers.filter((one) => one.phase === phase).map(({ ms }) => ms),
      0.99,
    );
  // A worker makes five attempts at once at each endpoint, and each may have been answered when it, or PostgreSQL,
  // died.
  const mostRepeated = (before.interrupted + after.interrupted) * RECEIVERS.length * 5;
  return [
    {
      row: 16,
      promise: 'a webhook is delivered, or shown as failed where its receiver said 410',
      figure: `${lost} lost, ${pending} pending of ${expected} over ${killed} kills, ${outages.length} of PostgreSQL; ${invisible} not shown, endpoint ${stateOfGone}`,
      bar: `0, 0 of ≥ ${needed}; 0, gone`,
      ok: lost === 0 && pending === 0 && expected >= needed && invisible === 0 && stateOfGone === 'gone',
    },
    {
      row: 16,
      promise: 'each message is signed, by the old and the new secret after a rotation',
      figure: `${unsigned} of ${received.length} unsigned or wrongly signed`,
      bar: '0',
      ok: unsigned === 0 && received.length >= needed,
    },
    {
      row: 16,
      promise: 'at least once: what was answered when a worker died comes again with its id',
      figure: `${repeated} again, ${renamed} with another id`,
      bar: `1 to ${mostRepeated}, 0`,
      ok: renamed === 0 && repeated >= 1 && repeated <= mostRepeated,
    },
    {
      row: 16,
      promise: 'submissions and e-mails are none the worse, but for 503 while PostgreSQL is away',
      figure: `${refused.length} of ${answers.length} refused${statuses}, ${hung} without an answer in 20 s, ${unavailable.length} unavailable, ${unmailed + unsent} not mailed; p99 ${p99('no webhooks')} to ${p99('webhooks')} ms`,
      bar: '0, 0, 0',
      ok: refused.length === 0 && hung === 0 && unmailed === 0 && unsent === 0,
    },
  ];
}
