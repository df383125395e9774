import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { local } from '../../faults/processes.js';
import { ask, compare, hammer } from '../load.js';
import { inboxRequest, logIn } from '../panel.js';

const PER_ROUND = 1_024;

/** The inbox's first page of 50 as an owner sees it, with fields and notifications. */
export async function measure(stack) {
  const gateway = await stack.gateway(await stack.database());
  const request = inboxRequest(await logIn(gateway.url, 'owner@seed-1.test'));
  const [{ data }] = await ask(gateway.url, [request]);
  if (data?.submissions.edges.length !== 50) throw new Error('The inbox has no page of 50.');
  const file = join(stack.directory, 'inbox.json');
  await writeFile(file, JSON.stringify(data));
  const baseline = await stack.baseline('apollo', [local('../schema.graphql'), file]);

  const requests = Array.from({ length: PER_ROUND }, () => request);
  const { perSecond, ratios, rounds } = await compare({
    baseline: () => [() => hammer({ url: baseline.url, requests })],
    inbox: () => [() => hammer({ url: gateway.url, requests })],
  });
  await Promise.all([gateway.stop(), baseline.stop()]);
  return [
    {
      path: 'GraphQL inbox, 50 entries',
      figure: perSecond.inbox,
      ratio: ratios.inbox,
      atLeast: 0.5,
      rounds,
      baseline: perSecond.baseline,
      baselineName: 'bare Apollo Server, same answer',
    },
  ];
}
