import { setTimeout as pause } from 'node:timers/promises';
import { until } from './processes.js';
import { longestS, quantile } from './table.js';

const RULES = {
  'grey.test': '451 4.7.1 Greylisted, come back later',
  'gone.test': '550 5.1.1 No such user',
  'hang.test': 'hang',
  'reset.test': 'reset',
  'garbage.test': 'garbage',
  'busy.test': '452 4.2.2 Mailbox full',
  'slow.test': 'slow 17',
};
const TEMPORARY = ['grey', 'hang', 'reset', 'garbage', 'busy'];

/**
 * Time passes in no time, since rows are moved back: from one attempt to the next, or by more at once, as if
 * no worker had run for so long.
 */
async function passTime(stack, leads, { hours, atLeastS }) {
  let passedS = 0;
  let rounds = 0;
  const tried = (times) => async () =>
    (
      await stack.postgres.query(
        `SELECT count(*)::int AS n FROM notifications
          WHERE submission_id = ANY($1) AND state = 'pending' AND retries < $2`,
        [leads, times],
      )
    )[0].n === 0;
  await until('the first attempt', tried(1));
  while (passedS < hours * 3600) {
    const [{ left }] = await stack.postgres.query(
      `SELECT extract(epoch FROM max(next_attempt_at) - now())::float8 AS left FROM notifications
        WHERE submission_id = ANY($1) AND state = 'pending'`,
      [leads],
    );
    if (left === null) break;
    const moved = Math.max(left + 2, atLeastS);
    await stack.postgres.query(
      `UPDATE notifications SET next_attempt_at = next_attempt_at - make_interval(secs => $2),
              retrying_since = retrying_since - make_interval(secs => $2) WHERE submission_id = ANY($1)`,
      [leads, moved],
    );
    passedS += moved;
    rounds += 1;
    await until('the next attempt', tried(rounds + 1));
  }
  return { passedH: passedS / 3600, tries: rounds + 1 };
}

/** Mail servers that refuse, hang, break off and talk nonsense, by recipient domain and altogether. */
export async function mistreatMail(stack, { client, quick }) {
  const send = (name, count) => client.ask('send', { count, website: stack.websites[name], phase: 'smtp' });
  const states = async (leads) =>
    stack.postgres.query(
      `SELECT n.submission_id AS id, n.state, n.retries, coalesce(array_agg(a.smtp_code), '{}') AS codes,
              count(a.*)::int AS logged
         FROM notifications n LEFT JOIN notification_attempts a USING (submission_id)
        WHERE n.submission_id = ANY($1) GROUP BY 1, 2, 3`,
      [leads],
    );
  const othersS = longestS(20, quick);
  const againS = longestS(35, quick);
  await stack.sink.ask('behave', { rules: RULES });
  const slow = await send('slow', 4);
  const hanging = await send('hang', 60);
  const bad = (await Promise.all(['grey', 'reset', 'garbage', 'busy'].map((name) => send(name, 2)))).flat();
  const gone = await send('gone', 4);
  await pause(500);
  const fine = await send('fine', 100);
  const patient = bad.slice(0, 2);
  // Time passes for the one while the others wait for the domain that hangs.
  const [virtual] = await Promise.all([
    passTime(stack, patient, quick ? { hours: 25, atLeastS: 30_000 } : { hours: 30, atLeastS: 0 }),
    until('mail of others goes out', async () => (await states(fine)).every(({ state }) => state === 'sent')),
  ]);
  const sentAt = new Map(stack.kept().map(({ id, at }) => [id, at]));
  const delays = stack
    .answers()
    .flatMap(({ lead, at }) => (fine.includes(lead) ? sentAt.get(lead) - at : []));
  const slowestS = quantile(delays, 1) / 1000;

  await until('all were tried', async () => (await states(bad)).every(({ logged }) => logged > 0));
  const final = await states(gone);
  const isFinal = final.every(({ state, logged }) => state === 'failed' && logged === 1);

  const afterADay = await states(bad);
  const tried = await states(hanging);
  const stillPending = [...afterADay, ...tried].filter(({ state }) => state === 'pending').length;
  const visible = afterADay.filter(({ logged }) => logged > 0).length;

  const confirmed = await until(
    'the slow ones are sent',
    async () => (await states(slow)).every(({ state }) => state === 'sent') && 4,
  ).catch(() => 0);
  const copies = stack.kept().filter(({ id }) => slow.includes(id)).length;

  await stack.sink.ask('behave', { rules: { '*': '421 4.3.2 Closing for a while' } });
  const waiting = await send('fine', 40);
  await pause(quick ? 2_000 : 20_000);
  const burnt = (await states(waiting)).reduce((sum, { retries }) => sum + retries, 0);
  const backAt = Date.now();
  await stack.sink.ask('behave', { rules: {} });
  await until('mail goes out again', async () =>
    (await states(waiting)).every(({ state }) => state === 'sent'),
  );
  const recoveryS = (Date.now() - backAt) / 1000;

  await stack.postgres.query(`UPDATE notifications SET next_attempt_at = now() WHERE state = 'pending'`);
  // The domains that fell silent are held for up to five minutes, which the short run cannot wait for.
  const deferred = quick ? patient : [...bad, ...hanging];
  const left = await until(
    'everything deferred is sent',
    async () => (await states(deferred)).every(({ state }) => state === 'sent') && 'none',
    quick ? 20_000 : 400_000,
  ).catch(() => 'some');
  return [
    {
      row: 4,
      promise: '5xx is final at once',
      figure: `${final.filter(({ state }) => state === 'failed').length} of 4 failed, 1 attempt each`,
      bar: 'all',
      ok: isFinal,
    },
    {
      row: 4,
      promise: `4xx is retried (virtual time: rows moved ${virtual.passedH.toFixed(0)} h)`,
      figure: `pending after ${virtual.passedH.toFixed(1)} h and ${virtual.tries} tries`,
      bar: '≥ 24 h',
      ok: virtual.passedH >= 24 && afterADay.every(({ state }) => state === 'pending'),
    },
    {
      row: 4,
      promise: `${TEMPORARY.join(', ')}: pending, attempts visible`,
      figure: `${stillPending} of ${bad.length + hanging.length} pending, ${visible} of ${bad.length} logged`,
      bar: 'all',
      ok: stillPending === bad.length + hanging.length && visible === bad.length,
    },
    {
      row: 4,
      promise: '60 mails to a domain that hangs do not stop the others',
      figure: `slowest of 100 others ${slowestS.toFixed(1)} s`,
      bar: `≤ ${othersS} s`,
      ok: slowestS <= othersS,
    },
    {
      row: 4,
      promise: 'a server that takes 17 s to confirm a mail gets it once',
      figure: `${copies} copies of ${slow.length} mails, ${confirmed} sent`,
      bar: '4 copies, 4 sent',
      ok: copies === slow.length && confirmed === slow.length,
    },
    {
      row: 4,
      promise: 'a server that answers 421 costs no tries; all sent when it is back',
      figure: `${burnt} tries counted; ${recoveryS.toFixed(1)} s; of ${deferred.length} deferred left: ${left}`,
      bar: `0; ≤ ${againS} s; none`,
      ok: burnt === 0 && recoveryS <= againS && left === 'none',
    },
  ];
}
