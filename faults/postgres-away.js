import { setTimeout as pause } from 'node:timers/promises';
import { longestS } from './table.js';

const AWAY_MS = 3_000;
/** A request that arrives as PostgreSQL is stopped or as it comes back may meet either. */
const EDGE_MS = 150;

/** PostgreSQL stopped and started under load. */
export async function losePostgres(stack, { client, perSecond, quick }) {
  const rounds = quick ? 1 : 3;
  const answerS = longestS(2, quick);
  const recoveryS = longestS(5, quick);
  const phase = 'postgres away';
  const outages = [];
  await client.ask('start', { perSecond, websites: [stack.websites.fine], phase });
  for (let round = 0; round < rounds; round += 1) {
    await pause(1_000);
    await stack.postgres[round % 2 === 0 ? 'stop' : 'kill']();
    const from = Date.now();
    await pause(AWAY_MS);
    const to = Date.now();
    await stack.postgres.start();
    outages.push({ from, to, backAt: Date.now() });
    await pause(3_000);
  }
  await client.ask('stop');
  const pending = await stack.drained(120_000, ['fine']);
  const answers = stack.answers().filter((line) => line.phase === phase);
  const during = answers.filter(({ at, ms }) =>
    outages.some(({ from, to }) => at >= from + EDGE_MS && at + ms < to),
  );
  const wrong = during.filter(({ status }) => status !== 503);
  const slowestS = Math.max(0, ...during.map(({ ms }) => ms)) / 1000;
  const recoveries = outages.map(
    ({ backAt }) =>
      Math.min(
        ...answers.filter(({ at, status }) => status === 200 && at >= backAt).map(({ at, ms }) => at + ms),
      ) - backAt,
  );
  const [{ n: lost }] = await stack.postgres.query(
    `SELECT count(*)::int AS n FROM unnest($1::uuid[]) AS lead WHERE lead NOT IN (SELECT id FROM submissions)`,
    [answers.flatMap(({ lead }) => lead ?? [])],
  );
  const codes = [...new Set(wrong.map(({ status, error }) => status ?? error))].join(' ');
  return [
    {
      row: 7,
      promise: 'PostgreSQL away: 503, never 200',
      figure: `${during.length - wrong.length} of ${during.length} were 503${codes && ` (else ${codes})`}; slowest ${slowestS.toFixed(1)} s; ${lost} lost`,
      bar: `all; ≤ ${answerS} s; 0`,
      ok: during.length > 0 && wrong.length === 0 && slowestS <= answerS && lost === 0,
    },
    {
      row: 7,
      promise: 'recovers unaided',
      figure: `first 200 ${(Math.max(...recoveries) / 1000).toFixed(1)} s after it is back, ${pending} pending`,
      bar: `≤ ${recoveryS} s, 0`,
      ok: Math.max(...recoveries) <= recoveryS * 1000 && pending === 0,
    },
  ];
}
