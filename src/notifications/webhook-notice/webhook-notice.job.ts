import { z } from 'zod';
import { defineJob } from '../../queue/define-job.js';

/** The job that sends the notice that Formgate has disabled a webhook. */
export const webhookNoticeJob = defineJob('webhook-notice', z.object({ noticeId: z.uuid() }));

/** Makes a job of each notice. */
export const webhookNoticeJobs = (noticeIds: readonly string[]) =>
  noticeIds.map((noticeId) => ({ id: noticeId, payload: { noticeId } }));
