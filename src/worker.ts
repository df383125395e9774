import express from 'express';
import { examineFormsJob } from './attention/findings/form-findings.service.js';
import { findSilentJob } from './attention/silence/silence.service.js';
import { purgeLinksJob } from './auth/one-time-links.js';
import { purgeSessionsJob } from './auth/sessions.service.js';
import { backfillJob } from './backfills.js';
import { purgeProofs, purgeProofsJob } from './captcha/proofs.js';
import { requireRightClock } from './db/clock-skew.queries.js';
import { errorHandler, notFoundHandler } from './http/error-handler.js';
import { checksOf, serveHealth } from './http/health/health.js';
import { serveMetrics } from './http/health/metrics.js';
import { requestId } from './http/request-id.js';
import { type HttpServer, serveHttp } from './http/server/serve.js';
import { JOBS } from './jobs.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './lib/durations.js';
import { limitLog } from './lib/telemetry/limited-log.js';
import { notificationOutcomes } from './lib/telemetry/metrics.js';
import { senderDnsJob } from './mail/sender-dns/sender-checks.service.js';
import { type BounceServer, startBounceServer } from './notifications/bounces/bounce-server.js';
import { IN_FLIGHT_EACH } from './notifications/notifications.service.js';
import { reconcile, reconcileJob } from './notifications/reconcile.js';
import { type EmailIds, jobsOfOne } from './notifications/submission-email/submission-email.job.js';
import { findTokenNoticesJob } from './notifications/token-notice/token-notice.job.js';
import { cleanUpProbesJob } from './probes/probes.service.js';
import { dailyProbesJob } from './probes/schedule/probe-schedule.js';
import type { JobDefinition } from './queue/define-job.js';
import { countDaysJob } from './rollups/daily-counts.service.js';
import type { Services } from './services.js';
import { purgeSpam, purgeSpamJob } from './spam/purge.js';
import { alertsJob } from './staff-emails/alerts.service.js';
import { digestJob } from './staff-emails/digest.service.js';
import { purgeStaffEmailsJob, staffEmailsJob } from './staff-emails/staff-emails.service.js';
import { enqueueDueReportsJob } from './submissions/monthly-report/monthly-report.job.js';
import { purgeRecords, purgeRecordsJob } from './submissions/retention/expired-records.js';
import { retentionJob } from './submissions/retention/retention.service.js';
import { spamDigestsJob } from './submissions/spam-digest/spam-digests.service.js';
import { purgeKeys, purgeKeysJob } from './submissions/submit/idempotency.js';
import { countVisits, countVisitsJob } from './visits/daily-visits.service.js';
import { deletePastSaltsJob, purgeVisits, purgeVisitsJob } from './visits/retention.js';
import { deletePastSalts } from './visits/visits.queries.js';
import {
  purgeDeliveriesJob,
  webhookPortionsJob,
  webhookReconcileJob,
} from './webhooks/webhook-delivery.job.js';

const LOG_PROGRESS_EVERY_MS = 30_000;

/** A job that runs at an interval. */
type ScheduledJob = Readonly<{
  job: Pick<JobDefinition<object>, 'name'>;
  everyMs: number;
  run(services: Services): Promise<unknown>;
}>;

/** Jobs that do not depend on the date: they hand over, count and tell what has happened. */
const UNDATED_JOBS: readonly ScheduledJob[] = [
  { job: reconcileJob, everyMs: 2_000, run: reconcile },
  { job: backfillJob, everyMs: 5_000, run: ({ backfills }) => backfills.run() },
  { job: webhookReconcileJob, everyMs: 1_000, run: ({ webhookDeliveries }) => webhookDeliveries.reconcile() },
  {
    job: webhookPortionsJob,
    everyMs: 1_000,
    run: ({ webhookDeliveries }) => webhookDeliveries.runPortions(),
  },
  { job: countDaysJob, everyMs: 10_000, run: ({ dailyCounts }) => dailyCounts.run() },
  { job: examineFormsJob, everyMs: 15_000, run: ({ formFindings }) => formFindings.run() },
  { job: alertsJob, everyMs: 20_000, run: ({ alerts }) => alerts.run() },
  { job: staffEmailsJob, everyMs: 5_000, run: ({ staffEmails }) => staffEmails.run() },
];

/** Jobs that delete by age, or do what is due by the date. */
const DATED_JOBS: readonly ScheduledJob[] = [
  { job: purgeProofsJob, everyMs: 10 * MINUTE_MS, run: ({ db, clock }) => purgeProofs(db, clock()) },
  { job: purgeKeysJob, everyMs: 10 * MINUTE_MS, run: ({ db, clock }) => purgeKeys(db, clock()) },
  { job: countVisitsJob, everyMs: MINUTE_MS, run: ({ db, clock }) => countVisits(db, clock()) },
  { job: deletePastSaltsJob, everyMs: MINUTE_MS, run: ({ db }) => deletePastSalts(db) },
  { job: purgeVisitsJob, everyMs: HOUR_MS, run: ({ db, clock }) => purgeVisits(db, clock()) },
  { job: purgeRecordsJob, everyMs: HOUR_MS, run: ({ db, clock }) => purgeRecords(db, clock()) },
  { job: retentionJob, everyMs: 10_000, run: ({ retention }) => retention.run() },
  { job: cleanUpProbesJob, everyMs: MINUTE_MS, run: ({ probes }) => probes.cleanUp() },
  {
    job: purgeDeliveriesJob,
    everyMs: 10 * MINUTE_MS,
    run: ({ webhookDeliveries }) => webhookDeliveries.purge(),
  },
  { job: enqueueDueReportsJob, everyMs: MINUTE_MS, run: ({ monthlyReports }) => monthlyReports.enqueueDue() },
  { job: findSilentJob, everyMs: 30_000, run: ({ silence }) => silence.run() },
  { job: dailyProbesJob, everyMs: MINUTE_MS, run: ({ probeSchedule }) => probeSchedule.run() },
  { job: senderDnsJob, everyMs: MINUTE_MS, run: ({ senderChecks }) => senderChecks.run() },
  { job: digestJob, everyMs: 30_000, run: ({ digest }) => digest.run() },
  { job: purgeStaffEmailsJob, everyMs: HOUR_MS, run: ({ staffEmails }) => staffEmails.purge() },
  { job: spamDigestsJob, everyMs: 10_000, run: ({ spamDigests }) => spamDigests.run() },
  { job: purgeSpamJob, everyMs: HOUR_MS, run: ({ db }) => purgeSpam(db) },
  { job: findTokenNoticesJob, everyMs: DAY_MS, run: ({ tokenNotices }) => tokenNotices.record() },
  { job: purgeSessionsJob, everyMs: 10 * MINUTE_MS, run: ({ sessions }) => sessions.purge() },
  { job: purgeLinksJob, everyMs: 10 * MINUTE_MS, run: ({ oneTimeLinks }) => oneTimeLinks.purge() },
];

