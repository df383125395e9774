import { z } from 'zod';
import type { Db } from '../../db/client.js';
import { isTooOld, readCountedUntil } from '../../db/daily-counts-mark.js';
import type { Clock } from '../../lib/clock.js';
import { defineJob } from '../../queue/define-job.js';
import { createCalendar } from './calendar.js';
import { isSilent } from './silence.js';
import {
  forgetUnserved,
  isPastUncounted,
  markSilent,
  readHabits,
  readPace,
  readResumptions,
} from './silence.queries.js';

/** Job that looks for websites that have fallen silent. */
export const findSilentJob = defineJob('find-silent', z.object({}));

/**
 * Looks for websites from which nothing comes any more. One that was found is silent until its next lead, or until it
 * is no longer served.
 */
export function createSilence({ db, clock }: { db: Db; clock: Clock }) {
  return {
    async run(): Promise<void> {
      await forgetUnserved(db);
      // Half a past has half the pace: websites that work would be taken for silent, until their next lead.
      if (await isPastUncounted(db)) return;
      const now = clock();
      // Habits of before know nothing of the leads that came while no worker ran.
      if (isTooOld(await readCountedUntil(db), now)) return;
      const [habits, { leadsPerWeek, ...leads }] = await Promise.all([
        readHabits(db, { teamIds: null, silentOnly: false }),
        readPace(db, now),
      ]);
      const installation = { calendar: createCalendar(leads, now), leadsPerWeek };
      const quiet = habits.filter((habit) => habit.silentAt === null && isSilent(habit, now, installation));
      if (quiet.length === 0) return;
      const resumed = await readResumptions(db, quiet);
      const silent = quiet.filter((habit) =>
        isSilent(habit, now, installation, resumed.get(habit.websiteId)),
      );
      if (silent.length > 0) await markSilent(db, silent, now);
    },
  };
}
