// Asks whether the gateway is well every 10 ms, each time on a connection that waits for it, and tells how long the
// longest answer took; a process of its own, which nothing else delays.
import { Agent, request } from 'node:http';

const EVERY_MS = 10;

const { port } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true });

let answers = [];

function ask() {
  const startedAt = performance.now();
  const outgoing = request({ port, agent, host: '127.0.0.1', path: '/healthz' }, (response) => {
    response.resume();
    response.on('end', () => answers.push(performance.now() - startedAt));
  });
  outgoing.on('error', () => answers.push(Number.POSITIVE_INFINITY));
  outgoing.end();
}

setInterval(ask, EVERY_MS);

const orders = {
  ready: () => true,
  /** How long the answers since the last time took. */
  take() {
    const taken = answers;
    answers = [];
    return { count: taken.length, worstMs: Math.max(0, ...taken) };
  },
};

process.on('message', async ({ order, type, ...data }) => {
  process.send({ order, result: (await orders[type](data)) ?? null });
});
process.on('disconnect', () => process.exit());
