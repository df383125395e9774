import { setTimeout as pause } from 'node:timers/promises';
import { copiesOf, longestS } from './table.js';

/** SIGTERM to gateway and workers under load, and to workers while the mail server hangs. */
export async function stopUnderLoad(stack, { client, perSecond, quick }) {
  const rounds = quick ? 1 : 5;
  const longest = longestS(10, quick);
  const exits = [];
  let activeJobs = 0;
  const keptBefore = stack.kept().length;
  await client.ask('start', { perSecond, websites: [stack.websites.fine], phase: 'stops' });
  for (let round = 0; round < rounds; round += 1) {
    await pause(1_000);
    exits.push({ name: 'gateway', ...(await stack.gateway.stop()) });
    await stack.gateway.start();
    await pause(500);
    exits.push(
      ...(await Promise.all(
        stack.workers.map(async (each) => ({ name: each.name, ...(await each.stop()) })),
      )),
    );
    activeJobs += Number(await stack.redisCli('llen', 'bull:submission-email:active'));
    await Promise.all(stack.workers.map((worker) => worker.start()));
  }
  await client.ask('stop');
  await stack.drained(120_000, ['fine']);
  const answers = stack.answers().filter(({ phase }) => phase === 'stops');
  // A connection refused was never in flight.
  const failed = answers.filter(({ status, error }) => status !== 200 && error !== 'ECONNREFUSED');
  const copies = copiesOf(stack.kept().slice(keptBefore));
  const unmailed = answers.filter(({ lead }) => lead && !copies.has(lead)).length;
  const twice = [...copies.values()].filter((list) => list.length > 1).length;

  await stack.sink.ask('behave', { rules: { 'fine.test': 'hang' } });
  const stuck = await client.ask('send', { count: 30, website: stack.websites.fine, phase: 'stuck' });
  await pause(1_000);
  const hung = await Promise.all(
    stack.workers.map(async (each) => ({ name: each.name, ...(await each.stop()) })),
  );
  await stack.sink.ask('behave', { rules: {} });
  await Promise.all(stack.workers.map((worker) => worker.start()));
  const startedAt = Date.now();
  await stack.drained(120_000, ['fine']);
  const afterS = (Date.now() - startedAt) / 1000;
  const sent = copiesOf(stack.kept());
  const lostStuck = stuck.filter((id) => !sent.has(id)).length;

  const slowest = Math.max(...[...exits, ...hung].map(({ tookMs }) => tookMs)) / 1000;
  const unclean = [...exits, ...hung].filter(({ code }) => code !== 0).length;
  const count = answers.filter(({ status }) => status === 200).length;
  return [
    {
      row: 6,
      promise: 'SIGTERM fails no request in flight',
      figure: `${failed.length} failed${failed[0] ? ` (${failed[0].error ?? failed[0].status})` : ''}, ${count} answered 200`,
      bar: '0',
      ok: failed.length === 0 && count > 0,
    },
    {
      row: 6,
      promise: 'SIGTERM stalls no job, loses and repeats no mail',
      figure: `${activeJobs} stalled, ${unmailed + lostStuck} lost, ${twice} twice`,
      bar: '0, 0, 0',
      ok: activeJobs === 0 && unmailed === 0 && twice === 0 && lostStuck === 0,
    },
    {
      row: 6,
      promise: 'the process ends, also while the mail server hangs',
      figure: `slowest of ${exits.length + hung.length} ${slowest.toFixed(1)} s, ${unclean} unclean; then sent in ${afterS.toFixed(0)} s`,
      bar: `≤ ${longest} s, 0`,
      ok: slowest <= longest && unclean === 0,
    },
  ];
}
