import { createHash } from 'node:crypto';
import type { Challenge } from '../../src/captcha/providers/altcha.js';

/** The number that completes a challenge's salt. */
export function solveNumber({ challenge, salt, maxnumber }: Challenge): number {
  for (let number = 0; number <= maxnumber; number++) {
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') === challenge) return number;
  }
  throw new Error('No number completes the salt.');
}

/** Standard Base64 of a JSON value, as the widget makes it. */
export const payloadOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** What the widget makes of a challenge; `overrides` replace keys of the solution. */
export function solve(challenge: Challenge, overrides: Record<string, unknown> = {}): string {
  const { algorithm, salt, signature } = challenge;
  const number = solveNumber(challenge);
  return payloadOf({
    algorithm,
    challenge: challenge.challenge,
    number,
    salt,
    signature,
    took: 3,
    ...overrides,
  });
}
