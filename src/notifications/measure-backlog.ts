import type { Db } from '../db/client.js';
import {
  deferredNotifications,
  failingWebhooks,
  oldestBacklogSeconds,
  oldestDeliverySeconds,
  oldestPendingSeconds,
  pendingDeliveries,
  pendingNotifications,
  queueDepth,
} from '../lib/telemetry/metrics.js';
import type { JobDefinition } from '../queue/define-job.js';
import { type Queues, SCHEDULED } from '../queue/queues.js';
import { readDeliveryBacklog } from '../webhooks/deliveries.queries.js';
import { type Backlog, readBacklog } from './backlog.queries.js';

type Services = {
  db: Db;
  queues: Pick<Queues, 'depth'>;
  /** Those with a queue of their own. */
  jobs: readonly Pick<JobDefinition<unknown>, 'name'>[];
};

/**
 * Sets the gauges of `GET /metrics` about the installation: pending e-mails, webhook deliveries, and jobs in the queue.
 */
export async function measureBacklog({ db, queues, jobs }: Services): Promise<Backlog> {
  const backlog = await readBacklog(db);
  pendingNotifications.set(backlog.pending);
  oldestPendingSeconds.set(backlog.oldestPendingS);
  deferredNotifications.set(backlog.deferred);
  oldestBacklogSeconds.set(backlog.oldestBacklogS);
  const deliveries = await readDeliveryBacklog(db);
  pendingDeliveries.set(deliveries.pending);
  oldestDeliverySeconds.set(deliveries.oldestS);
  failingWebhooks.set(deliveries.failing);
  for (const job of [...jobs, SCHEDULED]) {
    const depth = await queues.depth(job);
    for (const [state, count] of Object.entries(depth)) queueDepth.set({ queue: job.name, state }, count);
  }
  return backlog;
}
