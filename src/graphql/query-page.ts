import { type RequestHandler, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { readScript, type ScriptFile, sendVersionedScript } from '../http/assets/script-file.js';
import { printPanelSchema } from './schema.js';

/** Allows the gateway's own files, and the styles that the editor puts into its elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Addresses are relative, so that the page works wherever it is published. */
const page = (script: ScriptFile, style: ScriptFile) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Formgate: queries</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="graphql/graphiql.css?v=${style.hash}">
<script src="graphql/graphiql.js?v=${script.hash}" defer></script>
<body>
<div id="root"></div>
<noscript>The schema is at <a href="graphql/schema.graphql">schema.graphql</a>.</noscript>
</body>
</html>
`;

/**
 * Serves a page to try queries on at `GET /graphql` in a browser, with the viewer's session, and the schema at
 * `GET /graphql/schema.graphql`. The page loads nothing from another host.
 */
export function queryPage(schema: GraphQLSchema): Router {
  const router = Router();
  const script = readScript('graphiql.js');
  const style = readScript('graphiql.css');

  const send =
    (file: ScriptFile): RequestHandler =>
    (request, response) => {
      sendVersionedScript(request, response, file);
    };

  router.get('/graphql/schema.graphql', (_request, response) => {
    response.set('Cache-Control', 'no-store').type('text/plain').send(printPanelSchema(schema));
  });

  if (!script || !style) return router;
  router.get('/graphql/graphiql.js', send(script));
  router.get('/graphql/graphiql.css', send(style));

  router.get('/graphql', (request, response, next) => {
    // A client that accepts JSON calls the API.
    if (request.accepts(['json', 'html']) !== 'html') return next();
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': POLICY });
    response.type('html').send(page(script, style));
  });
  return router;
}
