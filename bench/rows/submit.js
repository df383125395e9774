import { quantile } from '../../faults/table.js';
import { compare, hammer, hammerInSlices, median, openPacer, ROUNDS, takeRounds, turnsOf } from '../load.js';
import { residentMb } from '../stack.js';
import { prepareIntegration, prepareSubmissions } from '../submissions.js';
import { createTokens } from '../tokens.js';

const PER_ROUND = 8_192;
const PACED_S = 3;

const KNEE_ROUNDS = 3;
const KNEE_PER_ROUND = 3_072;
const KNEE_CONNECTIONS = [4, 8, 16, 32, 64];

/**
 * Where the knee is, as a share of what the most connections did in the same rounds: at the number of them with which
 * throughput over response time is greatest (Kleinrock, "Power and deterministic rules of thumb", 1979). With more of
 * them they only wait longer for one another.
 */
async function findKnee({ url }, prepare) {
  const load = (connections) => async () => {
    const requests = await prepare(KNEE_PER_ROUND);
    return [() => hammer({ url, connections, requests })];
  };
  const contestants = Object.fromEntries(KNEE_CONNECTIONS.map((each) => [each, load(each)]));
  const rounds = await takeRounds(contestants, KNEE_ROUNDS);
  const perSecond = KNEE_CONNECTIONS.map((each) => median(rounds.map((round) => round[each])));
  const power = perSecond.map((figure, i) => figure ** 2 / KNEE_CONNECTIONS[i]);
  const at = power.indexOf(Math.max(...power));
  return {
    connections: KNEE_CONNECTIONS[at],
    perSecond: perSecond[at],
    share: perSecond[at] / perSecond.at(-1),
    rounds,
  };
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
  const pacer = openPacer();
  const prepare = (count) => prepareSubmissions(gateway.url, { count });
  let resident = 0;
  const watched = async (load) => {
    const found = await load;
    resident = Math.max(resident, residentMb(gateway.pid));
    return found;
  };
  const paceProgram = async ({ url }, perSecond) =>
    watched(pacer.pace({ url, perSecond, requests: await prepare(Math.round(perSecond * PACED_S)) }));
  const { perSecond, ratios, rounds } = await compare({
    baseline: async () => hammerInSlices({ url: baseline.url, requests: await prepare(PER_ROUND) }),
    submit: async () =>
      hammerInSlices({ url: gateway.url, requests: await prepare(PER_ROUND) }).map(
        (slice) => () => watched(slice()),
      ),
  });
  const tokens = await createTokens(database);
  const token = await compare({
    baseline: async () => hammerInSlices({ url: baseline.url, requests: await prepare(PER_ROUND) }),
    submit: async () =>
      hammerInSlices({ url: gateway.url, requests: prepareIntegration(tokens, { count: PER_ROUND }) }),
  });
  const knee = await findKnee(gateway, prepare);
  const shares = { knee: 0.7 * knee.share, most: 0.7 };
  const latencies = { knee: [], most: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const figure = await watched(hammer({ url: gateway.url, requests: await prepare(PER_ROUND) }));
    for (const [name, share] of Object.entries(shares)) {
      const found = { perSecond: share * figure };
      for (const [who, program] of turnsOf(Object.entries({ gateway, bare: baseline }), round)) {
        found[who] = quantile(await paceProgram(program, found.perSecond), 0.99);
      }
      latencies[name].push(found);
    }
  }
  await Promise.all([gateway.stop(), baseline.stop(), pacer.close()]);
  const latency = (name) => {
    const of = (what) => median(latencies[name].map((found) => found[what]));
    return {
      path: `submit, p99 at 70 % of the ${name}, in ms`,
      figure: of('gateway'),
      atMost: of('bare'),
      baseline: of('bare'),
      baselineName: `the bare program, also at ${Math.round(of('perSecond'))}/s`,
      rounds: latencies[name],
    };
  };
  return [
    {
      path: 'submit',
      figure: perSecond.submit,
      ratio: ratios.submit,
      atLeast: 0.85,
      rounds,
      baseline: perSecond.baseline,
      baselineName: 'bare Express, one pg INSERT',
    },
    {
      path: 'submit with a token',
      figure: token.perSecond.submit,
      ratio: token.ratios.submit,
      atLeast: 1,
      rounds: token.rounds,
      baseline: token.perSecond.baseline,
      baselineName: 'bare Express, one pg INSERT',
    },
    {
      path: 'submit, knee',
      figure: knee.perSecond,
      rounds: knee.rounds,
      baseline: knee.perSecond / knee.share,
      baselineName: `the most; the knee is at ${knee.connections} connections`,
    },
    latency('knee'),
    latency('most'),
    { path: 'gateway under load, RSS in MB', figure: resident, atMost: 250 },
  ];
}
