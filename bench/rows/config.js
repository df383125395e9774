import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, hammerInSlices, visitor } from '../load.js';
import { seedWebsiteId } from '../seed.js';

const FORMS = 'callback~fr,contact~fr,quote~fr';

/** So many visitors that none comes to a limit. */
const VISITORS = 16_384;

/** The same page, asked for by one visitor after the other. */
export const configRequests = (count, headers = {}, websiteOf = () => 1) =>
  Array.from({ length: count }, (_, i) => {
    const website = websiteOf(i);
    return {
      path: `/api/websites/${seedWebsiteId(website)}/forms/config?f=${FORMS}`,
      headers: { origin: `https://www.site-${website}.test`, 'x-forwarded-for': visitor(i), ...headers },
    };
  });

/** forms/config with three forms, and its 304. */
export async function measure(stack) {
  const gateway = await stack.gateway(await stack.database());
  const [{ path, headers }] = configRequests(1);
  const answer = await fetch(gateway.url + path, { headers });
  const file = join(stack.directory, 'config.json');
  await writeFile(file, JSON.stringify(await answer.json()));
  const baseline = await stack.baseline('json', ['/api/websites/:website/forms/config', file]);

  const requests = configRequests(VISITORS);
  const unchanged = configRequests(VISITORS, { 'if-none-match': answer.headers.get('etag') });
  const { perSecond, ratios, rounds } = await compare({
    baseline: () => hammerInSlices({ url: baseline.url, requests }),
    full: () => hammerInSlices({ url: gateway.url, requests }),
    unchanged: () => hammerInSlices({ url: gateway.url, requests: unchanged, status: 304 }),
  });
  await Promise.all([gateway.stop(), baseline.stop()]);
  const against = { baseline: perSecond.baseline, baselineName: 'bare Express res.json of the same' };
  return [
    {
      path: 'forms/config 200, 3 forms',
      ...against,
      figure: perSecond.full,
      ratio: ratios.full,
      atLeast: 1,
      rounds,
    },
    {
      path: 'forms/config 304',
      ...against,
      figure: perSecond.unchanged,
      ratio: ratios.unchanged,
      atLeast: 1.2,
    },
  ];
}
