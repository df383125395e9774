import { refused, type Verdict } from './provider.js';

/** Default score below which a token is refused, where the captcha step sets none. */
const DEFAULT_MIN_SCORE = 0.5;

/**
 * Refuses an answer whose host name is not the website's; a missing one proves nothing either way.
 *
 * @returns the refusal; null when there is none.
 */
export function hostnameFault(given: unknown, hostname: string): Verdict | null {
  if (given === undefined || given === null || given === '') return null;
  const same = typeof given === 'string' && given.toLowerCase() === hostname.toLowerCase();
  return same ? null : refused('wrong_hostname');
}

/** Refuses an answer whose score, from 0 (a robot) to 1, is missing or below the step's threshold. */
export function scoreFault(given: unknown, minScore: number | null): Verdict | null {
  return typeof given === 'number' && given >= (minScore ?? DEFAULT_MIN_SCORE) ? null : refused('low_score');
}
