import { setTimeout as pause } from 'node:timers/promises';
import { createObserver } from '../observe.js';
import { until } from '../processes.js';
import { longestS } from '../table.js';

const PHASE = 'redis full';

/** Redis refuses every write, under load, as one does that has reached its `maxmemory`. */
export async function fillRedis(stack, { client, quick }) {
  const observer = createObserver('redis full');
  const { gateway } = stack;
  const longest = longestS(5, quick);
  const from = Date.now();
  await stack.redisCli('config', 'set', 'maxmemory', '1');
  await client.ask('start', { perSecond: 40, websites: [stack.websites.fine], phase: PHASE });
  await until('readiness says full', async () => (await observer.ready(gateway)).queue === 'full');
  await pause(quick ? 3_000 : 30_000);
  const ready = await observer.ready(gateway);
  const metrics = await observer.metrics(gateway, [
    'formgate_dependency_up',
    'formgate_limiter_fallbacks_total',
  ]);
  await client.ask('stop');
  const lines = observer.log(gateway, from, ({ cause }) => cause === 'memory_full');
  const minutes = Math.ceil((Date.now() - from) / 60_000);
  const counts = new Map();
  for (const { msg, queue } of lines) {
    const key = `${msg} ${queue}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());

  const backAt = Date.now();
  await stack.redisCli('config', 'set', 'maxmemory', '0');
  await until('the gateway is ready', () => observer.isReady(gateway));
  const readyS = (Date.now() - backAt) / 1000;
  const pending = await stack.drained(120_000, ['fine']);
  const answers = stack.answers().filter(({ phase }) => phase === PHASE);
  const accepted = answers.filter(({ status }) => status === 200).length;
  const others = [
    ...new Set(answers.filter(({ status }) => status !== 200).map(({ status, error }) => status ?? error)),
  ];
  return [
    {
      row: 'B',
      promise: 'Redis full: submissions are accepted, readyz says full',
      figure: `${accepted} of ${answers.length} were 200${others.length > 0 ? ` (else ${others.join(' ')})` : ''}; readyz ${ready.status} ${ready.queue}`,
      bar: 'all; 503 full',
      ok:
        answers.length > 0 &&
        accepted === answers.length &&
        ready.status === 503 &&
        ready.queue === 'full' &&
        metrics['formgate_dependency_up{dependency="queue"}'] === 0 &&
        metrics.formgate_limiter_fallbacks_total > 0,
    },
    {
      row: 'B',
      promise: 'its log has a line a minute for each message, and names the cause',
      figure: `${lines.length} lines, of one message ${most} in ${minutes} min`,
      bar: '≤ 1 a minute',
      ok: lines.length > 0 && most <= minutes,
    },
    {
      row: 'B',
      promise: 'recovers unaided when there is room',
      figure: `ready after ${readyS.toFixed(1)} s, ${pending} pending`,
      bar: `≤ ${longest} s, 0`,
      ok: readyS <= longest && pending === 0,
    },
  ];
}
