import { z } from 'zod';
import { defineJob } from '../queue/define-job.js';

/** Send the e-mail that carries a link to an account. */
export const accountEmailJob = defineJob('account-email', z.object({ linkId: z.uuid() }));
