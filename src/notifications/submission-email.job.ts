import { z } from 'zod';
import { defineJob } from '../queue/define-job.js';

/** Send the e-mail about one submission. */
export const submissionEmailJob = defineJob('submission-email', z.object({ submissionId: z.uuid() }));

/** Hand over again whatever is due and not on its way. */
export const reconcileJob = defineJob('notification-reconcile', z.object({}));
