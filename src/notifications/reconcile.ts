import { z } from 'zod';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';
import type { Queues } from '../queue/queues.js';
import { accountEmailJob } from './account-emails.service.js';
import { noticeJobId, type QuotaNoticeKey, quotaNoticeJob } from './quota-notice.job.js';
import { submissionEmailJob, submissionEmailJobs } from './submission-email.job.js';

/** The job that hands over again the notifications that are due and not in the queue. */
export const reconcileJob = defineJob('notification-reconcile', z.object({}));

const BATCH = 5_000;

/** Waiting jobs from which no submission is handed over, since a new job would wait behind them anyway. */
const BACKLOG = 20;

/** Seconds that the gateway has to hand over a submission that it recorded. */
const GRACE_S = 1;

const findDue = (db: Db): Promise<{ id: string }[]> => db.orm.$queryRaw`
  SELECT submission_id AS id FROM notifications
   WHERE state = 'pending' AND next_attempt_at <= now() - make_interval(secs => ${GRACE_S})
   ORDER BY next_attempt_at LIMIT ${BATCH}`;

/**
 * Hands over the notifications that are due and not finished.
 *
 * Their hand-over failed, their worker died, or their back-off is over. A notification that is still queued may then
 * be queued twice: the second job finds it claimed.
 *
 * Quota notices are recorded with the unit of the quota that causes them, and one-time links with the request for
 * one; only the reconciler hands over either.
 *
 * @returns how many were handed over.
 */
export async function reconcile({ db, queues }: { db: Db; queues: Pick<Queues, 'enqueue' | 'depth'> }) {
  const { waiting = 0 } = await queues.depth(submissionEmailJob);
  const due = waiting >= BACKLOG ? [] : await findDue(db);
  if (due.length > 0) {
    await queues.enqueue(submissionEmailJob, submissionEmailJobs(due.map(({ id }) => id)));
  }
  const notices = await db.orm.$queryRaw<QuotaNoticeKey[]>`
    SELECT team_id AS "teamId", to_char(month, 'YYYY-MM') AS month, percent FROM quota_notices
     WHERE state = 'pending' AND next_attempt_at <= now() LIMIT ${BATCH}`;
  if (notices.length > 0) {
    await queues.enqueue(
      quotaNoticeJob,
      notices.map((payload) => ({ id: noticeJobId(payload), payload })),
    );
  }
  const links = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT id FROM account_links
     WHERE state = 'pending' AND next_attempt_at <= now() AND expires_at > now() LIMIT ${BATCH}`;
  if (links.length > 0) {
    await queues.enqueue(
      accountEmailJob,
      links.map(({ id }) => ({ id, payload: { linkId: id } })),
    );
  }
  return due.length + notices.length + links.length;
}
