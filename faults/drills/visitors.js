// Visitors' browsers and a user of the inbox, as a process of its own that writes every answer to a file. As behind a
// load balancer each request goes to the next of the gateways.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const { website, origin, owner, file, spamEvery = 5 } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const INBOX = '{ submissions(first: 20) { edges { node { id notification { state } } } } }';
const SPAM =
  'We noticed your website is not on the first page of Google. We offer backlinks, see https://rank.example/offer';
const LOGIN = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';

let ports = [];
let cookie = '';
let load = null;
let visitors = 0;
let requests = 0;
/** Requests, and visits that consist of several. */
const inFlight = new Set();
const visiting = new Set();

/** Sends a request to the next gateway, and notes how it ended. @returns its status and parsed body. */
function send(kind, path, { method = 'GET', headers = {}, body, note = {} } = {}) {
  const at = Date.now();
  requests += 1;
  const port = ports[requests % ports.length];
  const answering = new Promise((resolve) => {
    const end = (answer, parsed) => {
      const noted = { kind, port, at, ms: Date.now() - at, ...note, ...answer };
      appendFileSync(file, `${JSON.stringify(noted)}\n`);
      resolve({ ...answer, body: parsed });
    };
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', (error) => end({ error: error.code ?? error.message }));
      response.on('end', () => {
        const parsed = text === '' ? {} : JSON.parse(text);
        const set = response.headers['set-cookie']?.at(-1)?.split(';')[0];
        if (set) cookie = set;
        const code = parsed.errors?.[0]?.extensions?.code;
        end({ status: response.statusCode, code, lead: parsed.lead_id }, parsed);
      });
    });
    outgoing.on('error', (error) => end({ error: error.code ?? error.message }));
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error('TIMEOUT')));
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  }).finally(() => inFlight.delete(answering));
  inFlight.add(answering);
  return answering;
}

function solve({ algorithm, challenge, salt, signature, maxnumber }) {
  for (let number = 0; number <= maxnumber; number++) {
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') !== challenge) continue;
    return Buffer.from(JSON.stringify({ algorithm, challenge, number, salt, signature })).toString('base64');
  }
  throw new Error('No number completes the salt.');
}

/** Asks the panel, as the owner who has logged in. */
const ask = (kind, query, variables) =>
  send(kind, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: { query, variables },
  });

/** One visitor: the page's form, a proof of work, a signature, a submission. Some are counted as visits. */
async function visit() {
  visitors += 1;
  const number = visitors;
  const isSpam = number % spamEvery === 0;
  const path = `/api/websites/${website}`;
  const headers = { origin, 'x-forwarded-for': `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` };
  const json = { ...headers, 'content-type': 'application/json' };
  await send('config', `${path}/forms/config?f=contact~en`, { headers });
  if (number % 10 === 0) {
    const body = { page_url: `${origin}/?utm_source=news&email=visitor${number}@example.com` };
    await send('visit', `${path}/visits`, { method: 'POST', headers: json, body });
    await ask('inbox', INBOX);
  }
  const challenge = await send('challenge', `${path}/captcha/altcha/challenge`, { headers });
  const signed = await send('signature', `${path}/signature`, { headers });
  if (challenge.status !== 200 || signed.status !== 200) return;
  await send('submit', `${path}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      ...json,
      'x-website-signature': signed.body.signature,
      'x-website-timestamp': String(signed.body.timestamp),
      'x-captcha-provider': 'altcha',
      'x-captcha-token': solve(challenge.body),
    },
    body: {
      email: `visitor${number}@example.com`,
      name: `visitor ${number}${isSpam ? `. ${SPAM}` : ''}`,
    },
    note: { number, isSpam },
  });
}

const orders = {
  ready: () => true,
  /** The gateways behind the load balancer from now on; resolves when those of before have answered. */
  async use({ ports: next }) {
    ports = next;
    await Promise.all([...inFlight]);
  },
  async login() {
    const { status } = await ask('login', LOGIN, owner);
    return status;
  },
  start({ perSecond }) {
    load = setInterval(() => {
      const each = visit().finally(() => visiting.delete(each));
      visiting.add(each);
    }, 1_000 / perSecond);
  },
  /** Ends the load, and resolves when every answer is written. */
  async stop() {
    clearInterval(load);
    while (visiting.size > 0) await Promise.all(visiting);
  },
};

process.on('message', async ({ order, type, ...data }) => {
  process.send({ order, result: (await orders[type](data)) ?? null });
});
process.on('disconnect', () => process.exit());
