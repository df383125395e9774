import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../faults/processes.js';
import { quantile } from '../../faults/table.js';
import { ask } from '../load.js';
import { seededDaysAreCounted } from '../seeded-days.js';
import { prepareSubmissions } from '../submissions.js';

const SUBMISSIONS = 100;
const PAUSE_MS = 50;

/** From the answer 200 to the moment the mail server accepts the message, while nothing else happens. */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const worker = await stack.worker(database);
  await seededDaysAreCounted(database);
  const requests = await prepareSubmissions(gateway.url, { count: SUBMISSIONS });
  const answeredAt = new Map();
  for (const request of requests) {
    const [{ lead_id }] = await ask(gateway.url, [request]);
    answeredAt.set(lead_id, Date.now());
    await pause(PAUSE_MS);
  }
  const accepted = () => stack.mails().filter(({ id }) => answeredAt.has(id));
  await until('all are mailed', () => accepted().length >= SUBMISSIONS);
  await Promise.all([gateway.stop(), worker.stop()]);
  const latencies = accepted().map(({ id, at }) => Math.max(0, at - answeredAt.get(id)));
  return [
    { path: '200 to mail accepted, idle, p50 in ms', figure: quantile(latencies, 0.5), atMost: 50 },
    { path: '200 to mail accepted, idle, p99 in ms', figure: quantile(latencies, 0.99), atMost: 250 },
  ];
}
