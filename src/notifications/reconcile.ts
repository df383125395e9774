import { z } from 'zod';
import type { Database } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';
import type { Queues } from '../queue/queues.js';
import { accountEmailJob } from './account-emails.service.js';
import { noticeJobId, type QuotaNoticeKey, quotaNoticeJob } from './quota-notice.job.js';
import { submissionEmailJob, submissionEmailJobs } from './submission-email.job.js';

/** Hand over again what is due and not in the queue. */
export const reconcileJob = defineJob('notification-reconcile', z.object({}));

const BATCH = 5_000;

/** While so many jobs wait, a job handed over would come after them anyway. */
const BACKLOG = 20;

/** How long a fresh submission has to be handed over by the gateway that recorded it. */
const GRACE_S = 1;

const findDue = (db: Database): Promise<{ id: string }[]> => db.$queryRaw`
  SELECT submission_id AS id FROM notifications
   WHERE state = 'pending' AND next_attempt_at <= now() - make_interval(secs => ${GRACE_S})
   ORDER BY next_attempt_at LIMIT ${BATCH}`;

/**
 * Hands over the notifications that are due and not finished: those whose hand-over failed, whose worker
 * died, or whose pause is over. One that is still queued may be queued twice then: the second job finds it claimed.
 *
 * Quota notices are written down with the unit of the quota that causes them, and account links with the request for
 * one; both are handed over here alone.
 *
 * @returns how many were handed over.
 */
export async function reconcile({ db, queues }: { db: Database; queues: Pick<Queues, 'enqueue' | 'depth'> }) {
  const { waiting = 0 } = await queues.depth(submissionEmailJob);
  const due = waiting >= BACKLOG ? [] : await findDue(db);
  if (due.length > 0) {
    await queues.enqueue(submissionEmailJob, submissionEmailJobs(due.map(({ id }) => id)));
  }
  const notices = await db.$queryRaw<QuotaNoticeKey[]>`
    SELECT team_id AS "teamId", to_char(month, 'YYYY-MM') AS month, percent FROM quota_notices
     WHERE state = 'pending' AND next_attempt_at <= now() LIMIT ${BATCH}`;
  if (notices.length > 0) {
    await queues.enqueue(
      quotaNoticeJob,
      notices.map((payload) => ({ id: noticeJobId(payload), payload })),
    );
  }
  const links = await db.$queryRaw<{ id: string }[]>`
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
