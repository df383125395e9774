import { createObserver } from '../observe.js';
import { until } from '../processes.js';
import { copiesOf } from '../table.js';

const SILENT_S = 17;

/** A mail server that confirms a message late, and one whose connection is lost before it does. */
export async function delayFinalDot(stack, { client }) {
  const observer = createObserver('slow dot');
  const send = (name, count) =>
    client.ask('send', { count, website: stack.websites[name], phase: 'slow dot' });
  const read = (leads) =>
    stack.postgres.query(
      `SELECT state, attempts, unconfirmed, extract(epoch FROM next_attempt_at - now())::int AS "dueInS",
              ARRAY(SELECT outcome::text FROM notification_attempts a WHERE a.submission_id = n.submission_id
                     ORDER BY number) AS outcomes
         FROM notifications n WHERE submission_id = ANY($1)`,
      [leads],
    );
  const copies = (leads) => {
    const all = copiesOf(stack.kept());
    return leads.map((id) => all.get(id) ?? []);
  };
  const from = Date.now();
  await stack.sink.ask('behave', { rules: { 'slow.test': `slow ${SILENT_S}`, 'reset.test': 'drop' } });
  const [slow, dropped] = [await send('slow', 2), await send('reset', 1)];
  await until('the mail server has the texts', () =>
    copies([...slow, ...dropped]).every((list) => list.length === 1),
  );
  const meanwhile = await read(slow);
  await until('the lost one is unknown', async () =>
    (await read(dropped)).every(({ outcomes }) => outcomes.length === 1),
  );
  const [unknown] = await read(dropped);
  await until('the slow ones are sent', async () =>
    (await read(slow)).every(({ state }) => state === 'sent'),
  );
  const sent = await read(slow);

  const lines = stack.workers.flatMap((worker) =>
    observer.log(
      worker,
      from,
      ({ msg, outcome }) => msg === 'Mail server is slow to confirm' || outcome === 'unknown',
    ),
  );
  const counted = [];
  for (const worker of stack.workers) {
    counted.push(await observer.metrics(worker, ['formgate_notifications_total']));
  }
  const ready = await observer.ready(stack.workers[0]);

  // An hour passes in no time.
  await stack.sink.ask('behave', { rules: {} });
  await stack.postgres.query(
    'UPDATE notifications SET next_attempt_at = now() WHERE submission_id = ANY($1)',
    [dropped],
  );
  await until('the lost one is sent again', async () => (await read(dropped))[0].state === 'sent');
  const [again] = copies(dropped);
  const isSame = new Set(again.map(({ hash }) => hash)).size === 1;
  const pending = meanwhile.filter(
    ({ state, outcomes }) => state === 'pending' && outcomes.length === 0,
  ).length;
  const once = copies(slow).filter((list) => list.length === 1).length;
  const isUnknownCounted = counted.some(
    (each) => each['formgate_notifications_total{outcome="unknown"}'] > 0,
  );
  return [
    {
      row: 'A',
      promise: `mail server silent for ${SILENT_S} s after the dot: pending meanwhile, sent once`,
      figure: `${pending} of 2 pending meanwhile, ${once} of 2 sent once, readyz ${ready.status}`,
      bar: '2, 2, 200',
      ok:
        pending === 2 &&
        once === 2 &&
        sent.every(({ attempts }) => attempts === 1) &&
        lines.some(({ msg }) => msg === 'Mail server is slow to confirm') &&
        ready.status === 200,
    },
    {
      row: 'A',
      promise: 'connection lost after the dot: unknown, the same message an hour later (rows moved)',
      figure: `${unknown.outcomes.join()}, due in ${(unknown.dueInS / 60).toFixed(0)} min; ${again.length} copies${isSame ? ' alike' : ''}`,
      bar: 'unknown, 60 min; 2 alike',
      ok:
        unknown.outcomes.join() === 'unknown' &&
        Math.abs(unknown.dueInS - 3_600) < 60 &&
        again.length === 2 &&
        isSame &&
        lines.some(({ outcome }) => outcome === 'unknown') &&
        isUnknownCounted,
    },
  ];
}
