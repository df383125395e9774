import { accountEmailJob } from './notifications/account-email/account-email.job.js';
import { quotaNoticeJob } from './notifications/quota-notice/quota-notice.job.js';
import { submissionEmailJob } from './notifications/submission-email/submission-email.job.js';
import { tokenNoticeJob } from './notifications/token-notice/token-notice.job.js';
import { webhookNoticeJob } from './notifications/webhook-notice/webhook-notice.job.js';
import { monthlyReportJob } from './submissions/monthly-report/monthly-report.job.js';
import { webhookDeliveryJob } from './webhooks/webhook-delivery.job.js';

/** The jobs with a queue of their own, which workers handle and `GET /metrics` counts. */
export const JOBS = {
  submissionEmail: submissionEmailJob,
  quotaNotice: quotaNoticeJob,
  webhookNotice: webhookNoticeJob,
  tokenNotice: tokenNoticeJob,
  accountEmail: accountEmailJob,
  webhookDelivery: webhookDeliveryJob,
  monthlyReport: monthlyReportJob,
} as const;
