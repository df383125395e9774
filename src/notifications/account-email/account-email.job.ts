import { z } from 'zod';
import { defineJob } from '../../queue/define-job.js';

/** The job that sends the e-mail with a one-time link to an account. */
export const accountEmailJob = defineJob('account-email', z.object({ linkId: z.uuid() }), 2);

/** Makes a job of each one-time link. */
export const accountEmailJobs = (linkIds: readonly string[]) =>
  linkIds.map((linkId) => ({ id: linkId, payload: { linkId } }));
