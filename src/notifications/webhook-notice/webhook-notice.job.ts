import { z } from 'zod';
import { defineKeyedJob } from '../../queue/define-job.js';

/** The job that sends the notice that Formgate has disabled a webhook. */
export const webhookNoticeJob = defineKeyedJob('webhook-notice', z.object({ noticeId: z.uuid() }), {
  idOf: ({ noticeId }) => noticeId,
});
