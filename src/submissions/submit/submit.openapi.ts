import { MAX_TOKEN_LENGTH } from '../../captcha/chain.js';
import { STEP_KEY } from '../../captcha/step.js';
import { MAX_BODY_BYTES } from '../../http/json-body.js';
import {
  BODY_ERRORS,
  jsonAnswer,
  object,
  operation,
  type Parameter,
  type Piece,
  type Schema,
  schemaOf,
} from '../../http/openapi.js';
import { originParameter, PAGE_ERRORS, pageHeaders, websiteParameter } from '../../websites/page.openapi.js';
import type { SubmissionResult } from './idempotency.js';

const tag = 'Submissions';
const text = { type: 'string' };

const body = {
  type: 'object',
  description: `The values by the names of their fields, and the circumstances. At most ${MAX_BODY_BYTES} bytes, 1,000 keys and 32 levels.`,
  properties: {
    page_url: {
      ...text,
      description: 'Of the page; an address that is not http or https, or over 4,096 characters, is dropped.',
    },
    page_title: { ...text, description: 'Of the page; its first 1,000 characters are kept.' },
    page_locale: { ...text, maxLength: 35, description: "The page's language, as in `fr-FR`." },
    form_locale: { ...text, maxLength: 10, description: 'The language in which the form was shown.' },
    visitor_hash: { ...text, description: 'As the visits endpoint gave it; one that is unknown is ignored.' },
    captcha_fallback: { ...text, description: 'The `fallback_token` of a `captcha_fallback`.' },
  },
  additionalProperties: {
    description:
      'A field of the form, or one that it does not declare, which is kept as well. A consent is sent as 1. ' +
      'A number that a double cannot hold is recorded as the text that was sent. A date is sent as `2026-12-31`, a time as ' +
      '`09:30`; a text has 10,000 characters at most, an e-mail address 254.',
  },
};

const result = object({
  success: { const: true },
  message: { ...text, description: "The client's confirmation, to be shown as it is, as text." },
  lead_id: { ...text, format: 'uuid', description: 'Of the recorded request.' },
} satisfies Record<keyof SubmissionResult, Schema>);

const header = (name: string, description: string, schema: Schema = {}): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { ...text, ...schema },
});

const DESCRIPTION = `A server sends a token with the ability \`team:submit\` of the website's organization; a page of
the website sends its signature, and its browser the Origin. The website's captcha chain applies to both; only a
website without a chain asks no captcha of a token.

Two answers deserve a second attempt, once: \`invalid_signature\`, with a new signature, and \`captcha_fallback\`, with
the step in \`next\` and the fallback token. Every other refusal is final. After a 429 or 503 wait for \`Retry-After\`,
and send an \`Idempotency-Key\` where the answer may have been lost.

Limits: as the client's plan says, for each address and website in a minute, whatever the answers, and for what is
recorded of each website in an hour, of visitors and of tokens apart. The quota of e-mails in that plan never refuses a submission.`;

/** The submit endpoint. */
export const submissionsPiece: Piece = {
  tag: { name: tag, description: 'What visitors fill in. A 200 means that it is recorded.' },
  schemas: { SubmissionResult: result },
  paths: {
    '/api/websites/{website}/forms/{slug}/submit': {
      post: operation({
        operationId: 'submit',
        tag,
        summary: 'Submit a form',
        description: DESCRIPTION,
        security: [{ token: [] }, { signature: [], timestamp: [] }],
        parameters: [
          websiteParameter,
          {
            name: 'slug',
            in: 'path',
            required: true,
            description: 'Of the form.',
            schema: text,
            example: 'contact',
          },
          {
            name: 'form_version',
            in: 'query',
            required: false,
            example: '3',
            description:
              'The version of the form that the page showed, from `X-Form-Versions`. The consents are recorded with the ' +
              "texts of that version; fields are validated by the form as it is now. What the form's history does not " +
              'have is ignored, and never an error.',
            schema: text,
          },
          {
            ...originParameter,
            required: false,
            description: `Required without a token. ${originParameter.description}`,
          },
          header(
            'X-Captcha-Provider',
            'Key of the captcha step that the token is of; absent: the first step.',
            {
              pattern: STEP_KEY.source,
            },
          ),
          header('X-Captcha-Token', 'The captcha token.', { maxLength: MAX_TOKEN_LENGTH }),
          header(
            'Idempotency-Key',
            'The same key of the same token, or of visitors, with the same body answers the first result again for 24 hours and records nothing.',
            { pattern: '^[ -~]{1,255}$' },
          ),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: body,
              examples: {
                contact: {
                  summary: 'The contact form of the demo',
                  value: {
                    name: 'Ada Martin',
                    email: 'ada@example.com',
                    topic: 'garden',
                    surface: 40,
                    message: 'Bonjour, je voudrais un jardin.',
                    privacy: 1,
                    page_url: 'https://corse.lumen-paysage.test/contact',
                    page_locale: 'fr-FR',
                  },
                },
                otherLanguage: {
                  summary: 'In English, without the field that its topic hides',
                  value: {
                    name: 'Ada Martin',
                    email: 'ada@example.com',
                    topic: 'other',
                    message: 'Good morning.',
                    privacy: 1,
                    form_locale: 'en',
                  },
                },
              },
            },
          },
        },
        headers: pageHeaders,
        isLimited: true,
        answers: {
          200: jsonAnswer('It is recorded, and the client is notified.', schemaOf('SubmissionResult'), {
            success: true,
            message: "Merci, notre équipe d'Ajaccio vous répond.",
            lead_id: '019aa8d2-7f30-7c55-9b1e-5a2f6c0d4e11',
          }),
        },
        errors: [
          ...PAGE_ERRORS,
          ...BODY_ERRORS.filter((name) => name !== 'MalformedRequest'),
          'InvalidSignature',
          'Unauthenticated',
          'ForeignWebsite',
          'NoLongerAllowed',
          'MissingAbility',
          'FormNotFound',
          'CaptchaRequired',
          'CaptchaFailed',
          'CaptchaProviderNotAllowed',
          'CaptchaFallback',
        ],
      }),
    },
  },
};
