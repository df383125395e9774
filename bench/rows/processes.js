import { compare, hammer, inSlices } from '../load.js';
import { prepareSubmissions } from '../submissions.js';

const PER_ROUND = 8_192;
const CONNECTIONS = 64;
const ROUNDS = 3;

/** Submit over one gateway and over two, on the same cores, PostgreSQL and Redis. */
export async function measure(stack) {
  const database = await stack.database();
  const gateways = [await stack.gateway(database), await stack.gateway(database)];

  const submit = (urls) => async () => {
    return inSlices(await prepareSubmissions(urls[0], { count: PER_ROUND }), async (share) => {
      const rates = await Promise.all(
        urls.map((url, own) =>
          hammer({
            url,
            connections: CONNECTIONS / urls.length,
            requests: share.filter((_, i) => i % urls.length === own),
          }),
        ),
      );
      // They begin together with as many requests each, so the last to end decides.
      return urls.length * Math.min(...rates);
    });
  };
  const [first, second] = gateways.map(({ url }) => url);
  const { perSecond, ratios, rounds } = await compare(
    { baseline: submit([first]), two: submit([first, second]) },
    ROUNDS,
  );
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  return [
    {
      path: 'submit, two gateways',
      figure: perSecond.two,
      ratio: ratios.two,
      rounds,
      baseline: perSecond.baseline,
      baselineName: 'one gateway',
    },
  ];
}
