import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, hammerInSlices, visitor } from '../load.js';
import { seedWebsiteId } from '../seed.js';

/** A fresh proof-of-work challenge for each visitor. */
export async function measure(stack) {
  const gateway = await stack.gateway(await stack.database());
  const requests = Array.from({ length: 16_384 }, (_, i) => ({
    path: `/api/websites/${seedWebsiteId(1)}/captcha/altcha/challenge`,
    headers: { origin: 'https://www.site-1.test', 'x-forwarded-for': visitor(i) },
  }));
  const [{ path, headers }] = requests;
  const file = join(stack.directory, 'challenge.json');
  await writeFile(file, await (await fetch(gateway.url + path, { headers })).text());
  const baseline = await stack.baseline('json', ['/api/websites/:website/captcha/altcha/challenge', file]);
  const { perSecond, ratios, rounds } = await compare({
    baseline: () => hammerInSlices({ url: baseline.url, requests }),
    challenge: () => hammerInSlices({ url: gateway.url, requests }),
  });
  await Promise.all([gateway.stop(), baseline.stop()]);
  return [
    {
      path: 'challenge',
      figure: perSecond.challenge,
      ratio: ratios.challenge,
      atLeast: 0.5,
      rounds,
      baseline: perSecond.baseline,
      baselineName: 'bare Express res.json of the same',
    },
  ];
}
