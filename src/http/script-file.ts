import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

const ASSETS = new URL('../../dist/assets/', import.meta.url);
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A script for browsers, as it is and compressed. */
export type ScriptFile = Readonly<{
  /** Digest of the content; part of its address as `v`, so that another release has another one. */
  hash: string;
  plain: Buffer;
  gzip(): Buffer;
}>;

/** Reads a script that the build has put together, by its name in `dist/assets`; null when it has not. */
export function readScript(name: string): ScriptFile | null {
  try {
    const plain = readFileSync(new URL(name, ASSETS));
    const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
    let compressed: Buffer | undefined;
    // When it is first asked for: a start should not wait for it.
    const gzip = () => (compressed ??= gzipSync(plain, { level: 9 }));
    return { hash, plain, gzip };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Answers with a script, to be kept for a year under the address that names its digest. */
export function sendScript(request: Request, response: Response, script: ScriptFile): void {
  const { v: wanted = script.hash } = request.query;
  const compressed = request.acceptsEncodings('gzip') === 'gzip';
  response.vary('Accept-Encoding').set({
    // While releases change, the address of one may reach a gateway of the other.
    'Cache-Control': wanted === script.hash ? IMMUTABLE : 'no-store',
    'Content-Type': 'text/javascript; charset=utf-8',
    ETag: `W/"${script.hash}"`,
    ...(compressed && { 'Content-Encoding': 'gzip' }),
  });
  response.send(compressed ? script.gzip() : script.plain);
}
