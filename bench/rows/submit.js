import { quantile } from '../../faults/table.js';
import { compare, hammer, median, pace, ROUNDS } from '../load.js';
import { residentMb } from '../stack.js';
import { prepareSubmissions } from '../submissions.js';

const PER_ROUND = 8_000;

/**
 * Long enough that a single event is not the 99th percentile: a collection of the whole heap, once in 50,000
 * submissions, or a moment in which the machine gives nobody any time makes some forty answers late.
 */
const PACED_S = 10;

const KNEE_PACED_S = 3;
const KNEE_SHARES = [0.3, 0.45, 0.6, 0.75, 0.9];

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/**
 * Where the knee is, as a share of the most: the pace that is greatest over the mean response time at it (Kleinrock,
 * "Power and deterministic rules of thumb", 1979, for requests that come whether or not the former are answered, as
 * those do whose latency is measured).
 *
 * @param {{ most: () => Promise<number>, answer: (perSecond: number, seconds: number) => Promise<number[]> }} load
 */
async function findKnee({ most, answer }) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const figure = await most();
    const responses = KNEE_SHARES.map(() => 0);
    const order = [...KNEE_SHARES.keys()];
    if (round % 2 === 1) order.reverse();
    for (const i of order) responses[i] = mean(await answer(KNEE_SHARES[i] * figure, KNEE_PACED_S));
    rounds.push({ most: figure, shares: KNEE_SHARES, responses });
  }
  const powers = KNEE_SHARES.map((share, i) =>
    median(rounds.map(({ most: figure, responses }) => (share * figure) / responses[i])),
  );
  return { share: KNEE_SHARES[powers.indexOf(Math.max(...powers))], rounds };
}

/**
 * Submit with every check on, its latency at 70 % of the knee and of the most, and the gateway's memory meanwhile. A
 * machine may be faster in one minute than in the next, so each round has paces of its own, and the bare program is
 * measured at the same ones.
 */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const baseline = await stack.baseline('insert', [], database);
  const prepare = (count) => prepareSubmissions(gateway.url, { count });
  let resident = 0;
  const watched = async (load) => {
    const found = await load;
    resident = Math.max(resident, residentMb(gateway.pid));
    return found;
  };
  const hammerGateway = (requests) => watched(hammer({ url: gateway.url, requests, once: true }));
  const answer = async ({ url }, perSecond, seconds) => {
    const requests = await prepare(Math.round(perSecond * seconds));
    return watched(pace({ url, perSecond, requests }));
  };
  let sent = [];
  const { perSecond, ratios, rounds } = await compare({
    baseline: async () => {
      sent = await prepare(PER_ROUND);
      return hammer({ url: baseline.url, requests: sent, once: true });
    },
    submit: () => hammerGateway(sent),
  });
  const most = async () => hammerGateway(await prepare(PER_ROUND));
  const knee = await findKnee({ most, answer: (...paced) => answer(gateway, ...paced) });
  const shares = { knee: 0.7 * knee.share, most: 0.7 };
  const latencies = { knee: [], most: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const figure = await most();
    for (const [name, share] of Object.entries(shares)) {
      const found = { perSecond: share * figure };
      const turns = Object.entries({ gateway, bare: baseline });
      // Whoever comes second meets what the first has left to be tidied up.
      if (round % 2 === 1) turns.reverse();
      for (const [who, program] of turns) {
        found[who] = quantile(await answer(program, found.perSecond, PACED_S), 0.99);
      }
      latencies[name].push(found);
    }
  }
  await Promise.all([gateway.stop(), baseline.stop()]);
  const theMost = median(knee.rounds.map((round) => round.most));
  const latency = (name) => {
    const of = (what) => median(latencies[name].map((found) => found[what]));
    return {
      ...{ path: `submit, p99 at 70 % of the ${name}, in ms`, figure: of('gateway'), atMost: 15 },
      ...{ baseline: of('bare'), baselineName: `the bare program, also at ${Math.round(of('perSecond'))}/s` },
      rounds: latencies[name],
    };
  };
  return [
    {
      ...{ path: 'submit', figure: perSecond.submit, ratio: ratios.submit, atLeast: 1, rounds },
      ...{ baseline: perSecond.baseline, baselineName: 'bare Express, one pg INSERT' },
    },
    {
      ...{ path: 'submit, knee', figure: knee.share * theMost, rounds: knee.rounds },
      ...{ baseline: theMost, baselineName: 'the most' },
    },
    latency('knee'),
    latency('most'),
    { path: 'gateway under load, RSS in MB', figure: resident, atMost: 250 },
  ];
}
