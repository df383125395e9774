import express from 'express';
import { purgeLinksJob } from './auth/one-time-links.js';
import { purgeSessionsJob } from './auth/sessions.service.js';
import { backfillJob } from './backfills.js';
import { purgeProofs, purgeProofsJob } from './captcha/proofs.js';
import { errorHandler, notFoundHandler } from './http/error-handler.js';
import { checksOf, serveHealth } from './http/health/health.js';
import { serveMetrics } from './http/health/metrics.js';
import { requestId } from './http/request-id.js';
import { type HttpServer, serveHttp } from './http/server/serve.js';
import { limitLog } from './lib/telemetry/limited-log.js';
import { notificationOutcomes } from './lib/telemetry/metrics.js';
import { accountEmailJob } from './notifications/account-email/account-email.job.js';
import { IN_FLIGHT_EACH } from './notifications/notifications.service.js';
import { quotaNoticeJob } from './notifications/quota-notice/quota-notice.job.js';
import { reconcile, reconcileJob } from './notifications/reconcile.js';
import {
  type EmailIds,
  jobsOfOne,
  submissionEmailJob,
} from './notifications/submission-email/submission-email.job.js';
import { findTokenNoticesJob, tokenNoticeJob } from './notifications/token-notice/token-notice.job.js';
import { tidyProbesJob } from './probes/probes.service.js';
import type { Services } from './services.js';
import { purgeKeys, purgeKeysJob } from './submissions/submit/idempotency.js';
import { destroySaltsJob, purgeVisits, purgeVisitsJob } from './visits/retention.js';
import { deletePastSalts } from './visits/visits.queries.js';

const LOG_PROGRESS_EVERY_MS = 30_000;

/** Jobs that run at an interval, once for all workers together. */
const REGULAR_JOBS = [
  { job: reconcileJob, everyMs: 2_000, run: reconcile },
  { job: backfillJob, everyMs: 5_000, run: ({ backfills }: Services) => backfills.run() },
  { job: purgeProofsJob, everyMs: 600_000, run: ({ db, clock }: Services) => purgeProofs(db, clock()) },
  { job: purgeKeysJob, everyMs: 600_000, run: ({ db, clock }: Services) => purgeKeys(db, clock()) },
  { job: destroySaltsJob, everyMs: 60_000, run: ({ db }: Services) => deletePastSalts(db) },
  { job: purgeVisitsJob, everyMs: 3_600_000, run: ({ db, clock }: Services) => purgeVisits(db, clock()) },
  { job: tidyProbesJob, everyMs: 60_000, run: ({ probes }: Services) => probes.tidy() },
  {
    job: findTokenNoticesJob,
    everyMs: 86_400_000,
    run: ({ tokenNotices }: Services) => tokenNotices.record(),
  },
  { job: purgeSessionsJob, everyMs: 600_000, run: ({ sessions }: Services) => sessions.purge() },
  { job: purgeLinksJob, everyMs: 600_000, run: ({ oneTimeLinks }: Services) => oneTimeLinks.purge() },
];

/**
 * Interval at which the schedules are renewed. Redis keeps nothing over a restart, and e-mails continue within five
 * seconds of its return.
 */
const SCHEDULE_EVERY_MS = 2_000;

/** Time for attempts in flight to end when the process stops. */
const STOP_TIMEOUT_MS = 6_000;

export type WorkerProcess = Readonly<{ close(): Promise<void> }>;

/** Serves health checks and metrics on the worker's own port. */
async function listen(services: Services): Promise<HttpServer | null> {
  const { config, log } = services;
  if (config.worker.port === null) return null;
  const app = express();
  app.disable('x-powered-by');
  app.use(requestId);
  const checks = checksOf(services.readiness, services.dispatch);
  serveHealth(app, services.readiness, checks);
  serveMetrics(app, services, { open: true, checks });
  app.use(notFoundHandler, errorHandler(log));
  const { port } = config.worker;
  const server = await serveHttp(app, { ...config.http, port, setting: 'WORKER_PORT' });
  log.info({ url: server.url }, 'Worker listens');
  return server;
}

/** Logs the progress of notifications, unless there is none. */
async function logProgress({ measure, log }: Services): Promise<void> {
  const { pending, oldestPendingS } = await measure();
  const { values } = await notificationOutcomes.get();
  const ended = Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  if (pending === 0 && values.length === 0) return;
  log.info({ waiting: pending, oldestPendingS: Math.round(oldestPendingS), ...ended }, 'Progress');
}

/**
 * Runs the workers of the queues until it is closed.
 *
 * Closing takes no new job and lets e-mails in flight finish. One that does not finish in time is broken off, and stays
 * due unless the mail server may have it.
 */
export async function startWorker(services: Services): Promise<WorkerProcess> {
  const { config, queues, notifications, dispatch, background, log } = services;
  const { quotaNotices, tokenNotices, accountEmails } = services;
  const { concurrency, mailPerSecond } = config.worker;

  /** Sends a job's e-mails; under MAIL_PER_SECOND each becomes a job, because the queue counts jobs. */
  function send(emails: EmailIds): Promise<void> {
    const jobs = mailPerSecond === null ? [] : jobsOfOne(emails);
    return jobs.length > 1 ? queues.enqueue(submissionEmailJob, jobs) : notifications.sendJob(emails);
  }

  queues.work(submissionEmailJob, send, {
    ...{ concurrency: concurrency * IN_FLIGHT_EACH, perSecond: mailPerSecond },
  });
  queues.work(quotaNoticeJob, (key) => background.run((detach) => quotaNotices.send(key, detach)));
  queues.work(tokenNoticeJob, (key) => background.run((detach) => tokenNotices.send(key, detach)));
  queues.work(accountEmailJob, ({ linkId }) =>
    background.run((detach) => accountEmails.send(linkId, detach)),
  );
  for (const { job, run } of REGULAR_JOBS) {
    queues.work(job, async () => void (await run(services)));
  }

  const limited = limitLog(log);
  const warn = (message: string) => (error: Error) => limited(error, message);
  // Repeated, because a Redis that was flushed or restarted has lost the schedules.
  const keepScheduled = () =>
    Promise.all(REGULAR_JOBS.map(({ job, everyMs }) => queues.schedule(job, everyMs))).catch(
      warn('Regular jobs not scheduled'),
    );
  await keepScheduled();
  const timers = [
    setInterval(keepScheduled, SCHEDULE_EVERY_MS),
    setInterval(() => logProgress(services).catch(warn('Progress unknown')), LOG_PROGRESS_EVERY_MS),
  ];
  const server = await listen(services);
  log.info('Worker runs');

  return {
    async close() {
      for (const timer of timers) clearInterval(timer);
      dispatch.stop();
      const abortion = setTimeout(() => dispatch.abort(), STOP_TIMEOUT_MS);
      await Promise.all([queues.stopWorkers(), server?.close()]);
      await background.drained();
      clearTimeout(abortion);
      log.info('Worker stopped');
    },
  };
}
