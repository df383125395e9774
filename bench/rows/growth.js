import { ask, hammerInSlices, summarise, takeRounds, turnsOf } from '../load.js';
import { prepareSubmissions } from '../submissions.js';
import { configRequests } from './config.js';

const SIZES = {
  baseline: { websites: 10, submissions: 10_000 },
  websites: { websites: 10_000, submissions: 10_000 },
  submissions: { websites: 10, submissions: 1_000_000 },
};

/** Gateways of the same code differ by up to a tenth for as long as they run, so several of each are measured. */
const STARTS = 3;

/** Of the gateways of each start. */
const ROUNDS = 2;

const SUBMISSIONS_PER_ROUND = 8_192;
const CONFIGS_PER_ROUND = 16_384;

/** Gateways that have just been started, each time another first, round by round. */
async function measureStart(stack, start) {
  const gateways = {};
  for (const [name, size] of turnsOf(Object.entries(SIZES), start)) {
    gateways[name] = await stack.gateway(await stack.database(size));
    // Every website has been asked for since the gateway started.
    await ask(
      gateways[name].url,
      configRequests(size.websites, {}, (i) => i + 1),
    );
  }

  const submit = (name) => async () => {
    const { url } = gateways[name];
    const { websites } = SIZES[name];
    return hammerInSlices({
      url,
      requests: await prepareSubmissions(url, { count: SUBMISSIONS_PER_ROUND, websites }),
    });
  };
  const config = (name) => () => {
    const websiteOf = () => 1 + Math.floor(Math.random() ** 2 * SIZES[name].websites);
    const requests = configRequests(CONFIGS_PER_ROUND, {}, websiteOf);
    return hammerInSlices({ url: gateways[name].url, requests });
  };
  const submits = await takeRounds(
    { baseline: submit('baseline'), websites: submit('websites'), submissions: submit('submissions') },
    ROUNDS,
  );
  const configs = await takeRounds({ baseline: config('baseline'), websites: config('websites') }, ROUNDS);
  await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
  return { submits, configs };
}

/** What a thousand times the websites, and a hundred times the submissions, cost the public endpoints. */
export async function measure(stack) {
  for (const size of Object.values(SIZES)) await stack.database(size);
  const starts = [];
  for (let start = 0; start < STARTS; start++) starts.push(await measureStart(stack, start));
  const submits = summarise(starts.flatMap((start) => start.submits));
  const configs = summarise(starts.flatMap((start) => start.configs));

  const row = (path, { perSecond, ratios, rounds }, name) => ({
    path,
    figure: perSecond[name],
    ratio: ratios[name],
    atLeast: 0.85,
    rounds,
    baseline: perSecond.baseline,
    baselineName: '10 websites, 10,000 submissions',
  });
  return [
    row('submit, 10,000 websites', submits, 'websites'),
    row('submit, 1,000,000 submissions', submits, 'submissions'),
    row('forms/config, 10,000 websites', configs, 'websites'),
  ];
}
