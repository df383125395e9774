import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { z } from 'zod';
import { isLongerThan } from '../lib/text/characters.js';

/** Memory in KiB and passes of argon2id; OWASP's first recommendation. The work runs off the event loop. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const MIN_LENGTH = 12;
const MAX_LENGTH = 200;

/** Schema of a password chosen in the panel. */
export const newPassword = z
  .string()
  .refine((password) => isLongerThan(password, MIN_LENGTH - 1) && !isLongerThan(password, MAX_LENGTH), {
    error: `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`,
  });

/** Hashes a password with argon2id (RFC 9106) into its own encoded form. */
export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Whether a password is the one behind a hash of `hashPassword`. */
export const verifyPassword = (encoded: string, password: string): Promise<boolean> =>
  verify(encoded, password);

/** Generates a password of 120 bits, in 20 characters, to hand to an account's user. */
export const generatePassword = (): string => randomBytes(15).toString('base64url');
