import { quantile } from '../../faults/table.js';
import { compare, hammer, median, pace, ROUNDS } from '../load.js';
import { residentMb } from '../stack.js';
import { prepareSubmissions } from '../submissions.js';

const PER_ROUND = 8_000;

/** Long enough that a moment in which the machine gives nobody any time is not a hundredth of it. */
const PACED_S = 10;

const KNEE_ROUNDS = 3;
const KNEE_PACED_S = 3;
const KNEE_SHARES = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/**
 * Where the knee is, as a share of the most: the pace at which throughput over response time is greatest (Kleinrock,
 * "Power and deterministic rules of thumb", 1979). It is found with a pace because the latency is measured with one:
 * connections that wait for their answers ask no faster than they are answered.
 *
 * @param {{ most: () => Promise<number>, paced: (perSecond: number, seconds: number) => Promise<number[]> }} load
 */
async function findKnee({ most, paced }) {
  const responses = KNEE_SHARES.map(() => []);
  const figures = [];
  for (let round = 0; round < KNEE_ROUNDS; round++) {
    const figure = await most();
    figures.push(figure);
    for (const [i, share] of KNEE_SHARES.entries()) {
      responses[i].push(mean(await paced(share * figure, KNEE_PACED_S)));
    }
  }
  const power = KNEE_SHARES.map((share, i) => share / median(responses[i]));
  const share = KNEE_SHARES[power.indexOf(Math.max(...power))];
  return { share, perSecond: share * median(figures), most: median(figures), responses };
}

/**
 * Submit with every check on, its latency at 70 % of the knee, and the gateway's memory meanwhile. A machine may be
 * faster in one minute than in the next, so each round has a pace of its own, and the bare program is measured at the
 * same one.
 */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const baseline = await stack.baseline('insert', [], database);
  const prepare = (count) => prepareSubmissions(gateway.url, { count });
  const paced = async (url, perSecond, seconds) =>
    pace({ url, perSecond, requests: await prepare(Math.round(perSecond * seconds)) });
  let residentAtMost = 0;
  const hammerGateway = async (requests) => {
    const figure = await hammer({ url: gateway.url, requests, once: true });
    residentAtMost = Math.max(residentAtMost, residentMb(gateway.pid));
    return figure;
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
  const knee = await findKnee({ most, paced: (...pace) => paced(gateway.url, ...pace) });
  const p99 = { gateway: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const pace = 0.7 * knee.share * (await most());
    const turns = [
      [gateway.url, p99.gateway],
      [baseline.url, p99.bare],
    ];
    // Whoever comes second meets what the first has left to be tidied up.
    if (round % 2 === 1) turns.reverse();
    for (const [url, kept] of turns) kept.push(quantile(await paced(url, pace, PACED_S), 0.99));
  }
  await Promise.all([gateway.stop(), baseline.stop()]);
  return [
    {
      ...{ path: 'submit', figure: perSecond.submit, ratio: ratios.submit, atLeast: 1, rounds },
      ...{ baseline: perSecond.baseline, baselineName: 'bare Express, one pg INSERT' },
    },
    {
      ...{ path: 'submit, knee', figure: knee.perSecond, rounds: knee.responses },
      ...{ baseline: knee.most, baselineName: 'the most' },
    },
    {
      ...{ path: 'submit, p99 at 70 % of the knee, in ms', figure: median(p99.gateway), atMost: 15 },
      ...{ baseline: median(p99.bare), baselineName: 'the bare program at the same pace', rounds: p99 },
    },
    { path: 'gateway under load, RSS in MB', figure: residentAtMost, atMost: 250 },
  ];
}
