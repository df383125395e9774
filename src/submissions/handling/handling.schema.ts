import { z } from 'zod';
import { isLongerThan } from '../../lib/text/characters.js';
import { isStorable } from '../../lib/text/storable-text.js';

/** A text that an account writes about a submission. */
export const noteText = (most: number) =>
  z
    .string()
    .trim()
    .min(1, { error: 'must not be empty' })
    .refine((text) => !isLongerThan(text, most), {
      error: `must have ${most.toLocaleString('en')} characters at most`,
    })
    .refine(isStorable, { error: 'holds a character that cannot be stored' });
