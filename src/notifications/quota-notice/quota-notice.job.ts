import { z } from 'zod';
import { defineKeyedJob } from '../../queue/define-job.js';

const quotaNoticeKey = z.object({
  teamId: z.int(),
  /** The month in UTC, as in 2026-11. */
  month: z.string().regex(/^\d{4}-\d{2}$/),
  percent: z.union([z.literal(80), z.literal(100)]),
});

/** The key of a notice to a team's owners: there is one notice for each share of a month's quota. */
export type QuotaNoticeKey = z.infer<typeof quotaNoticeKey>;

/** Returns the id of a notice, as a job and in the log. */
export const quotaNoticeId = ({ teamId, month, percent }: QuotaNoticeKey): string =>
  `quota-${teamId}-${month}-${percent}`;

/** The job that sends the notice that a share of a team's monthly quota is used. */
export const quotaNoticeJob = defineKeyedJob('quota-notice', quotaNoticeKey, { idOf: quotaNoticeId });
