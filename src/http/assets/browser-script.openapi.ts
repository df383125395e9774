import { headerRef, notModified, operation, type Piece } from '../openapi.js';

const tag = 'Browser script';
const headers = {
  'Access-Control-Allow-Origin': headerRef('AnyOrigin'),
  'Cache-Control': headerRef('FiveMinutes'),
  ETag: headerRef('EntityTag'),
};

/** Describes the endpoint of a script whose address does not change with a release. */
const serveScript = (operationId: string, summary: string) =>
  operation({
    operationId,
    tag,
    summary,
    security: [],
    errors: ['NotFound', 'ServerError'],
    answers: {
      200: {
        description: 'The script.',
        headers,
        content: { 'text/javascript': { schema: { type: 'string' } } },
      },
      304: notModified(headers),
    },
  });

/** The script that the pages of websites load. */
export const browserScriptPiece: Piece = {
  tag: { name: tag, description: 'Shows and submits the forms of a website; a page needs nothing else.' },
  paths: {
    '/formgate.js': { get: serveScript('readBrowserScript', 'The script, for a script element') },
    '/formgate.mjs': { get: serveScript('readBrowserModule', 'The script, for `import`') },
  },
};
