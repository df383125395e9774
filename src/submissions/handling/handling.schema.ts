import { z } from 'zod';

/** A text that an account writes about a submission. */
export const noteText = (most: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(most, { error: `must have ${most.toLocaleString('en')} characters at most` })
    .refine((text) => !/\0|\p{Surrogate}/u.test(text), { error: 'holds a character that cannot be stored' });
