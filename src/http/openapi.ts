import { ERRORS, type ErrorName } from '../errors.openapi.js';
import { FIVE_MINUTES } from './assets/cache-control.js';

/*
 * The `*.openapi.ts` files beside the controllers are written with these functions. They build plain objects of
 * OpenAPI 3.1, which `src/openapi.ts` assembles.
 */

/** A JSON Schema of draft 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

export type Header = Readonly<{ description: string; required: boolean; schema: Schema }>;
export type Headers = Readonly<Record<string, Header | Ref>>;
export type Ref = Readonly<{ $ref: string }>;
type Examples = Readonly<Record<string, Readonly<{ summary?: string; value: unknown }>>>;
export type Content = Readonly<Record<string, Readonly<{ schema: Schema; examples?: Examples }>>>;

export type Answer = Readonly<{ description: string; headers?: Headers; content?: Content }>;

export type Parameter = Readonly<{
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
}>;

export type Operation = Readonly<{
  operationId: string;
  tags: readonly [string];
  summary: string;
  description?: string;
  /** Each entry is one alternative way to authenticate; `[]` requires none. */
  security: readonly Readonly<Record<string, readonly []>>[];
  parameters?: readonly Parameter[];
  requestBody?: Readonly<{ required: true; content: Content }>;
  responses: Readonly<Record<string, Answer>>;
}>;

export type Method = 'get' | 'post' | 'delete';

/** The part of the document about one controller: its paths, and the schemas that they need. */
export type Piece = Readonly<{
  tag: Readonly<{ name: string; description: string }>;
  paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
  schemas?: Readonly<Record<string, Schema>>;
}>;

/** Builds the schema of an object that has each of these keys; a later release may add more. */
export const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] });
export const schemaOf = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const header = (description: string, schema: Schema, required = true): Header => ({
  description,
  required,
  schema: { type: 'string', ...schema },
});

/** Header fields that many answers carry, as components of the document. */
export const HEADERS = {
  RequestId: header(
    'The id of the request in our log: the one that it came with, else one of ours. Quote it when you ask about an answer.',
    {
      pattern: '^[\\w.:-]{8,64}$',
    },
  ),
  NoStore: header('Not to be kept.', { const: 'no-store' }),
  RateLimit: header(
    'What is left of each limit that the request counted against: its name, `r` requests, for `t` seconds (draft-ietf-httpapi-ratelimit-headers-11).',
    { pattern: '^"[a-z-]+";r=\\d+;t=\\d+(, "[a-z-]+";r=\\d+;t=\\d+)*$' },
  ),
  RateLimitPolicy: header('The quota `q` of each of these limits in a window of `w` seconds.', {
    pattern: '^"[a-z-]+";q=\\d+;w=\\d+(, "[a-z-]+";q=\\d+;w=\\d+)*$',
  }),
  RetryAfter: header('Seconds to wait.', { pattern: '^[1-9]\\d*$' }),
  Bearer: header('How to authenticate.', { const: 'Bearer' }),
  Close: header('The connection ends here.', { const: 'close' }),
  EntityTag: header('Of this content; send it back as `If-None-Match`.', { pattern: '^(W/)?"[^"]+"$' }),
  FormVersions: header(
    'The version of each form that is given; send it back as `form_version` with its submissions.',
    { pattern: '^[\\w-]+=[1-9]\\d*(&[\\w-]+=[1-9]\\d*)*$' },
    false,
  ),
  VaryOrigin: header('The answer depends on the Origin of the page.', { pattern: '\\bOrigin\\b' }),
  OwnOrigin: header('The Origin of the page, which may read the answer.', { pattern: '^https?://' }),
  AnyOrigin: header('Pages of every origin may read this.', { const: '*' }),
  FiveMinutes: header('Good for five minutes, then to be requested anew.', { const: FIVE_MINUTES }),
} as const satisfies Record<string, Header>;

export const headerRef = (name: keyof typeof HEADERS): Ref => ({ $ref: `#/components/headers/${name}` });

const optional = (name: keyof typeof HEADERS): Header => ({ ...HEADERS[name], required: false });

const COUNTED: Headers = {
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
};

const COUNTED_PERHAPS: Headers = {
  RateLimit: optional('RateLimit'),
  'RateLimit-Policy': optional('RateLimitPolicy'),
};

/** The header fields that an error may bring. */
const OF_ERROR: Headers = {
  ...COUNTED,
  'Retry-After': headerRef('RetryAfter'),
  'WWW-Authenticate': headerRef('Bearer'),
  Connection: headerRef('Close'),
};

/** Builds a JSON answer. */
export const jsonAnswer = (
  description: string,
  schema: Schema,
  example: unknown,
  headers: Headers = {},
): Answer => ({
  description,
  headers,
  content: { 'application/json': { schema, examples: { answer: { value: example } } } },
});

/** Builds the 304 for a client that has the current content already. */
export const notModified = (headers: Headers): Answer => ({
  description: 'It is still what `If-None-Match` names.',
  headers,
});

/** Combines errors of the same status into one answer. */
function errorAnswer(names: readonly ErrorName[], headers: Headers): Answer {
  const own = Object.keys(ERRORS[names[0]!].answer.headers);
  const schemas = names.map((name) => schemaOf(name));
  return {
    description: [...new Set(names.map((name) => ERRORS[name].when))].join(' '),
    headers: { ...headers, ...Object.fromEntries(own.map((name) => [name, OF_ERROR[name]!])) },
    content: {
      'application/json': {
        schema: schemas.length === 1 ? schemas[0]! : { anyOf: schemas },
        examples: Object.fromEntries(
          names.map((name) => [name, { summary: ERRORS[name].when, value: ERRORS[name].answer.body }]),
        ),
      },
    },
  };
}

/** The errors of any request that has a body. */
export const BODY_ERRORS = [
  'MalformedRequest',
  'RequestTimedOut',
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'Invalid',
] as const satisfies readonly ErrorName[];

type Described = Omit<Operation, 'responses' | 'tags'> &
  Readonly<{
    tag: string;
    answers: Readonly<Record<number, Answer>>;
    errors: readonly ErrorName[];
    /** Header fields of every answer of the endpoint. */
    headers?: Headers;
    /** Whether every request is counted against a limit. */
    isLimited?: boolean;
  }>;

/** Builds an operation with all its answers: its own, its errors, and the headers that they share. */
export function operation({
  tag,
  answers,
  errors,
  headers = {},
  isLimited = false,
  ...rest
}: Described): Operation {
  const shared: Headers = { 'X-Request-Id': headerRef('RequestId'), ...headers };
  const own = Object.entries(answers).map(([status, answer]) => [
    status,
    { ...answer, headers: { ...shared, ...(isLimited && COUNTED), ...answer.headers } },
  ]);
  const statusOf = (name: ErrorName) => ERRORS[name].answer.status;
  const names = [...new Set<ErrorName>(isLimited ? [...errors, 'TooManyRequests'] : errors)];
  const isCounted = names.includes('TooManyRequests');
  const failed = [...new Set(names.map(statusOf))].map((status) => [
    status,
    errorAnswer(
      names.filter((name) => statusOf(name) === status),
      { ...shared, ...(isCounted && COUNTED_PERHAPS) },
    ),
  ]);
  return { ...rest, tags: [tag], responses: Object.fromEntries([...own, ...failed]) };
}
