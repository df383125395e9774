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
import { type Progress, readProgress } from './backlog.queries.js';
import { quotaNoticeJob } from './quota-notice/quota-notice.job.js';
import { submissionEmailJob } from './submission-email/submission-email.job.js';

/** Measures the backlog of notifications and updates the gauges of `GET /metrics`. */
export async function measureProgress(services: {
  db: Db;
  queues: Pick<Queues, 'depth'>;
}): Promise<Progress> {
  const { db, queues } = services;
  const progress = await readProgress(db);
  pendingNotifications.set(progress.pending);
  oldestPendingSeconds.set(progress.oldestPendingS);
  deferredNotifications.set(progress.deferred);
  oldestBacklogSeconds.set(progress.oldestBacklogS);
  const deliveries = await readDeliveryBacklog(db);
  pendingDeliveries.set(deliveries.pending);
  oldestDeliverySeconds.set(deliveries.oldestS);
  failingWebhooks.set(deliveries.failing);
  for (const job of [submissionEmailJob, quotaNoticeJob, webhookDeliveryJob]) {
    const depth = await queues.depth(job);
    for (const [state, count] of Object.entries(depth)) queueDepth.set({ queue: job.name, state }, count);
  }
  return progress;
}
