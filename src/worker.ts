import { purgeProofs, purgeProofsJob } from './captcha/proofs.js';
import { reconcile } from './notifications/reconcile.js';
import { reconcileJob, submissionEmailJob } from './notifications/submission-email.job.js';
import type { Services } from './services.js';

/** E-mails under way at once in one worker. */
const CONCURRENCY = 10;

const RECONCILE_EVERY_MS = 5_000;
const PURGE_PROOFS_EVERY_MS = 600_000;

export type WorkerProcess = Readonly<{ close(): Promise<void> }>;

/** Works on the queues until it is closed; closing lets the jobs under way finish. */
export async function startWorker(services: Services): Promise<WorkerProcess> {
  const { db, queues, notifications, clock, log } = services;
  queues.work(submissionEmailJob, ({ submissionId }) => notifications.send(submissionId), {
    concurrency: CONCURRENCY,
  });
  queues.work(reconcileJob, async () => void (await reconcile(services)), { concurrency: 1 });

  queues.work(purgeProofsJob, async () => void (await purgeProofs(db, clock())), { concurrency: 1 });

  // Said again and again, because a Redis that was flushed or away has forgotten it.
  const keepScheduled = () =>
    Promise.all([
      queues.schedule(reconcileJob, RECONCILE_EVERY_MS),
      queues.schedule(purgeProofsJob, PURGE_PROOFS_EVERY_MS),
    ]).catch((error: Error) => log.warn({ reason: error.message }, 'Regular jobs not scheduled'));
  await keepScheduled();
  const timer = setInterval(keepScheduled, RECONCILE_EVERY_MS);
  log.info('Worker runs');

  return {
    async close() {
      clearInterval(timer);
      await queues.stopWorkers();
      log.info('Worker stopped');
    },
  };
}
