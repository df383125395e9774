import { type Answer, type Headers, headerRef, notModified, operation, type Piece } from '../openapi.js';

const tag = 'This description';

const scriptHeaders: Headers = {
  'Cache-Control': {
    description: 'A year without revalidation, under the address that the current release names.',
    required: true,
    schema: { enum: ['public, max-age=31536000, immutable', 'no-store'] },
  },
  ETag: headerRef('EntityTag'),
};

/** Describes the answers with one of the gateway's own scripts; `more` are headers beside those that each has. */
export function scriptAnswers(description: string, more: Headers = {}): Record<number, Answer> {
  const headers = { ...scriptHeaders, ...more };
  const content = { 'text/javascript': { schema: { type: 'string' } } };
  return { 200: { description, headers, content }, 304: notModified(headers) };
}

const shared = {
  'Cache-Control': headerRef('FiveMinutes'),
};

/** The OpenAPI document and the page that shows it. */
export const apiDocsPiece: Piece = {
  tag: { name: tag, description: 'For people and for tools.' },
  paths: {
    '/api/openapi.json': {
      get: operation({
        operationId: 'readOpenApi',
        tag,
        summary: 'This document, OpenAPI 3.1',
        security: [],
        errors: ['ServerError'],
        answers: {
          200: {
            description: 'The document.',
            headers: { ...shared, ETag: headerRef('EntityTag') },
            content: {
              'application/json': { schema: { type: 'object', additionalProperties: true } },
            },
          },
          304: notModified({ ...shared, ETag: headerRef('EntityTag') }),
        },
        headers: { 'Access-Control-Allow-Origin': headerRef('AnyOrigin') },
      }),
    },
    '/api/docs': {
      get: operation({
        operationId: 'readDocs',
        tag,
        summary: 'A page to read it',
        security: [],
        errors: ['NotFound', 'ServerError'],
        answers: {
          200: {
            description: 'The page.',
            headers: shared,
            content: { 'text/html': { schema: { type: 'string' } } },
          },
          302: { description: 'With a slash behind it. It leads to the page.' },
        },
      }),
    },
    '/api/docs/rapidoc.js': {
      get: operation({
        operationId: 'readDocsScript',
        tag,
        summary: 'The script of that page',
        security: [],
        errors: ['NotFound', 'ServerError'],
        answers: scriptAnswers('RapiDoc, with its licence.'),
      }),
    },
  },
};
