import type { Db } from '../db/client.js';
import {
  deferredNotifications,
  oldestBacklogSeconds,
  oldestPendingSeconds,
  pendingNotifications,
  queueDepth,
} from '../lib/metrics.js';
import type { Queues } from '../queue/queues.js';
import { quotaNoticeJob } from './quota-notice.job.js';
import { submissionEmailJob } from './submission-email.job.js';

/** The backlog of notifications in the whole installation. */
export type Progress = Readonly<{
  /** Number of notifications that are neither sent nor ended otherwise. */
  pending: number;
  /** Age of the oldest pending one in seconds; 0 when there is none. */
  oldestPendingS: number;
  /** Number of pending ones that their recipients have deferred; the others are the backlog of the workers. */
  deferred: number;
  /** Age of the oldest in the backlog in seconds; 0 when there is none. */
  oldestBacklogS: number;
}>;

/** Measures the backlog of notifications and updates the gauges of `GET /metrics`. */
export async function measureProgress(services: {
  db: Db;
  queues: Pick<Queues, 'depth'>;
}): Promise<Progress> {
  const { db, queues } = services;
  const [row] = await db.orm.$queryRaw<Progress[]>`
    SELECT count(*)::int AS pending, count(*) FILTER (WHERE is_deferred)::int AS deferred,
           coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestPendingS",
           coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE NOT is_deferred)), 0)::float8
             AS "oldestBacklogS"
      FROM (SELECT created_at, retries > 0 OR unconfirmed > 0 AS is_deferred
              FROM notifications WHERE state = 'pending') pending`;
  const progress = row!;
  pendingNotifications.set(progress.pending);
  oldestPendingSeconds.set(progress.oldestPendingS);
  deferredNotifications.set(progress.deferred);
  oldestBacklogSeconds.set(progress.oldestBacklogS);
  for (const job of [submissionEmailJob, quotaNoticeJob]) {
    const depth = await queues.depth(job);
    for (const [state, count] of Object.entries(depth)) queueDepth.set({ queue: job.name, state }, count);
  }
  return progress;
}
