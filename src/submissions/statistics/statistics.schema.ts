import type { z } from 'zod';
import { DAY_MS, MAX_PERIOD_DAYS } from '../../lib/durations.js';
import { isPeriod, narrowing } from '../inbox/inbox-filter.schema.js';

/** Validates the filter of the statistics. The default period is the last thirty days. */
export const statisticsFilterSchema = narrowing
  .refine(isPeriod, { path: ['to'], error: 'must be after from' })
  .refine(
    ({ from, to }) => !from || (to ?? new Date()).getTime() - from.getTime() <= MAX_PERIOD_DAYS * DAY_MS,
    {
      path: ['from'],
      error: `must be ${MAX_PERIOD_DAYS} days before the end at most`,
    },
  );

export type StatisticsFilter = z.output<typeof statisticsFilterSchema>;
