import { z } from 'zod';
import { defineKeyedJob } from '../../queue/define-job.js';

/** The job that sends the e-mail with a one-time link to an account. */
export const accountEmailJob = defineKeyedJob('account-email', z.object({ linkId: z.uuid() }), {
  idOf: ({ linkId }) => linkId,
  concurrency: 2,
});
