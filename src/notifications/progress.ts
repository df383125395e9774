import type { Database } from '../db/client.js';
import { oldestPendingSeconds, pendingNotifications, queueDepth } from '../lib/metrics.js';
import type { Queues } from '../queue/queues.js';
import { quotaNoticeJob } from './quota-notice.job.js';
import { submissionEmailJob } from './submission-email.job.js';

/** How the notifications of the whole installation stand. */
export type Progress = Readonly<{
  /** Neither sent nor given up. */
  pending: number;
  /** Age of the oldest pending one in seconds; 0 when there is none. */
  oldestPendingS: number;
}>;

/** Looks how the notifications stand, and brings the gauges of `GET /metrics` up to date. */
export async function measureProgress(services: {
  db: Database;
  queues: Pick<Queues, 'depth'>;
}): Promise<Progress> {
  const { db, queues } = services;
  const [row] = await db.$queryRaw<Progress[]>`
    SELECT count(*)::int AS pending,
           coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestPendingS"
      FROM notifications WHERE state = 'pending'`;
  const progress = row ?? { pending: 0, oldestPendingS: 0 };
  pendingNotifications.set(progress.pending);
  oldestPendingSeconds.set(progress.oldestPendingS);
  for (const job of [submissionEmailJob, quotaNoticeJob]) {
    const depth = await queues.depth(job);
    for (const [state, count] of Object.entries(depth)) queueDepth.set({ queue: job.name, state }, count);
  }
  return progress;
}
