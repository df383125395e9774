import type { Db } from '../db/client.js';
import { oldestPendingSeconds, pendingNotifications, queueDepth } from '../lib/metrics.js';
import type { Queues } from '../queue/queues.js';
import { quotaNoticeJob } from './quota-notice.job.js';
import { submissionEmailJob } from './submission-email.job.js';

/** The backlog of notifications in the whole installation. */
export type Progress = Readonly<{
  /** Number of notifications that are neither sent nor ended otherwise. */
  pending: number;
  /** Age of the oldest pending one in seconds; 0 when there is none. */
  oldestPendingS: number;
}>;

/** Measures the backlog of notifications and updates the gauges of `GET /metrics`. */
export async function measureProgress(services: {
  db: Db;
  queues: Pick<Queues, 'depth'>;
}): Promise<Progress> {
  const { db, queues } = services;
  const [row] = await db.orm.$queryRaw<Progress[]>`
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
