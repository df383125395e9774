import { type RequestHandler, Router } from 'express';
import { notFound } from '../../errors.js';
import { FIVE_MINUTES } from './cache-control.js';
import { readScript, sendScript } from './script-file.js';

/**
 * Serves the script of the visitors' pages, for every website: `/formgate.js` for a script element,
 * `/formgate.mjs` for `import`; 404 when the build has not made them.
 *
 * @param folder Where the build has put them.
 */
export function browserScript(folder?: URL): Router {
  const serve = (name: string): RequestHandler => {
    const script = readScript(name, folder);
    return (request, response) => {
      if (!script) throw notFound();
      response.set('Access-Control-Allow-Origin', '*');
      sendScript(request, response, script, FIVE_MINUTES);
    };
  };
  const router = Router();
  router.get('/formgate.js', serve('formgate.js'));
  router.get('/formgate.mjs', serve('formgate.mjs'));
  return router;
}
