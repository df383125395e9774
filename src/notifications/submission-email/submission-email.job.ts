import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineJob, LOW_PRIORITY } from '../../queue/define-job.js';

const ids = z.array(z.uuid()).min(1).readonly();

/** The e-mails of a job: those that some submissions cause, or some that accounts requested. */
export type EmailIds = Readonly<{
  submissionIds?: readonly string[];
  requestedIds?: readonly string[];
  /**
   * Whether their job has a low priority, so that they wait for those of new leads: they were held back or failed, and
   * are sent again, maybe by thousands.
   */
  isLater?: boolean;
}>;

/**
 * The job that sends e-mails about submissions. Both kinds share a queue, since the queue counts its jobs for
 * MAIL_PER_SECOND.
 */
export const submissionEmailJob = defineJob<EmailIds>(
  'submission-email',
  z
    .union([z.object({ submissionIds: ids }), z.object({ requestedIds: ids })])
    .and(z.object({ isLater: z.boolean().optional() })),
);

/** Maximum number of e-mails in one job. A job costs the queue as much as some ten of them. */
const MAX_OF_A_JOB = 32;

type Options = Readonly<{
  of?: 'submissionIds' | 'requestedIds';
  maxOfAJob?: number;
  hasLowPriority?: boolean | undefined;
}>;

/** Returns the id of a job, the same for the same e-mails: the queue drops a job whose id it has. */
const jobIdOf = (emailIds: readonly string[]): string =>
  createHash('sha256').update(emailIds.join()).digest('base64url');

/** Splits e-mails into jobs for the queue. */
export function submissionEmailJobs(
  emailIds: readonly string[],
  { of = 'submissionIds', maxOfAJob = MAX_OF_A_JOB, hasLowPriority = false }: Options = {},
) {
  const count = Math.ceil(emailIds.length / maxOfAJob);
  return Array.from({ length: count }, (_, i) => {
    const some = emailIds.slice(i * maxOfAJob, (i + 1) * maxOfAJob);
    const payload = { [of]: some, ...(hasLowPriority && { isLater: true }) };
    return { id: jobIdOf(some), payload, ...(hasLowPriority && { priority: LOW_PRIORITY }) };
  });
}

/** Splits e-mails of both kinds into jobs. */
export const jobsOfMany = (
  { submissionIds = [], requestedIds = [], isLater }: EmailIds,
  maxOfAJob = MAX_OF_A_JOB,
) => [
  ...submissionEmailJobs(submissionIds, { maxOfAJob, hasLowPriority: isLater }),
  ...submissionEmailJobs(requestedIds, { of: 'requestedIds', maxOfAJob, hasLowPriority: isLater }),
];

/** Splits e-mails of both kinds into jobs of one each. */
export const jobsOfOne = (emails: EmailIds) => jobsOfMany(emails, 1);
