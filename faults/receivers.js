// Receivers of webhooks, each at a path of its own with a fault of its own, and a file of what came; a process of its
// own that knows nothing of the rest.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** Answers that are as bad as told; later ones are good, so that the receiver's place is free again. */
const DRIPS = 5;
const FLOODS = 20;

const { port, file } = JSON.parse(process.argv[2]);
const seen = new Set();
const counts = new Map();
let isHealed = false;
/** Process ids that are killed once a 204 has been written. */
let victims = [];

const end = (response, status, headers) => {
  response.writeHead(status, headers).end();
  return status;
};

/** How each receiver answers until it is healed. @returns the status that it answers; 0: none. */
const FAULTS = {
  flaky: ({ response, isFirst }) => end(response, isFirst ? 500 : 204),
  redirect: ({ response, isFirst }) =>
    isFirst ? end(response, 302, { location: `http://127.0.0.1:${port}/elsewhere` }) : end(response, 204),
  hang: () => 0,
  gone: ({ response }) => end(response, 410),
  drip({ response, count }) {
    if (count > DRIPS) return end(response, 204);
    response.writeHead(200);
    const dripping = setInterval(() => response.write('x'), 500);
    response.on('close', () => clearInterval(dripping));
    return 200;
  },
  flood({ response, count }) {
    if (count > FLOODS) return end(response, 204);
    response.writeHead(200).end(Buffer.alloc(10_000_000, 'x'));
    return 200;
  },
};

createServer(async (request, response) => {
  const name = request.url.slice(1);
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The worker died before it had sent the message.
    return;
  }
  const body = Buffer.concat(chunks).toString();
  const key = `${name} ${request.headers['webhook-id']}`;
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  const faulty = isHealed ? undefined : FAULTS[name];
  const isTrap = victims.length > 0 && name === 'honest';
  const status = faulty ? faulty({ response, isFirst: !seen.has(key), count }) : end(response, 204);
  // The answer is in the worker's socket, and its record is not in the database.
  if (isTrap) for (const pid of victims.splice(0)) process.kill(pid, 'SIGKILL');
  seen.add(key);
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  } = request.headers;
  appendFileSync(file, `${JSON.stringify({ name, id, timestamp, signature, body, status, isTrap })}\n`);
}).listen(port, '127.0.0.1');

const orders = {
  ready: () => true,
  /** From now on every receiver answers 204. */
  heal() {
    isHealed = true;
  },
  /** Kills processes as soon as the honest receiver has answered the next message. */
  trap({ pids }) {
    victims = pids;
  },
};

process.on('message', async ({ order, type, ...data }) => {
  process.send({ order, result: (await orders[type](data)) ?? null });
});
process.on('disconnect', () => process.exit());
