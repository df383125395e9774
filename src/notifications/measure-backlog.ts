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
import type { Queues } from '../queue/queues.js';
import { readDeliveryBacklog } from '../webhooks/deliveries.queries.js';
import { webhookDeliveryJob } from '../webhooks/webhook-delivery.job.js';
import { type Backlog, readBacklog } from './backlog.queries.js';
import { quotaNoticeJob } from './quota-notice/quota-notice.job.js';
import { submissionEmailJob } from './submission-email/submission-email.job.js';

/** Sets the gauges of `GET /metrics` about the installation: pending e-mails, webhook deliveries, and jobs in the queue. */
export async function measureBacklog(services: { db: Db; queues: Pick<Queues, 'depth'> }): Promise<Backlog> {
  const { db, queues } = services;
  const backlog = await readBacklog(db);
  pendingNotifications.set(backlog.pending);
  oldestPendingSeconds.set(backlog.oldestPendingS);
  deferredNotifications.set(backlog.deferred);
  oldestBacklogSeconds.set(backlog.oldestBacklogS);
  const deliveries = await readDeliveryBacklog(db);
  pendingDeliveries.set(deliveries.pending);
  oldestDeliverySeconds.set(deliveries.oldestS);
  failingWebhooks.set(deliveries.failing);
  for (const job of [submissionEmailJob, quotaNoticeJob, webhookDeliveryJob]) {
    const depth = await queues.depth(job);
    for (const [state, count] of Object.entries(depth)) queueDepth.set({ queue: job.name, state }, count);
  }
  return backlog;
}
