import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { notFound } from '../errors.js';
import { matchesEntityTag } from './etag.js';

const ASSETS = new URL('../../dist/assets/', import.meta.url);

/** Its address does not change with a release, so browsers ask again after five minutes. */
const CACHE_CONTROL = 'public, max-age=300, must-revalidate';

/** Answers with a built script, or 404 when the build has not made it. */
function serveScript(file: URL): RequestHandler {
  let plain: Buffer;
  try {
    plain = readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return () => {
      throw notFound();
    };
  }
  const gzip = gzipSync(plain, { level: 9 });
  // Weak: the same for both encodings.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`;
  return (request, response) => {
    response.vary('Accept-Encoding').set({
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': CACHE_CONTROL,
      ETag: etag,
    });
    if (matchesEntityTag(request.get('if-none-match'), etag.slice(2))) return void response.status(304).end();
    const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
    response.set({
      'Content-Type': 'text/javascript; charset=utf-8',
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    });
    response.send(isCompressed ? gzip : plain);
  };
}

/**
 * The script of the visitors' pages, for every website: `/formgate.js` for a script element, `/formgate.mjs`
 * for `import`.
 *
 * @param assets the folder that the build has put them into.
 */
export function browserScript(assets: URL = ASSETS): Router {
  const router = Router();
  router.get('/formgate.js', serveScript(new URL('formgate.js', assets)));
  router.get('/formgate.mjs', serveScript(new URL('formgate.mjs', assets)));
  return router;
}
