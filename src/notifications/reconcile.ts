import { z } from 'zod';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';
import type { Queues } from '../queue/queues.js';
import { accountEmailJob, accountEmailJobs } from './account-email/account-email.job.js';
import {
  findDueEmails,
  findDueLinks,
  findDueNotices,
  findDueTokenNotices,
  findDueWebhookNotices,
} from './backlog.queries.js';
import { quotaNoticeJob, quotaNoticeJobs } from './quota-notice/quota-notice.job.js';
import { NOTIFICATIONS, REQUESTED_EMAILS } from './submission-email/email-source.queries.js';
import { submissionEmailJob, submissionEmailJobs } from './submission-email/submission-email.job.js';
import { tokenNoticeJob, tokenNoticeJobs } from './token-notice/token-notice.job.js';
import { webhookNoticeJob, webhookNoticeJobs } from './webhook-notice/webhook-notice.job.js';

/** The job that hands over again the notifications that are due and not in the queue. */
export const reconcileJob = defineJob('notification-reconcile', z.object({}));

/** Waiting jobs from which no e-mail is handed over, since a new job would wait behind them anyway. */
const BACKLOG = 20;

/** Seconds that the gateway has to hand over a submission that it recorded. */
const GRACE_S = 1;

/**
 * Hands over the notifications and requested e-mails that are due and not finished.
 *
 * Their hand-over failed, their worker died, or their back-off is over. A notification that is still queued may then
 * be queued twice: the second job finds it claimed.
 *
 * Quota notices are recorded with the unit of the quota that causes them, one-time links with the request for one, and
 * webhook notices with the change that disables a webhook, notices about tokens once a day; only the reconciler hands
 * over any of them.
 *
 * @returns how many were handed over.
 */
export async function reconcile({ db, queues }: { db: Db; queues: Pick<Queues, 'enqueue' | 'depth'> }) {
  const { waiting = 0 } = await queues.depth(submissionEmailJob);
  const isBehind = waiting >= BACKLOG;
  const due = isBehind ? [] : await findDueEmails(db, NOTIFICATIONS, GRACE_S);
  const requested = isBehind ? [] : await findDueEmails(db, REQUESTED_EMAILS, GRACE_S);
  const jobs = [...submissionEmailJobs(due), ...submissionEmailJobs(requested, { of: 'requestedIds' })];
  await queues.enqueue(submissionEmailJob, jobs);
  const notices = await findDueNotices(db);
  await queues.enqueue(quotaNoticeJob, quotaNoticeJobs(notices));
  const links = await findDueLinks(db);
  await queues.enqueue(accountEmailJob, accountEmailJobs(links));
  const webhookNotices = await findDueWebhookNotices(db);
  await queues.enqueue(webhookNoticeJob, webhookNoticeJobs(webhookNotices));
  const tokens = await findDueTokenNotices(db);
  await queues.enqueue(tokenNoticeJob, tokenNoticeJobs(tokens));
  return [due, requested, notices, links, webhookNotices, tokens].reduce(
    (sum, { length }) => sum + length,
    0,
  );
}
