import { setTimeout as pause } from 'node:timers/promises';
import { QUOTA } from './stack.js';
import { copiesOf } from './table.js';

/** The last second of the month before this one, and the first of this one, in SQL. */
const MONTHS_END = `date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' - interval '1 second'`;

async function sendOverMonthsEnd(stack, team, website, count) {
  const client = await stack.clientOf(team);
  const before = stack.answers().length;
  const leads = await client.ask('send', { count, website, phase: 'quota' });
  await client.stop();
  const answers = stack.answers().slice(before);
  await stack.postgres.query(
    `UPDATE submissions SET created_at = ${MONTHS_END} + (number % 2) * interval '1 second'
       FROM unnest($1::uuid[]) WITH ORDINALITY AS lead (id, number) WHERE submissions.id = lead.id`,
    [leads],
  );
  return { errors: answers.filter(({ status }) => status !== 200).length };
}

/** For each month of a team's submissions: how many there are, and how many distinct e-mails went out. */
async function figuresOf(stack, team, copies) {
  const rows = await stack.postgres.query(
    `SELECT s.id, n.state, to_char(s.created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month
       FROM submissions s JOIN notifications n ON n.submission_id = s.id JOIN teams t ON t.id = s.team_id
      WHERE t.slug = $1`,
    [team],
  );
  const months = [...new Set(rows.map(({ month }) => month))].sort();
  return months.map((month) => {
    const ofMonth = rows.filter((row) => row.month === month);
    return {
      submitted: ofMonth.length,
      mailed: ofMonth.filter(({ id }) => copies.has(id)).length,
      sent: ofMonth.filter(({ state }) => state === 'sent').length,
    };
  });
}

/**
 * Many more submissions than the quota, half of them in the last second of a month and half in the first of
 * the next (their rows are moved there while no worker runs); then three workers, with and without kills.
 */
export async function exhaustQuota(stack, { random, quick }) {
  const count = QUOTA * (quick ? 4 : 10);
  await Promise.all(stack.workers.map((worker) => worker.kill()));
  const calm = await sendOverMonthsEnd(stack, 'narrow', stack.websites.narrow, count);
  const harsh = await sendOverMonthsEnd(stack, 'kills', stack.websites.kills, count);
  await Promise.all(stack.workers.map((worker) => worker.start()));
  let kills = 0;
  for (; kills < (quick ? 4 : 20); kills += 1) {
    await pause(random.between(100, 600));
    const worker = random.pick(stack.workers);
    await worker.kill();
    await worker.start();
  }
  // A notice that a killed worker had in flight is due again when its lease of two minutes has expired.
  await stack.drained(150_000, ['narrow', 'kills']);
  const copies = copiesOf(stack.kept());
  const figures = [
    ...(await figuresOf(stack, 'narrow', copies)),
    ...(await figuresOf(stack, 'kills', copies)),
  ];
  const isExact = figures.every(
    ({ submitted, mailed, sent }) => mailed === Math.min(submitted, QUOTA) && sent === mailed,
  );
  const notices = [...copies].filter(([id]) => id.startsWith('quota-'));
  const errors = calm.errors + harsh.errors;
  return [
    {
      row: 5,
      promise: `quota of ${QUOTA} is exact over a month's end (rows moved), 3 workers`,
      figure: `${figures.map(({ submitted, mailed }) => `${mailed} of ${submitted}`).join(', ')}; ${kills} kills`,
      bar: 'min(N, quota) each',
      ok: figures.length === 4 && isExact,
    },
    {
      row: 5,
      promise: 'beyond the quota no HTTP error',
      figure: `${errors} of ${2 * count}`,
      bar: '0',
      ok: errors === 0,
    },
    {
      row: 5,
      promise: 'owners are told at 80 % and at 100 %',
      figure: `${notices.length} notices for 2 teams in 2 months`,
      bar: '8',
      ok: notices.length === 8,
    },
  ];
}
