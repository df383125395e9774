import type { ErrorName } from '../errors.openapi.js';
import {
  BODY_ERRORS,
  headerRef,
  jsonAnswer,
  listOf,
  nullable,
  object,
  operation,
  type Piece,
  schemaOf,
} from '../http/openapi.js';
import { MAX_INT } from '../lib/max-int.js';
import { ABILITIES } from './access.js';
import { MAX_NAME_LENGTH } from './token-name.js';

const tag = 'Tokens';

/** What every endpoint that takes a token has in common. */
export const withToken = {
  security: [{ token: [] }],
  headers: { 'Cache-Control': headerRef('NoStore') },
  isLimited: true,
} as const;

const ERRORS = [
  'Unauthenticated',
  'ReservedToManagers',
  'ServerError',
  'Unavailable',
] as const satisfies readonly ErrorName[];

const timestamp = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$',
};

const id = { type: 'integer', minimum: 1, maximum: MAX_INT };

const token = {
  ...object({
    id,
    name: { type: 'string', maxLength: MAX_NAME_LENGTH, description: 'What the token is used for.' },
    team_id: { type: 'integer', description: 'The organization that it is scoped to.' },
    abilities: listOf({ enum: ABILITIES }),
    created_at: timestamp,
    last_used_at: nullable(timestamp),
    expires_at: { ...nullable(timestamp), description: 'Null: it never expires.' },
  }),
  description: 'A token as it is listed, which is without its value.',
};

const created = {
  ...object({
    token: { type: 'string', pattern: '^[1-9]\\d*\\|[0-9A-Za-z]{40}[0-9a-f]{8}$' },
    team: object({ id: { type: 'integer' }, slug: { type: 'string' } }),
  }),
  description: 'The value of a new token. It is shown this once.',
};

const done = (message: string) => jsonAnswer(message, object({ message: { const: message } }), { message });

/** The token endpoints. */
export const tokensPiece: Piece = {
  tag: {
    name: tag,
    description:
      'Each call acts on the tokens that the holder of the calling token has for its organization, and on no others.',
  },
  schemas: { Token: token, CreatedToken: created },
  paths: {
    '/api/tokens': {
      get: operation({
        operationId: 'listTokens',
        tag,
        summary: 'List the tokens',
        ...withToken,
        answers: {
          200: jsonAnswer(
            'Oldest first; expired ones are among them.',
            object({ data: listOf(schemaOf('Token')) }),
            {
              data: [
                {
                  id: 12,
                  name: 'Website sync',
                  team_id: 3,
                  abilities: ABILITIES,
                  created_at: '2026-11-02T09:30:00.125000Z',
                  last_used_at: null,
                  expires_at: null,
                },
              ],
            },
          ),
        },
        errors: ERRORS,
      }),
      post: operation({
        operationId: 'createToken',
        tag,
        summary: 'Create a token',
        ...withToken,
        description:
          'It has the abilities of the calling token and expires when that one does; never, if that one never does. ' +
          'The holder has 1,000 tokens for the organization at most, expired ones included.',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  name: { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH },
                  team_id: {
                    type: ['integer', 'null'],
                    description: 'If given, the organization of the calling token.',
                  },
                },
                required: ['name'],
              },
              examples: { name: { value: { name: 'Website sync, 2027' } } },
            },
          },
        },
        answers: {
          201: jsonAnswer('The new token.', schemaOf('CreatedToken'), {
            token: `13|${'v1Qm8ZsD5xR2'.repeat(3)}Kc7T9f3a2b1c`,
            team: { id: 3, slug: 'lumen' },
          }),
        },
        errors: [...ERRORS, 'ForeignOrganization', ...BODY_ERRORS],
      }),
      delete: operation({
        operationId: 'revokeAllTokens',
        tag,
        summary: 'Revoke all tokens',
        ...withToken,
        description: 'Including the one you call with. Those for other organizations stay.',
        answers: { 200: done('All tokens of this organization have been revoked.') },
        errors: ERRORS,
      }),
    },
    '/api/tokens/{id}': {
      delete: operation({
        operationId: 'revokeToken',
        tag,
        summary: 'Revoke a token',
        ...withToken,
        description: 'At once. The id is what stands before the `|` of its value.',
        parameters: [
          { name: 'id', in: 'path', required: true, description: 'Of the token.', schema: id, example: 12 },
        ],
        answers: { 200: done('Token revoked.') },
        errors: [...ERRORS, 'MalformedRequest', 'TokenNotFound'],
      }),
    },
  },
};
