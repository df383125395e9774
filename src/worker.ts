import { purgeProofs, purgeProofsJob } from './captcha/proofs.js';
import { reconcile } from './notifications/reconcile.js';
import { reconcileJob, submissionEmailJob } from './notifications/submission-email.job.js';
import type { Services } from './services.js';
import { purgeKeys, purgeKeysJob } from './submissions/idempotency.js';
import { destroyPastSalts, destroySaltsJob } from './visits/daily-salt.js';

/** E-mails under way at once in one worker. */
const CONCURRENCY = 10;

/** What is done again and again, once across all workers. */
const REGULAR_JOBS = [
  { job: reconcileJob, everyMs: 5_000, run: reconcile },
  { job: purgeProofsJob, everyMs: 600_000, run: ({ db, clock }: Services) => purgeProofs(db, clock()) },
  { job: purgeKeysJob, everyMs: 600_000, run: ({ db, clock }: Services) => purgeKeys(db, clock()) },
  { job: destroySaltsJob, everyMs: 60_000, run: ({ db }: Services) => destroyPastSalts(db) },
];

const KEEP_SCHEDULED_EVERY_MS = 5_000;

export type WorkerProcess = Readonly<{ close(): Promise<void> }>;

/** Works on the queues until it is closed; closing lets the jobs under way finish. */
export async function startWorker(services: Services): Promise<WorkerProcess> {
  const { queues, notifications, log } = services;
  queues.work(submissionEmailJob, ({ submissionId }) => notifications.send(submissionId), {
    concurrency: CONCURRENCY,
  });
  for (const { job, run } of REGULAR_JOBS) {
    queues.work(job, async () => void (await run(services)), { concurrency: 1 });
  }

  // Said again and again, because a Redis that was flushed or away has forgotten it.
  const keepScheduled = () =>
    Promise.all(REGULAR_JOBS.map(({ job, everyMs }) => queues.schedule(job, everyMs))).catch((error: Error) =>
      log.warn({ reason: error.message }, 'Regular jobs not scheduled'),
    );
  await keepScheduled();
  const timer = setInterval(keepScheduled, KEEP_SCHEDULED_EVERY_MS);
  log.info('Worker runs');

  return {
    async close() {
      clearInterval(timer);
      await queues.stopWorkers();
      log.info('Worker stopped');
    },
  };
}
