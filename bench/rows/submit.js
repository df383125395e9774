import { quantile } from '../../faults/table.js';
import { compare, hammer, pace } from '../load.js';
import { residentMb } from '../stack.js';
import { prepareSubmissions } from '../submissions.js';

const PER_ROUND = 8_000;
const PACED_S = 3;

/**
 * Submit with every check on, its latency at 70 % of what it has just done, and the gateway's memory meanwhile. A
 * machine may be faster in one minute than in the next, so each round has a pace of its own.
 */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const baseline = await stack.baseline('insert', [], database);
  const prepare = (count) => prepareSubmissions(gateway.url, { count });
  let residentAtMost = 0;
  let requests = [];
  const p99 = [];
  const { perSecond, ratios, rounds } = await compare({
    baseline: async () => {
      requests = await prepare(PER_ROUND);
      return hammer({ url: baseline.url, requests, once: true });
    },
    submit: async () => {
      const figure = await hammer({ url: gateway.url, requests, once: true });
      residentAtMost = Math.max(residentAtMost, residentMb(gateway.pid));
      const paced = 0.7 * figure;
      const latencies = await pace({
        ...{ url: gateway.url, perSecond: paced, requests: await prepare(Math.round(paced * PACED_S)) },
      });
      p99.push(quantile(latencies, 0.99));
      residentAtMost = Math.max(residentAtMost, residentMb(gateway.pid));
      return figure;
    },
  });
  await Promise.all([gateway.stop(), baseline.stop()]);
  // The first is that of the round that only warms up.
  p99.shift();
  return [
    {
      ...{ path: 'submit', figure: perSecond.submit, ratio: ratios.submit, atLeast: 1, rounds },
      ...{ baseline: perSecond.baseline, baselineName: 'bare Express, one pg INSERT' },
    },
    { path: 'submit, p99 at 70 % of that, in ms', figure: quantile(p99, 0.5), atMost: 15, rounds: { p99 } },
    { path: 'gateway under load, RSS in MB', figure: residentAtMost, atMost: 250 },
  ];
}
