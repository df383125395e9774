import { z } from 'zod';
import { defineJob } from '../queue/define-job.js';

/** The job that sends the e-mails about some submissions. */
export const submissionEmailJob = defineJob(
  'submission-email',
  z.object({ submissionIds: z.array(z.uuid()).min(1) }),
);

/** Maximum number of submissions in one job. A job costs the queue as much as some ten of them. */
const MAX_OF_A_JOB = 32;

/** Splits submissions into jobs for the queue. */
export function submissionEmailJobs(submissionIds: readonly string[], maxOfAJob = MAX_OF_A_JOB) {
  const count = Math.ceil(submissionIds.length / maxOfAJob);
  return Array.from({ length: count }, (_, i) => {
    const some = submissionIds.slice(i * maxOfAJob, (i + 1) * maxOfAJob);
    return { id: `${some[0]}-${some.length}`, payload: { submissionIds: some } };
  });
}
