import { z } from 'zod';

/** An instant that PostgreSQL can hold, together with everything that is computed from it. */
export const instant = z.coerce
  .date({ error: 'must be a date and time' })
  .min(new Date('1970-01-01T00:00:00Z'), { error: 'must be in 1970 or later' })
  .max(new Date('9999-12-30T00:00:00Z'), { error: 'must be before the year 10000' });
