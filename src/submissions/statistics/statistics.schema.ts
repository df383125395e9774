import { z } from 'zod';
import { DAY_MS, MAX_PERIOD_DAYS } from '../../lib/durations.js';
import { optional } from '../../lib/input.schema.js';
import { isPeriod, narrowing } from '../inbox/inbox-filter.schema.js';

const day = z.iso
  .date({ error: 'must be a day such as 2026-11-21' })
  .refine((text) => text >= '2000', { error: 'must be in 2000 or later' });

/** Returns how many days a filter names, the first and the last one included. */
const daysIn = (firstDay: string, lastDay: string): number =>
  (Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS + 1;

/** Validates the filter of the statistics at a time. The default period is the last thirty days. */
export const statisticsFilterSchema = (now: Date) =>
  narrowing
    .extend({ firstDay: optional(day), lastDay: optional(day) })
    .refine(isPeriod, { path: ['to'], error: 'must be after from' })
    .refine(({ from, to }) => !from || (to ?? now).getTime() - from.getTime() <= MAX_PERIOD_DAYS * DAY_MS, {
      path: ['from'],
      error: `must be ${MAX_PERIOD_DAYS} days before the end at most`,
    })
    .refine(({ firstDay, lastDay }) => (firstDay === undefined) === (lastDay === undefined), {
      path: ['lastDay'],
      error: 'must be given with firstDay',
    })
    .refine(({ firstDay, from, to }) => firstDay === undefined || (from === undefined && to === undefined), {
      path: ['firstDay'],
      error: 'must not be given with from or to',
    })
    .refine(
      ({ firstDay, lastDay }) =>
        !firstDay ||
        !lastDay ||
        (daysIn(firstDay, lastDay) >= 1 && daysIn(firstDay, lastDay) <= MAX_PERIOD_DAYS),
      { path: ['lastDay'], error: `must be 0 to ${MAX_PERIOD_DAYS - 1} days after firstDay` },
    );

export type StatisticsFilter = z.output<ReturnType<typeof statisticsFilterSchema>>;
