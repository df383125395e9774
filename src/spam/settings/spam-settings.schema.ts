import { z } from 'zod';
import { SpamFilter } from '../../generated/prisma/enums.js';

/** The bounds of a threshold: a lower one withholds what a single weak signal is about. */
const MIN_THRESHOLD = 50;
const MAX_THRESHOLD = 300;

/** Days that spam is kept at most, where it is deleted at all. */
const MAX_KEPT_DAYS = 3_650;

export const spamThreshold = z.int().min(MIN_THRESHOLD).max(MAX_THRESHOLD);

export const spamKeptDays = z.int().min(1).max(MAX_KEPT_DAYS).nullable();

export const spamFilter = z.enum(SpamFilter);

export const spamSettings = z.object({
  filter: spamFilter.optional(),
  threshold: spamThreshold.optional(),
  keptDays: spamKeptDays.optional(),
});
