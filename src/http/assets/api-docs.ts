import { Router } from 'express';
import { notFound } from '../../errors.js';
import { escapeHtml } from '../../lib/text/html.js';
import { FIVE_MINUTES } from './cache-control.js';
import { answerIfKnown, entityTag } from './etag.js';
import { readScript, sendVersionedScript } from './script-file.js';

/** Allows the gateway's own script and data, and the styles that the viewer puts into its elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Addresses are relative, so that the page works wherever it is published. */
const page = (title: string, scriptHash: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<script src="docs/rapidoc.js?v=${scriptHash}" type="module"></script>
<rapi-doc spec-url="openapi.json" render-style="read" theme="light" primary-color="#0a7c66"
  load-fonts="false" regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace"
  show-header="false" allow-server-selection="false" schema-style="table" default-schema-tab="schema"
  sort-tags="false" show-method-in-nav-bar="as-colored-text"></rapi-doc>
<noscript>The description of the API is at <a href="openapi.json">openapi.json</a>.</noscript>
</html>
`;

/**
 * Serves the OpenAPI document at `GET /api/openapi.json`, without authentication, and a page to read it at
 * `GET /api/docs`. The page loads nothing from another host.
 */
export function apiDocs(document: Readonly<{ info: Readonly<{ title: string }> }>): Router {
  const router = Router();
  const body = JSON.stringify(document);
  const etag = entityTag([body]);
  const viewer = readScript('rapidoc.js');

  router.get('/api/openapi.json', (request, response) => {
    response.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': FIVE_MINUTES });
    if (!answerIfKnown(request, response, etag)) response.type('json').send(body);
  });

  router.get('/api/docs', (request, response) => {
    if (!viewer) throw notFound();
    // The page's addresses would lead below it.
    if (request.path.endsWith('/')) return void response.status(302).location('../docs').end();
    response.set({ 'Cache-Control': FIVE_MINUTES, 'Content-Security-Policy': POLICY });
    response.type('html').send(page(document.info.title, viewer.hash));
  });

  router.get('/api/docs/rapidoc.js', (request, response) => {
    if (!viewer) throw notFound();
    sendVersionedScript(request, response, viewer);
  });

  return router;
}
