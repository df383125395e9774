// Load over HTTP, and what it finds.
import autocannon from 'autocannon';
import { Pool } from 'undici';
import { forkModule } from '../faults/processes.js';

export const ROUNDS = 5;
const CONNECTIONS = 64;

/** Of each contestant's round. The machine's speed may change by a quarter from one second to the next. */
const SLICES = 4;

/** The middle of the numbers; of an even number of them, halfway between the two in the middle. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/** Requests dealt out into so many hands. */
const deal = (requests, hands) =>
  Array.from({ length: hands }, (_, hand) => requests.filter((_, i) => i % hands === hand));

/**
 * Sends each request once, as fast as they are answered.
 *
 * @param {{ url: string, requests: object[], status?: number, connections?: number }} options
 * @returns answers a second. Throws when one is not of the status that was expected.
 */
export async function hammer({ url, requests, status = 200, connections = CONNECTIONS }) {
  const hands = deal(requests, connections);
  let answers = 0;
  let startedAt = 0;
  let lastAt = 0;
  const cannon = autocannon({
    url,
    connections,
    amount: requests.length,
    sampleInt: 100,
    timeout: 20,
    setupClient: (client) => client.setRequests(hands.shift()),
  });
  cannon.on('start', () => {
    startedAt = performance.now();
  });
  cannon.on('response', () => {
    lastAt = performance.now();
    answers += 1;
  });
  const result = await cannon;
  const wrong = Object.entries(result.statusCodeStats).filter(([code]) => Number(code) !== status);
  if (wrong.length > 0 || result.errors > 0) {
    throw new Error(`${url}: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`);
  }
  return answers / ((lastAt - startedAt) / 1000);
}

/** A round of requests in slices, for `compare`. There must be a multiple of `SLICES`, so that all are alike. */
export const inSlices = (requests, send) => deal(requests, SLICES).map((share) => () => send(share));

/** As `hammer`, in slices. */
export const hammerInSlices = ({ requests, ...options }) =>
  inSlices(requests, (share) => hammer({ ...options, requests: share }));

/** Returns the order of a turn: the first one rotates, since each is affected by what the one before has left. */
export function turnsOf(contestants, turn) {
  const first = turn % contestants.length;
  return [...contestants.slice(first), ...contestants.slice(0, first)];
}

/** Answers a second over all slices, which were of as many answers each. */
const overall = (rates) => rates.length / rates.reduce((seconds, rate) => seconds + 1 / rate, 0);

async function takeRound(contestants, round) {
  const prepared = [];
  for (const [name, prepare] of Object.entries(contestants)) prepared.push([name, await prepare()]);
  const rates = Object.fromEntries(prepared.map(([name]) => [name, []]));
  for (let slice = 0; slice < prepared[0][1].length; slice++) {
    for (const [name, slices] of turnsOf(prepared, round + slice)) rates[name].push(await slices[slice]());
  }
  return Object.fromEntries(Object.entries(rates).map(([name, those]) => [name, overall(those)]));
}

/**
 * Measures contestants in turn, slice by slice and round after round, so that whatever else happens on the machine
 * happens to all of them. A round before them all is not counted.
 *
 * @param contestants By name, what prepares a round and gives its slices, at once or as a promise: as many slices for
 * all, each a function that sends as many requests as the others and gives the answers a second.
 * @returns the figure of each contestant, round by round.
 */
export async function takeRounds(contestants, rounds = ROUNDS) {
  const taken = [];
  for (let round = 0; round <= rounds; round++) taken.push(await takeRound(contestants, round));
  return taken.slice(1);
}

/** Of rounds: each contestant's median, and that of what it was against `baseline` in the same round. */
export function summarise(rounds) {
  const mediansOf = (figureOf) =>
    Object.fromEntries(
      Object.keys(rounds[0]).map((name) => [name, median(rounds.map((round) => figureOf(round, name)))]),
    );
  return {
    rounds,
    perSecond: mediansOf((round, name) => round[name]),
    ratios: mediansOf((round, name) => round[name] / round.baseline),
  };
}

/** What contestants come to, as `takeRounds` measures them. */
export const compare = async (contestants, rounds) => summarise(await takeRounds(contestants, rounds));

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
export async function ask(url, requests, concurrency = 32) {
  const pool = new Pool(url, { connections: concurrency });
  const answers = [];
  let next = 0;
  const work = async () => {
    for (let i = next++; i < requests.length; i = next++) {
      const { status, text } = await send(pool, requests[i]);
      if (status !== 200) throw new Error(`${requests[i].path}: ${status} ${text}`);
      answers[i] = JSON.parse(text);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await pool.close();
  return answers;
}

/** The address of a visitor: every request comes from another, so that no limit is met. */
export const visitor = (number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
