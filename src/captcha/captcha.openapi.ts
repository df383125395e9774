import { CaptchaType } from '../generated/prisma/enums.js';
import { scriptAnswers } from '../http/assets/api-docs.openapi.js';
import {
  headerRef,
  jsonAnswer,
  listOf,
  notModified,
  nullable,
  object,
  operation,
  type Piece,
  type Schema,
  schemaOf,
} from '../http/openapi.js';
import {
  originParameter,
  ownPageHeaders,
  PAGE_ERRORS,
  pageHeaders,
  websiteParameter,
} from '../websites/page.openapi.js';
import type { Challenge } from './providers/altcha.js';
import { STEP_KEY } from './step.js';

const tag = 'Captcha';
const text = { type: 'string' };
const hexDigest = { ...text, pattern: '^[0-9a-f]{64}$' };

const cached = {
  ...ownPageHeaders,
  'Cache-Control': headerRef('FiveMinutes'),
  ETag: headerRef('EntityTag'),
};

const step = object({
  key: { ...text, pattern: STEP_KEY.source, description: 'To be sent as `X-Captcha-Provider`.' },
  type: { enum: Object.values(CaptchaType) },
  site_key: nullable(text),
});

const challenge = {
  ...object({
    algorithm: { const: 'SHA-256' },
    challenge: { ...hexDigest, description: 'Digest of the salt followed by the number to be found.' },
    salt: text,
    signature: hexDigest,
    maxnumber: { type: 'integer', description: 'The number is from 0 to this.' },
  } satisfies Record<keyof Challenge, Schema>),
  description:
    'The solution is the Base64 of a JSON object with `algorithm`, `challenge`, `number`, `salt` and `signature`.',
};

/** What a browser needs to solve a captcha. */
export const captchaPiece: Piece = {
  tag: {
    name: tag,
    description: "A website's chain of captcha providers, and the proof of work that needs no provider.",
  },
  schemas: { CaptchaLink: step, Challenge: challenge },
  paths: {
    '/api/websites/{website}/captcha': {
      get: operation({
        operationId: 'readCaptchaChain',
        tag,
        summary: 'Get the captcha chain',
        security: [],
        parameters: [websiteParameter, originParameter],
        headers: pageHeaders,
        answers: {
          200: jsonAnswer(
            'The steps in their order. `altcha_script` is where the widget of the proof of work is; null when the platform has not built it.',
            object({
              chain: listOf(schemaOf('CaptchaLink')),
              altcha_script: { type: ['string', 'null'], format: 'uri' },
            }),
            {
              chain: [{ key: 'altcha', type: 'altcha', site_key: null }],
              altcha_script: 'https://forms.agency.test/api/captcha/altcha.js?v=3b1f0c9d2e4a5b67',
            },
            cached,
          ),
          304: notModified(cached),
        },
        errors: PAGE_ERRORS,
      }),
    },
    '/api/websites/{website}/captcha/altcha/challenge': {
      get: operation({
        operationId: 'drawChallenge',
        tag,
        summary: 'Get a proof-of-work challenge',
        security: [],
        description: 'A new one for each submission; it can be solved and presented for ten minutes.',
        parameters: [websiteParameter, originParameter],
        headers: { ...pageHeaders, 'Cache-Control': headerRef('NoStore') },
        isLimited: true,
        answers: {
          200: jsonAnswer(
            'A challenge for this website.',
            schemaOf('Challenge'),
            {
              algorithm: 'SHA-256',
              challenge: 'cb1c2bdbd2b5af26a4c0c05e0b1d8d3f5ce9e3a3dcfad5a0f1f5c0a4cf6f1f0a',
              salt: '6d0f4d2c9b1e8a7755aa10ff?website=01939a60-5c00-7a10-8b20-6c1f3a5e0002&expires=1793612945&',
              signature: '0e5a3f7b9c1d2e4f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7',
              maxnumber: 100000,
            },
            ownPageHeaders,
          ),
        },
        errors: [...PAGE_ERRORS, 'AltchaNotEnabled'],
      }),
    },
    '/api/captcha/altcha.js': {
      get: operation({
        operationId: 'readAltchaScript',
        tag,
        summary: 'The widget of the proof of work',
        security: [],
        answers: scriptAnswers('The script.', { 'Access-Control-Allow-Origin': headerRef('AnyOrigin') }),
        errors: ['NotFound', 'ServerError'],
      }),
    },
  },
};
