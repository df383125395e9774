import { z } from 'zod';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { defineJob, jobsOf, type KeyedJob } from '../queue/define-job.js';
import type { Queues } from '../queue/queues.js';
import { accountEmailJob } from './account-email/account-email.job.js';
import {
  findDueFirstAttempts,
  findDueLinks,
  findDueQuotaNotices,
  findDueRetries,
  findDueTokenNotices,
  findDueWebhookNotices,
} from './backlog.queries.js';
import { quotaNoticeJob } from './quota-notice/quota-notice.job.js';
import {
  type EmailSource,
  NOTIFICATIONS,
  REQUESTED_EMAILS,
} from './submission-email/email-source.queries.js';
import { jobsOfMany, jobsOfOne, submissionEmailJob } from './submission-email/submission-email.job.js';
import { tokenNoticeJob } from './token-notice/token-notice.job.js';
import { webhookNoticeJob } from './webhook-notice/webhook-notice.job.js';

/** The job that enqueues the e-mails that are due. */
export const reconcileJob = defineJob('notification-reconcile', z.object({}));

/**
 * Number of waiting jobs from which first attempts are not enqueued: they are in those jobs already, or would wait
 * behind them. Jobs of low priority do not count here, since first attempts come before them.
 */
const MAX_WAITING_JOBS = 20;

/** Maximum retries of each kind that are enqueued while so many jobs wait. */
const MAX_RETRIES_WHILE_BACKLOGGED = 500;

/** Seconds that the gateway has to hand over what it recorded. */
const GRACE_S = 1;

/** Creates the function that enqueues the due e-mails of one kind and returns how many they are. */
const enqueuerOf =
  <Payload>(job: KeyedJob<Payload>, findDue: (db: Db) => Promise<Payload[]>) =>
  async (db: Db, queues: Pick<Queues, 'enqueue'>): Promise<number> => {
    const due = await findDue(db);
    await queues.enqueue(job, jobsOf(job, due));
    return due.length;
  };

/** The kinds of e-mail that are not about one submission. */
const UNBATCHED = [
  enqueuerOf(quotaNoticeJob, findDueQuotaNotices),
  enqueuerOf(accountEmailJob, findDueLinks),
  enqueuerOf(webhookNoticeJob, findDueWebhookNotices),
  enqueuerOf(tokenNoticeJob, findDueTokenNotices),
];

/**
 * Enqueues every e-mail that is due: notifications, requested e-mails, notices about quotas, webhooks and tokens,
 * one-time links.
 *
 * A notification is due here when its hand-over failed, its worker died, or its back-off is over. One that is still
 * queued in a job with others may be queued twice: the second job finds it claimed. Notices and one-time links are only
 * recorded by what causes them; nothing else enqueues them.
 *
 * @returns how many were enqueued.
 */
export async function reconcile({
  db,
  queues,
  config,
}: {
  db: Db;
  queues: Pick<Queues, 'enqueue' | 'depth' | 'countUnprioritized'>;
  config: Readonly<{ worker: Pick<Config['worker'], 'mailPerSecond'> }>;
}) {
  const { waiting = 0 } = await queues.depth(submissionEmailJob);
  const isBacklogged = waiting >= MAX_WAITING_JOBS;
  const findRetries = (source: EmailSource) =>
    findDueRetries(db, source, GRACE_S, isBacklogged ? MAX_RETRIES_WHILE_BACKLOGGED : undefined);
  const retries = {
    submissionIds: await findRetries(NOTIFICATIONS),
    requestedIds: await findRetries(REQUESTED_EMAILS),
  };
  // A job of one has the same id each time, so that an e-mail that waits is not enqueued twice. MAIL_PER_SECOND counts
  // jobs, also those that only repeat or split others.
  const isLimited = config.worker.mailPerSecond !== null;
  const splitRetries = isLimited || isBacklogged ? jobsOfOne : jobsOfMany;
  const splitFirstAttempts = isLimited ? jobsOfOne : jobsOfMany;
  await queues.enqueue(submissionEmailJob, splitRetries({ ...retries, isLater: true }));
  let enqueued = retries.submissionIds.length + retries.requestedIds.length;
  if (!isBacklogged || (await queues.countUnprioritized(submissionEmailJob)) < MAX_WAITING_JOBS) {
    const submissionIds = await findDueFirstAttempts(db, NOTIFICATIONS, GRACE_S);
    const requestedIds = await findDueFirstAttempts(db, REQUESTED_EMAILS, GRACE_S);
    await queues.enqueue(submissionEmailJob, splitFirstAttempts({ submissionIds, requestedIds }));
    enqueued += submissionIds.length + requestedIds.length;
  }
  for (const enqueueDue of UNBATCHED) enqueued += await enqueueDue(db, queues);
  return enqueued;
}
