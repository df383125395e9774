import { z } from 'zod';
import { defineJob, defineKeyedJob } from '../../queue/define-job.js';

const monthlyReportKey = z.object({
  teamId: z.int(),
  /** As in 2026-11. */
  month: z.string().regex(/^\d{4}-\d{2}$/),
  /** The owner who gets it. */
  userId: z.int(),
});

/** The key of a report: there is one for each owner of a team and month. */
export type MonthlyReportKey = z.infer<typeof monthlyReportKey>;

/** Returns the id of a report, as a job and as a message. */
export const reportId = ({ teamId, month, userId }: MonthlyReportKey): string =>
  `report-${teamId}-${month}-${userId}`;

/** The job that sends a team's report of a month to an owner. */
export const monthlyReportJob = defineKeyedJob('monthly-report', monthlyReportKey, { idOf: reportId });

/** The job that records the reports of the month before, and enqueues those that are due. */
export const enqueueDueReportsJob = defineJob('monthly-reports-due', z.object({}));
