import { z } from 'zod';
import type { Backfill } from './db/backfill/backfill.js';
import { formVersions } from './forms/history/form-versions.backfill.js';
import { defineJob } from './queue/define-job.js';
import { dailyCounts, dailySpam } from './rollups/daily-counts.backfill.js';
import { attributionReferrers, visitAddresses } from './visits/addresses.backfill.js';
import { timeZones } from './websites/time-zones.backfill.js';

/** Job that carries on the backfills. */
export const backfillJob = defineJob('backfills', z.object({}));

/** The backfills of this version, in their order. One that is done everywhere can go a release later. */
export const BACKFILLS: readonly Backfill[] = [
  visitAddresses,
  attributionReferrers,
  formVersions,
  // Before the counts, which fail for a time zone that PostgreSQL does not know.
  timeZones,
  dailyCounts,
  dailySpam,
];
