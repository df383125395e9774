import { headerRef, jsonAnswer, object, operation, type Piece, type Schema } from '../../http/openapi.js';
import {
  originParameter,
  ownPageHeaders,
  PAGE_ERRORS,
  pageHeaders,
  websiteParameter,
} from '../page.openapi.js';
import type { WebsiteSignature } from './signatures.service.js';

const tag = 'Signature';

const signature = object({
  signature: { type: 'string', description: 'To be sent as `X-Website-Signature`.' },
  timestamp: { type: 'integer', description: 'To be sent as `X-Website-Timestamp`.' },
  expires_in: { type: 'integer', description: 'How long it is good, in seconds.' },
} satisfies Record<keyof WebsiteSignature, Schema>);

/** OpenAPI description of the signature endpoint. */
export const signaturesPiece: Piece = {
  tag: { name: tag, description: 'What a page sends along in place of a token.' },
  paths: {
    '/api/websites/{website}/signature': {
      get: operation({
        operationId: 'sign',
        tag,
        summary: 'Get a signature',
        security: [],
        isLimited: true,
        description: 'A new key of the website ends it before its time.',
        parameters: [websiteParameter, originParameter],
        headers: pageHeaders,
        answers: {
          200: jsonAnswer(
            'A signature for this website.',
            signature,
            {
              signature: 'pX3nYzqV0mTg5uK8cQf1hL2wB7rD9sE4aJ6oN0iUvWk',
              timestamp: 1793612345,
              expires_in: 600,
            },
            { ...ownPageHeaders, 'Cache-Control': headerRef('NoStore') },
          ),
        },
        errors: PAGE_ERRORS,
      }),
    },
  },
};
