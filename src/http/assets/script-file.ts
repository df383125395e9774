import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { PACKAGE_ROOT } from '../../lib/package-root.js';
import { IMMUTABLE } from './cache-control.js';
import { matchesEntityTag } from './etag.js';

const ASSETS = new URL('dist/assets/', PACKAGE_ROOT);

/** A script, a style sheet or a page for browsers, as it is and compressed. */
export type ScriptFile = Readonly<{
  type: string;
  /** Digest of the content; part of its address as `v`, so that another release has another one. */
  hash: string;
  plain: Buffer;
  gzip(): Buffer;
}>;

/** Builds a file for browsers from its content. */
export function scriptFile(type: string, plain: Buffer): ScriptFile {
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  let compressed: Buffer | undefined;
  // Compressed on first use, so that a start does not wait for it.
  const gzip = () => (compressed ??= gzipSync(plain, { level: 9 }));
  return { type, hash, plain, gzip };
}

/** Reads a script that the build has put into a folder; null when it has not. */
export function readScript(name: string, folder: URL = ASSETS): ScriptFile | null {
  try {
    const plain = readFileSync(new URL(name, folder));
    return scriptFile(name.endsWith('.css') ? 'text/css' : 'text/javascript', plain);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Answers with a script, compressed when the client accepts that, or with 304 when the client has it. */
export function sendScript(
  request: Request,
  response: Response,
  script: ScriptFile,
  cacheControl: string,
): void {
  // The tag is weak because both encodings share it.
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

/** Answers with a script that clients cache for a year under the address that names its digest. */
export function sendVersionedScript(request: Request, response: Response, script: ScriptFile): void {
  const { v: wanted = script.hash } = request.query;
  // During a rollout the address of one release may reach a gateway of the other.
  sendScript(request, response, script, wanted === script.hash ? IMMUTABLE : 'no-store');
}
