import { createHash } from 'node:crypto';

/** Hashes a text into the bytes of a database column. */
export const sha256 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(text).digest());
