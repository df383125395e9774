import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, hammerInSlices } from '../load.js';
import { createTokens } from '../tokens.js';

/** The website directory, with a token and the live check of its bearer's role. */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const path = '/api/websites';
  const requests = (await createTokens(database)).map((token) => ({
    path,
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
  }));
  const file = join(stack.directory, 'directory.json');
  await writeFile(file, await (await fetch(gateway.url + path, requests[0])).text());
  const baseline = await stack.baseline('json', [path, file]);
  const { perSecond, ratios, rounds } = await compare({
    baseline: () => hammerInSlices({ url: baseline.url, requests }),
    directory: () => hammerInSlices({ url: gateway.url, requests }),
  });
  await Promise.all([gateway.stop(), baseline.stop()]);
  return [
    {
      path: 'GET /api/websites',
      figure: perSecond.directory,
      ratio: ratios.directory,
      atLeast: 0.5,
      rounds,
      baseline: perSecond.baseline,
      baselineName: 'bare Express res.json of the same',
    },
  ];
}
