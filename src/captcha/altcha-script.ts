import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const FILE = new URL('../../dist/assets/altcha.js', import.meta.url);

/** The proof-of-work widget, as it is and compressed. */
export type AltchaScript = Readonly<{
  /** Digest of the content; part of its address, so that another release has another one. */
  hash: string;
  plain: Buffer;
  gzip: Buffer;
}>;

/** Reads the widget that the build has put together; null when it has not. */
export function readAltchaScript(file: URL = FILE): AltchaScript | null {
  try {
    const plain = readFileSync(file);
    const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
    return { hash, plain, gzip: gzipSync(plain, { level: 9 }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
