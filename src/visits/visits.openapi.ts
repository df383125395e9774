import { z } from 'zod';
import {
  BODY_ERRORS,
  headerRef,
  jsonAnswer,
  object,
  operation,
  type Piece,
  type Schema,
} from '../http/openapi.js';
import {
  originParameter,
  ownPageHeaders,
  PAGE_ERRORS,
  pageHeaders,
  websiteParameter,
} from '../websites/page.openapi.js';
import { visitBody } from './visit-body.js';

const tag = 'Visits';

/** Without the name of its dialect, which is that of the whole document. */
const { $schema, ...bodySchema } = z.toJSONSchema(visitBody, { io: 'input' });

/** The tracking endpoint. */
export const visitsPiece: Piece = {
  tag: { name: tag, description: 'Page views, which attribute a submission to the source of its visitor.' },
  paths: {
    '/api/websites/{website}/visits': {
      post: operation({
        operationId: 'recordVisit',
        tag,
        summary: 'Record a page view',
        security: [],
        isLimited: true,
        description:
          '`page_url` must be an http or https address; of the rest, what is of no use is dropped. Of the addresses no fragment is kept, and of their queries only the `utm_*` of the page. The JSON may be declared as `text/plain`, which a page sends without a preflight. No cookie is set and no IP address kept; the hash changes every day.',
        parameters: [websiteParameter, originParameter],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: bodySchema as Schema,
              examples: {
                visit: {
                  value: {
                    page_url: 'https://corse.lumen-paysage.test/contact?utm_source=news',
                    page_title: 'Contact',
                    page_locale: 'fr-FR',
                    referrer: 'https://search.example/',
                  },
                },
              },
            },
          },
        },
        headers: pageHeaders,
        answers: {
          200: jsonAnswer(
            'To be sent along with a submission.',
            object({ visitor_hash: { type: 'string', pattern: '^[\\w-]{16,128}$' } }),
            { visitor_hash: 'Zq3vX1h0b5m8c2Lr7TnYwA' },
            { ...ownPageHeaders, 'Cache-Control': headerRef('NoStore') },
          ),
        },
        errors: [...PAGE_ERRORS, ...BODY_ERRORS.filter((name) => name !== 'MalformedRequest')],
      }),
    },
  },
};
