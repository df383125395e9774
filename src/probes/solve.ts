import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Challenge } from '../captcha/providers/altcha.js';

/** Numbers that are tried in one turn of the event loop: some milliseconds. */
const TRIED_IN_TURN = 1_000;

/**
 * Solves a proof of work as the widget does, and yields to other requests meanwhile.
 *
 * @returns the value of `X-Captcha-Token`; null when no number solves it, or the signal is aborted.
 */
export async function solveChallenge(
  { algorithm, challenge, salt, signature, maxnumber }: Challenge,
  signal: AbortSignal,
): Promise<string | null> {
  for (let number = 0; number <= maxnumber; number++) {
    if (number % TRIED_IN_TURN === 0) {
      await nextTurn();
      if (signal.aborted) return null;
    }
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') !== challenge) continue;
    const solution = { algorithm, challenge, number, salt, signature };
    return Buffer.from(JSON.stringify(solution)).toString('base64');
  }
  return null;
}
