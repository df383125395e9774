import type { Message } from '../../message.js';

/**
 * Matches whole phrases, which are regular expressions over plain text. It has no accents, so that the fast classes of
 * ASCII will do.
 */
export const whole = (...phrases: string[]): RegExp => new RegExp(`\\b(?:${phrases.join('|')})(?!\\w)`, 'g');

/** Counts the different phrases of some patterns that a message contains. */
export const countMatches = (patterns: readonly RegExp[], { plain }: Message): number =>
  new Set(patterns.flatMap((pattern) => plain.match(pattern) ?? [])).size;
