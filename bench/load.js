// Load over HTTP, and what it finds.
import autocannon from 'autocannon';
import { Pool } from 'undici';
import { forkModule } from '../faults/processes.js';
import { quantile } from '../faults/table.js';

export const ROUNDS = 5;
const CONNECTIONS = 64;
const ROUND_S = 4;

export const median = (numbers) => quantile(numbers, 0.5);

/** The requests of each connection, dealt out of one list. */
const deal = (requests, connections) =>
  Array.from({ length: connections }, (_, hand) => requests.filter((_, i) => i % connections === hand));

/**
 * Sends requests over and over for four seconds, or each of them once, as fast as they are answered.
 *
 * @param {{ url: string, requests: object[], once?: boolean, status?: number, connections?: number }} options
 * @returns answers a second. Throws when one is not of the status that was expected.
 */
export async function hammer({ url, requests, once: each = false, status = 200, connections = CONNECTIONS }) {
  const hands = deal(requests, connections);
  let answers = 0;
  let firstAt = 0;
  let lastAt = 0;
  const cannon = autocannon({
    ...{ url, connections, sampleInt: 100, timeout: 20 },
    ...(each ? { amount: requests.length } : { duration: ROUND_S }),
    setupClient: (client) => client.setRequests(hands.shift()),
  });
  cannon.on('response', () => {
    lastAt = performance.now();
    if (answers === 0) firstAt = lastAt;
    answers += 1;
  });
  const result = await cannon;
  const wrong = Object.entries(result.statusCodeStats).filter(([code]) => Number(code) !== status);
  if (wrong.length > 0 || result.errors > 0) {
    throw new Error(`${url}: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`);
  }
  return (answers - 1) / ((lastAt - firstAt) / 1000);
}

/** The order of a round, from either end in turn: whoever comes second meets what the first has left to be tidied up. */
export const turnsOf = (contestants, round) => (round % 2 === 1 ? contestants.toReversed() : contestants);

/**
 * Measures contestants in turn, round after round, so that whatever else happens on the machine happens to
 * all of them.
 *
 * @param {Record<string, () => Promise<number>>} contestants
 * @returns the median of each, and of their figures round by round against `baseline`.
 */
export async function compare(contestants, rounds = ROUNDS) {
  const names = Object.keys(contestants);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await contestants[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of turnsOf(names, round)) figures[name].push(await contestants[name]());
  }
  const ratios = Object.fromEntries(
    names.map((name) => [name, median(figures[name].map((figure, i) => figure / figures.baseline[i]))]),
  );
  return {
    rounds: figures,
    perSecond: Object.fromEntries(names.map((n) => [n, median(figures[n])])),
    ratios,
  };
}

async function send(pool, { method = 'GET', path, headers = {}, body }) {
  const answer = await pool.request({ method, path, headers, body });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/**
 * A process that sends each request at its own moment, so many a second and evenly, whether or not the former ones are
 * answered.
 *
 * @returns `pace`, which gives the milliseconds to each answer from the moment when its request was due, without those
 * of the first second, and throws when one is not of the status that was expected; and `close`.
 */
export function openPacer() {
  const program = forkModule('../bench/pacer.js');
  return {
    async pace({ url, requests, perSecond, status = 200 }) {
      const { latencies, error } = await program.ask('pace', { url, requests, perSecond, status });
      if (error) throw new Error(`${url}: ${error}`);
      return latencies;
    },
    close: () => program.stop(),
  };
}

/** Sends requests, so many at once, and returns the answers' JSON. */
export async function ask(url, requests, atOnce = 32) {
  const pool = new Pool(url, { connections: atOnce });
  const answers = [];
  let next = 0;
  const work = async () => {
    for (let i = next++; i < requests.length; i = next++) {
      const { status, text } = await send(pool, requests[i]);
      if (status !== 200) throw new Error(`${requests[i].path}: ${status} ${text}`);
      answers[i] = JSON.parse(text);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await pool.close();
  return answers;
}

/** The address of a visitor: every request comes from another, so that no limit is met. */
export const visitor = (number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
