import { hash, verify } from '@node-rs/argon2';

/** Memory in KiB and passes of argon2id; OWASP's first recommendation. The work runs off the event loop. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes a password with argon2id (RFC 9106) into its own encoded form. */
export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Whether a password is the one behind a hash of `hashPassword`. */
export const verifyPassword = (encoded: string, password: string): Promise<boolean> =>
  verify(encoded, password);
