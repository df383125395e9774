import { refused, type Verdict } from './provider.js';

/** Score below which a token is refused, where the link sets none. */
const DEFAULT_MIN_SCORE = 0.5;

/**
 * A host name in an answer that is not the website's; one that is not given proves nothing either way.
 *
 * @returns the refusal; null when there is none.
 */
export function hostnameFault(given: unknown, hostname: string): Verdict | null {
  if (given === undefined || given === null || given === '') return null;
  const same = typeof given === 'string' && given.toLowerCase() === hostname.toLowerCase();
  return same ? null : refused('wrong_hostname');
}

/** A score from 0 (a robot) to 1 that is missing or under the link's threshold. */
export function scoreFault(given: unknown, minScore: number | null): Verdict | null {
  return typeof given === 'number' && given >= (minScore ?? DEFAULT_MIN_SCORE) ? null : refused('low_score');
}