/** Jobs that run at an interval, once for all workers together. */
const SCHEDULED_JOBS: readonly ScheduledJob[] = [
  ...UNDATED_JOBS,
  ...DATED_JOBS.map(({ job, everyMs, run }) => ({
    job,
    everyMs,
    async run(services: Services) {
      await requireRightClock(services.db);
      await run(services);
    },
  })),
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
  const checks = checksOf(services.readiness, services.mailServer);
  serveHealth(app, services.readiness, checks);
  serveMetrics(app, services, { open: true, checks });
  app.use(notFoundHandler, errorHandler(log));
  const { port } = config.worker;
  const server = await serveHttp(app, { ...config.http, port, setting: 'WORKER_PORT' });
  log.info({ url: server.url }, 'Worker listens');
  return server;
}

/** Listens for delivery reports, where there is a domain to which they go. */
async function takeReports({
  config,
  bounceAddresses,
  bounces,
  log,
}: Services): Promise<BounceServer | null> {
  if (!config.bounces) return null;
  return startBounceServer({
    ...config.bounces,
    host: config.http.host,
    addresses: bounceAddresses,
    bounces,
    log,
  });
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
  const { quotaNotices, tokenNotices, webhookNotices, accountEmails } = services;
  const { webhookDeliveries, monthlyReports } = services;
  const { concurrency, mailPerSecond } = config.worker;

  // Before any job begins: a port that is taken would cut it off.
  const server = await listen(services);
  const bounceServer = await takeReports(services).catch(async (error) => {
    await server?.close();
    throw error;
  });

  /** Sends a job's e-mails; under MAIL_PER_SECOND each becomes a job, because the queue counts jobs. */
  function send(emails: EmailIds): Promise<void> {
    const jobs = mailPerSecond === null ? [] : jobsOfOne(emails);
    return jobs.length > 1 ? queues.enqueue(JOBS.submissionEmail, jobs) : notifications.sendJob(emails);
  }

  queues.work(JOBS.submissionEmail, send, {
    concurrency: concurrency * IN_FLIGHT_EACH,
    perSecond: mailPerSecond,
  });
  queues.work(JOBS.quotaNotice, (key) => background.run((detach) => quotaNotices.send(key, detach)));
  queues.work(JOBS.webhookNotice, ({ noticeId }) =>
    background.run((detach) => webhookNotices.send(noticeId, detach)),
  );
  queues.work(JOBS.tokenNotice, (key) => background.run((detach) => tokenNotices.send(key, detach)));
  queues.work(JOBS.accountEmail, ({ linkId }) =>
    background.run((detach) => accountEmails.send(linkId, detach)),
  );
  queues.work(JOBS.webhookDelivery, ({ webhookId }) => webhookDeliveries.deliver(webhookId));
  queues.work(JOBS.monthlyReport, (key) => background.run((detach) => monthlyReports.send(key, detach)));
  queues.workScheduled(
    new Map(SCHEDULED_JOBS.map(({ job, run }) => [job.name, async () => run(services)] as const)),
  );

  const limited = limitLog(log);
  const warn = (message: string) => (error: Error) => limited(error, message);
  // Repeated, because a Redis that was flushed or restarted has lost the schedules.
  let isScheduling = false;
  async function keepScheduled(): Promise<void> {
    // A slow Redis must not get the same requests again before it has answered.
    if (isScheduling) return;
    isScheduling = true;
    await Promise.all(SCHEDULED_JOBS.map(({ job, everyMs }) => queues.schedule(job, everyMs))).catch(
      warn('Regular jobs not scheduled'),
    );
    isScheduling = false;
  }
  await keepScheduled();
  const timers = [
    setInterval(keepScheduled, SCHEDULE_EVERY_MS),
    setInterval(() => logProgress(services).catch(warn('Progress unknown')), LOG_PROGRESS_EVERY_MS),
  ];
  log.info('Worker runs');

  return {
    async close() {
      for (const timer of timers) clearInterval(timer);
      dispatch.stop();
      services.probes.stop();
      webhookDeliveries.stop();
      const abortTimer = setTimeout(() => {
        dispatch.abort();
        webhookDeliveries.abort();
      }, STOP_TIMEOUT_MS);
      await Promise.all([queues.stopWorkers(), server?.close(), bounceServer?.close()]);
      await Promise.all([background.drained(), webhookDeliveries.drained()]);
      clearTimeout(abortTimer);
      log.info('Worker stopped');
    },
  };
}
