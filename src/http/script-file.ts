import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { matchesEntityTag } from './etag.js';

const ASSETS = new URL('../../dist/assets/', import.meta.url);
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A script or a style sheet for browsers, as it is and compressed. */
export type ScriptFile = Readonly<{
  type: string;
  /** Digest of the content; part of its address as `v`, so that another release has another one. */
  hash: string;
  plain: Buffer;
  gzip(): Buffer;
}>;

/** Reads a script that the build has put into a folder; null when it has not. */
export function readScript(name: string, folder: URL = ASSETS): ScriptFile | null {
  try {
    const plain = readFileSync(new URL(name, folder));
    const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
    let compressed: Buffer | undefined;
    // When it is first asked for: a start should not wait for it.
    const gzip = () => (compressed ??= gzipSync(plain, { level: 9 }));
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    return { type, hash, plain, gzip };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Answers with a script, compressed for whoever takes it, or 304 to whoever has it. */
export function sendScript(
  request: Request,
  response: Response,
  script: ScriptFile,
  cacheControl: string,
): void {
  // Weak: the same for both encodings.
  response.vary('Accept-Encoding').set({ 'Cache-Control': cacheControl, ETag: `W/"${script.hash}"` });
  if (matchesEntityTag(request.get('if-none-match'), `"${script.hash}"`)) {
    response.status(304).end();
    return;
  }
  const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
  response
    .set('Content-Type', `${script.type}; charset=utf-8`)
    .set(isCompressed ? { 'Content-Encoding': 'gzip' } : {})
    .send(isCompressed ? script.gzip() : script.plain);
}

/** Answers with a script that is to be kept for a year under the address that names its digest. */
export function sendVersionedScript(request: Request, response: Response, script: ScriptFile): void {
  const { v: wanted = script.hash } = request.query;
  // While releases change, the address of one may reach a gateway of the other.
  sendScript(request, response, script, wanted === script.hash ? IMMUTABLE : 'no-store');
}
