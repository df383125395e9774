import { type Answer, headerRef, operation, type Piece } from './openapi.js';

const tag = 'This description';

/** A script of ours. */
export const scriptAnswer = (description: string): Answer => ({
  description,
  headers: {
    'Cache-Control': {
      description: 'A year, and never asked for anew, under the address that the current release names.',
      required: true,
      schema: { enum: ['public, max-age=31536000, immutable', 'no-store'] },
    },
    ETag: headerRef('EntityTag'),
  },
  content: { 'text/javascript': { schema: { type: 'string' } } },
});

const shared = {
  'Cache-Control': headerRef('FiveMinutes'),
};

/** The OpenAPI document and the page that shows it. */
export const apiDocsPiece: Piece = {
  tag: { name: tag, description: 'For people and for tools.' },
  paths: {
    '/api/openapi.json': {
      get: operation({
        ...{ operationId: 'readOpenApi', tag, summary: 'This document, OpenAPI 3.1', security: [] },
        errors: ['ServerError'],
        answers: {
          200: {
            description: 'The document.',
            headers: { ...shared, ETag: headerRef('EntityTag') },
            content: {
              'application/json': { schema: { type: 'object', additionalProperties: true } },
            },
          },
          304: {
            description: 'It is the one named in `If-None-Match`.',
            headers: { ...shared, ETag: headerRef('EntityTag') },
          },
        },
        headers: { 'Access-Control-Allow-Origin': headerRef('AnyOrigin') },
      }),
    },
    '/api/docs': {
      get: operation({
        ...{ operationId: 'readDocs', tag, summary: 'A page to read it', security: [] },
        errors: ['NotFound', 'ServerError'],
        answers: {
          200: {
            description: 'The page.',
            headers: shared,
            content: { 'text/html': { schema: { type: 'string' } } },
          },
        },
      }),
    },
    '/api/docs/rapidoc.js': {
      get: operation({
        ...{ operationId: 'readDocsScript', tag, summary: 'The script of that page', security: [] },
        errors: ['NotFound', 'ServerError'],
        answers: { 200: scriptAnswer('RapiDoc, with its licence.') },
      }),
    },
  },
};
