import { ask, compare, hammer } from '../load.js';
import { prepareSubmissions } from '../submissions.js';
import { configRequests } from './config.js';

/** Some two seconds: the figures of half of them differed by a tenth from round to round. */
const PER_ROUND = 8_000;

/** More than elsewhere: the bar is a tenth away, and one round may differ from the next by more. */
const ROUNDS = 9;

/** What a thousand times the websites, and a hundred times the submissions, cost the public endpoints. */
export async function measure(stack) {
  const sizes = {
    baseline: { websites: 10, submissions: 10_000 },
    websites: { websites: 10_000, submissions: 10_000 },
    submissions: { websites: 10, submissions: 1_000_000 },
  };
  const gateways = {};
  for (const [name, size] of Object.entries(sizes)) {
    gateways[name] = await stack.gateway(await stack.database(size));
    // Every website has been asked for since the gateway started.
    await ask(
      gateways[name].url,
      configRequests(size.websites, {}, (i) => i + 1),
    );
  }

  const submit = (name) => async () => {
    const { url } = gateways[name];
    const { websites } = sizes[name];
    return hammer({
      url,
      once: true,
      requests: await prepareSubmissions(url, { count: PER_ROUND, websites }),
    });
  };
  const config = (name) => {
    const websiteOf = () => 1 + Math.floor(Math.random() ** 2 * sizes[name].websites);
    const requests = configRequests(32_768, {}, websiteOf);
    return () => hammer({ url: gateways[name].url, requests });
  };
  const submits = await compare(
    Object.fromEntries(Object.keys(sizes).map((name) => [name, submit(name)])),
    ROUNDS,
  );
  const configs = await compare({ baseline: config('baseline'), websites: config('websites') }, ROUNDS);
  await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));

  const row = (path, { perSecond, ratios, rounds }, name) => ({
    ...{ path, figure: perSecond[name], ratio: ratios[name], atLeast: 0.9, rounds },
    ...{ baseline: perSecond.baseline, baselineName: '10 websites, 10,000 submissions' },
  });
  return [
    row('submit, 10,000 websites', submits, 'websites'),
    row('submit, 1,000,000 submissions', submits, 'submissions'),
    row('forms/config, 10,000 websites', configs, 'websites'),
  ];
}
