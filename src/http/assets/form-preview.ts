import { Router } from 'express';
import { notFound } from '../../errors.js';
import { hashSource } from '../security-headers.js';
import { readScript, scriptFile, sendScript } from './script-file.js';

/** Browsers may keep the page, and ask each time whether it is still the same. */
const CACHE_CONTROL = 'private, no-cache';

/** The page around a script. Its language is set with the form. */
const pageOf = (script: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Preview</title>
<body><script>${script}</script></body>
</html>
`;

/**
 * Content security policy of the preview: its one script may run, and that can load, send or open nothing. The sandbox
 * gives the page an opaque origin, also where it is not in the panel's frame.
 */
const policyOf = (script: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashSource(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts allow-forms',
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/**
 * Serves `/panel/form-preview`, the document of the frame in which the panel previews a form with the script of the
 * visitors' pages; 404 when the build has not made it.
 */
export function formPreview(): Router {
  // The end tag would end the element that holds the script.
  const script = readScript('preview.js')?.plain.toString().replaceAll('</script', '<\\/script');
  const page = script === undefined ? null : scriptFile('text/html', Buffer.from(pageOf(script)));
  const policy = script === undefined ? '' : policyOf(script);
  const router = Router();
  router.get('/panel/form-preview', (request, response) => {
    if (!page) throw notFound();
    response.set({ 'Content-Security-Policy': policy, 'Cross-Origin-Resource-Policy': 'same-origin' });
    sendScript(request, response, page, CACHE_CONTROL);
  });
  return router;
}
