import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Config } from '../../config.js';
import type { Db } from '../../db/client.js';
import { claimScheduledTask } from '../../db/daily-tasks.queries.js';
import { NotificationState } from '../../generated/prisma/client.js';
import type { Clock } from '../../lib/clock.js';
import { HOUR_MS } from '../../lib/durations.js';
import { groupsOf } from '../../lib/group-by.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { sendUnbatched } from '../../notifications/unbatched-attempt.js';
import { monthText } from '../../plans/quota.queries.js';
import { jobsOf } from '../../queue/define-job.js';
import type { Queues } from '../../queue/queues.js';
import type { VisitStatistics } from '../../visits/visit-statistics.queries.js';
import type { Breakdowns } from '../statistics/breakdown.service.js';
import type { Statistics } from '../statistics/statistics.service.js';
import { lastDayOf, monthBefore, monthStart, nextMonth, readMonth } from './monthly-figures.js';
import { type MonthlyReportKey, monthlyReportJob, reportId } from './monthly-report.job.js';
import { renderMonthlyReport } from './monthly-report.template.js';
import {
  findDueReports,
  type ReportSetting,
  readSettings,
  recordReports,
  takeReport,
} from './monthly-reports.queries.js';

/** Hours (UTC) after a month's end at which its reports are due: it has then ended in every time zone. */
const DUE_AFTER_H = 29;

const TASK = 'monthly-reports';

type Services = {
  db: Db;
  queues: Pick<Queues, 'enqueue'>;
  dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains'>;
  statistics: Statistics;
  visitStatistics: VisitStatistics;
  breakdowns: Breakdowns;
  publicUrl: Config['publicUrl'];
  clock: Clock;
  log: Logger;
};

export type MonthlyReports = ReturnType<typeof createMonthlyReports>;

/** Returns the address of the page with the figures of a team's month. */
function pageAddress(publicUrl: string, { teamId, month }: MonthlyReportKey): string {
  return `${publicUrl}/panel/statistics?team=${teamId}&from=${month}-01&to=${lastDayOf(month)}`;
}

/** Returns when the reports of the month before are due. */
const dueIn = (month: string): Date => new Date(monthStart(month).getTime() + DUE_AFTER_H * HOUR_MS);

/** Sends the owners of a team a report of each month, where the team has chosen so. It takes no unit of the quota. */
export function createMonthlyReports(services: Services) {
  const { db, queues, dispatch, publicUrl, clock, log } = services;

  /**
   * Records the reports of the month before once in the installation, when they are due or a worker runs again.
   *
   * An account that becomes an owner after that gets none, nor does a team that is activated.
   */
  async function record(): Promise<void> {
    const now = clock();
    const due = await db.orm.dailyTask.findUnique({ where: { name: TASK } });
    if (due && due.dueAt > now) return;
    const current = monthText(new Date(now.getTime() - DUE_AFTER_H * HOUR_MS));
    const month = monthBefore(current);
    const next = dueIn(nextMonth(current));
    await db.orm.$transaction(async (tx) => {
      // 0.4 recorded the reports without a task: none are missing where some are there.
      const known = due ? null : await tx.monthlyReport.findFirst({ where: { month: monthStart(month) } });
      if (await claimScheduledTask(tx, TASK, { now, first: known ? next : dueIn(current), next })) {
        await recordReports(tx, month);
      }
    });
  }

  return {
    /** Records the reports of the month before once they are due, and enqueues those that are not sent. */
    async enqueueDue(): Promise<void> {
      await record();
      await queues.enqueue(monthlyReportJob, jobsOf(monthlyReportJob, await findDueReports(db)));
    },

    /**
     * Makes one attempt to send a report, if it is due, and records the outcome.
     *
     * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
     */
    send(key: MonthlyReportKey, onSlow: () => void): Promise<void> {
      const { teamId, month, userId } = key;
      const where = {
        teamId,
        month: new Date(`${month}-01T00:00:00Z`),
        userId,
        state: NotificationState.pending,
      };
      return sendUnbatched({
        name: 'Monthly report',
        ids: { report: reportId(key) },
        dispatch,
        log,
        onSlow,
        take: () => takeReport(db, key),
        update: (data, held) => db.orm.monthlyReport.updateMany({ where: { ...where, ...held }, data }),
        async prepare(claim) {
          const { recipient } = claim;
          if (recipient === null) return 'no_recipient';
          const message = renderMonthlyReport({
            key,
            recipient,
            createdAt: claim.createdAt,
            teamName: claim.teamName,
            locale: claim.locale,
            address: pageAddress(publicUrl, key),
            figures: await readMonth(services, teamId, month),
          });
          return { message };
        },
      });
    },

    /** Reads what teams have chosen; null for a missing team. */
    async ofTeams(teamIds: readonly number[]): Promise<(ReportSetting | null)[]> {
      const rows = groupsOf(teamIds, await readSettings(db, teamIds, clock()), ({ teamId }) => teamId);
      return rows.map(([setting]) => setting ?? null);
    },

    /** Sets whether the owners of a team get its reports, from the present month on. */
    async set(teamId: number, isSent: boolean, actor: Actor): Promise<void> {
      await db.orm.$transaction(async (tx) => {
        const { count } = await tx.team.updateMany({
          where: { id: teamId, monthlyReportSince: isSent ? null : { not: null } },
          data: { monthlyReportSince: isSent ? clock() : null },
        });
        if (count === 0) return;
        await recordAudit(tx, actor, {
          teamId,
          action: 'team.updated',
          subject: ['team', teamId],
          detail: { changed: { monthlyReport: isSent } },
        });
      });
    },
  };
}
