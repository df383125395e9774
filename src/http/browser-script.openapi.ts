import { notModified, operation, type Piece } from './openapi.js';

const tag = 'Browser script';

/** The script that websites load. */
export const browserScriptPiece: Piece = {
  tag: { name: tag, description: 'Shows and submits the forms of a website; a page needs nothing else.' },
  paths: {
    '/formgate.js': {
      get: operation({
        ...{ operationId: 'readBrowserScript', tag, summary: 'The script for the pages of a website' },
        security: [],
        answers: {
          200: { description: 'The script.', content: { 'text/javascript': { schema: { type: 'string' } } } },
          304: notModified({}),
        },
        errors: ['NotFound', 'ServerError'],
      }),
    },
  },
};
