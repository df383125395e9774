import { z } from 'zod';
import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { scheduledProbes } from '../../lib/telemetry/metrics.js';
import { defineJob } from '../../queue/define-job.js';
import type { Probes } from '../probes.service.js';
import {
  findDueWebsites,
  finishDailyProbe,
  scheduleNewWebsites,
  takeDueWebsite,
} from './probe-schedule.queries.js';

/** Daily probes that a run of the job has in flight at once. */
const MAX_CONCURRENT = 3;

/** Daily probes of a run, and so in a minute: fewer than the 30 challenges that one address may fetch in it. */
const PER_RUN = 20;

/** The job that runs the daily probes that are due, once for all workers together. */
export const dailyProbesJob = defineJob('probes-daily', z.object({}));

type Services = { db: Db; probes: Pick<Probes, 'runScheduled' | 'isStopping'>; clock: Clock; log: Logger };

/** Probes every enabled website once a day, at an hour of its own. */
export function createProbeSchedule({ db, probes, clock, log }: Services) {
  const warn = limitLog(log);

  /** Runs probes one after the other, until none of the run is left. */
  async function work(due: string[]): Promise<void> {
    for (let id = due.shift(); id && !probes.isStopping(); id = due.shift()) {
      const website = await takeDueWebsite(db, id, clock());
      if (!website) continue;
      try {
        const { ok } = await probes.runScheduled(website);
        // One that was broken off is due again when its lease has expired.
        if (probes.isStopping()) return;
        await finishDailyProbe(db, website.id, clock());
        scheduledProbes.inc({ outcome: ok ? 'passed' : 'failed' });
      } catch (error) {
        warn(error, 'Daily probe not run', { websiteId: website.id });
      }
    }
  }

  return {
    /** Schedules new websites, and runs what is due. */
    async run(): Promise<void> {
      await scheduleNewWebsites(db, clock());
      const due = await findDueWebsites(db, clock(), PER_RUN);
      await Promise.all(Array.from({ length: MAX_CONCURRENT }, () => work(due)));
    },
  };
}
