import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../dist/modules/embedded/free-port.js';
import { createObserver } from '../observe.js';
import { openPanel } from '../panel.js';
import { forkModule, until } from '../processes.js';
import { CAPTCHA_SECRET, CLI, OWNER } from '../stack.js';
import { longestS } from '../table.js';
import { readAnswers } from './answers.js';

const PER_SECOND = 20;

const run = promisify(execFile);

const CREATE_WEBHOOK = `mutation ($teamId: ID!, $input: WebhookInput!) {
  createWebhook(teamId: $teamId, input: $input) { secret }
}`;

/** Stands in for a captcha provider, which looks at the secret alone, and for the receiver of a webhook. */
async function openOutside() {
  const received = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    response.setHeader('content-type', 'application/json');
    if (request.url === '/siteverify') {
      const success = new URLSearchParams(body).get('secret') === CAPTCHA_SECRET;
      const answer = { hostname: 'www.keyed.test', challenge_ts: new Date().toISOString() };
      response.end(JSON.stringify({ success, 'error-codes': [], ...answer }));
    } else {
      received.push({ headers: request.headers, body });
      response.end('{}');
    }
  });
  const port = await freePort();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${port}`, received, close: () => server.close() };
}

/** Submits as a visitor of the website whose captcha step has a secret. @returns the status and the lead. */
async function submitKeyed({ gateway, website }) {
  const url = `http://127.0.0.1:${gateway.port}/api/websites/${website}`;
  const headers = { origin: 'https://www.keyed.test', 'content-type': 'application/json' };
  const { signature, timestamp } = await (await fetch(`${url}/signature`, { headers })).json();
  const response = await fetch(`${url}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      ...headers,
      'x-website-signature': signature,
      'x-website-timestamp': String(timestamp),
      'x-captcha-provider': 'turnstile:main',
      'x-captcha-token': randomBytes(16).toString('hex'),
    },
    body: JSON.stringify({ email: 'keyed@example.com', name: 'keyed' }),
  });
  return { status: response.status, lead: (await response.json()).lead_id };
}

/** Tells whether a captcha step, a signature key and a webhook still have their secrets, by using each. */
async function trySecrets({ gateway, website, outside, secret }) {
  const { status, lead } = await submitKeyed({ gateway, website });
  if (status !== 200) return `submission ${status}`;
  const told = await until('the webhook is told', () =>
    outside.received.find(({ body }) => body.includes(lead)),
  );
  try {
    new Webhook(secret).verify(told.body, told.headers);
    return 'readable';
  } catch (error) {
    return `webhook: ${error.message}`;
  }
}

async function rotate(stack, { outside, observer, quick }) {
  const { websites, postgres } = stack;
  const oldKey = stack.env.APP_KEY;
  const newKey = randomBytes(32).toString('base64');
  const both = { APP_KEY: newKey, APP_KEY_PREVIOUS: oldKey };
  const panel = await openPanel(stack);
  const [{ id: teamId }] = await postgres.query("SELECT id::text FROM teams WHERE slug = 'wide'");
  const input = { url: `${outside.url}/hook`, events: ['submission_created'], websiteIds: [websites.keyed] };
  const { data, errors } = await panel.ask(CREATE_WEBHOOK, { teamId, input });
  if (errors) throw new Error(`The webhook is refused: ${JSON.stringify(errors)}`);
  const { secret } = data.createWebhook;

  let gateways = [stack.gateway, await stack.addProcess('gateway', { name: 'gateway2' })];
  await gateways[1].start();
  let [worker] = stack.workers;
  const file = join(stack.directory, 'visitors.jsonl');
  const origin = 'https://www.fine.test';
  const visitors = forkModule('drills/visitors.js', { website: websites.fine, origin, owner: OWNER, file });
  const phaseMs = quick ? 1_000 : 10_000;
  const longest = longestS(5, quick);
  const using = () => visitors.ask('use', { ports: gateways.map(({ port }) => port) });

  /** Replaces each process by one with other keys, while the others serve. */
  async function restartWith(env, name) {
    const next = [];
    for (const [index, former] of gateways.entries()) {
      const gateway = await stack.addProcess('gateway', { name: `gateway${index + 1}-${name}`, env });
      await gateway.start();
      next.push(gateway);
      await visitors.ask('use', { ports: [...next, ...gateways.slice(index + 1)].map(({ port }) => port) });
      await former.stop();
    }
    gateways = next;
    await worker.stop();
    worker = await stack.addProcess('worker', { name: `worker-${name}`, env });
    await worker.start();
    await observer.ready(gateways[0]);
    await observer.ready(worker);
    await pause(phaseMs);
  }
  const rekey = async () => {
    const env = { PATH: process.env.PATH, ...stack.env, ...both, LOG_LEVEL: 'silent' };
    const { stdout } = await run(process.execPath, [CLI, 'rekey'], { env });
    const said = stdout.trim().split('\n').at(-1);
    observer.print('rekey', said);
    return said;
  };
  const secrets = () => trySecrets({ gateway: gateways[0], website: websites.keyed, outside, secret });

  try {
    await using();
    await visitors.ask('login');
    await visitors.ask('start', { perSecond: PER_SECOND });
    await pause(phaseMs);
    const found = [await secrets()];
    await restartWith(both, 'both');
    await rekey();
    found.push(await secrets());
    const left = await rekey();
    await restartWith({ APP_KEY: newKey }, 'new');
    found.push(await secrets());
    await visitors.ask('stop');
    await observer.metrics(worker, ['formgate_webhook_attempts_total', 'formgate_dependency_up']);
    for (const each of [...gateways, worker]) observer.log(each, 0, ({ level }) => level >= 40);
    const retired = await run(process.execPath, [CLI, 'gateway'], {
      env: { PATH: process.env.PATH, ...stack.env, APP_KEY: oldKey, PORT: String(await freePort()) },
    }).catch(({ code, stderr }) => {
      observer.print('old key', stderr.trim().split('\n').at(-1));
      return { code };
    });
    const { answers, refused, failed, slowestMs } = readAnswers(file);
    const pending = await stack.drained(120_000, ['fine', 'keyed']);
    return [
      {
        row: 'I',
        promise: `APP_KEY is replaced at ${PER_SECOND} visitors a second: every request is answered`,
        figure: `${failed.length} of ${answers.length} failed${failed[0] ? ` (${failed[0].kind} ${failed[0].error ?? failed[0].code ?? failed[0].status})` : ''}, ${refused} refused with 503, slowest ${(slowestMs / 1000).toFixed(1)} s, ${pending} e-mails pending`,
        bar: `0, 0, ≤ ${longest} s, 0`,
        ok:
          answers.length > 0 &&
          failed.length === 0 &&
          refused === 0 &&
          slowestMs <= longest * 1000 &&
          pending === 0,
      },
      {
        row: 'I',
        promise: 'captcha secret, signature key and webhook secret work before, between and after',
        figure: `${found.join(', ')}; rekey: ${left}; the old key alone: exit ${retired.code}`,
        bar: 'readable three times; nothing left; 1',
        ok:
          found.every((each) => each === 'readable') &&
          left === 'Nothing is left to encrypt anew.' &&
          retired.code === 1,
      },
    ];
  } finally {
    await visitors.stop();
  }
}

/** Replaces APP_KEY as docs/operations.md says, while visitors submit: two gateways, a worker, captcha and webhook. */
export async function rotateKey({ open, quick }) {
  const outside = await openOutside();
  const env = { TURNSTILE_VERIFY_URL: `${outside.url}/siteverify`, OUTBOUND_ALLOW: '127.0.0.1' };
  const stack = await open({ workers: 1, env });
  try {
    return await rotate(stack, { outside, observer: createObserver('rotation'), quick });
  } finally {
    await stack.close();
    outside.close();
  }
}
