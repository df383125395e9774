import * as errors from './errors.js';

type Described = Readonly<{
  /** As it is answered; the texts in it are part of the contract, unless `body` says otherwise. */
  answer: errors.ApiError;
  when: string;
  /** What varies in the body. */
  body?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}>;

const text = { type: 'string' };

/** Each error answer of the REST surface under the name that its schema has in the OpenAPI document. */
export const ERRORS = {
  MalformedRequest: {
    answer: errors.malformedRequest('The body is not well-formed JSON.'),
    when: 'The request is not well-formed: its JSON, its length, its compression, or the percent-encoding of its path.',
    body: { message: text },
  },
  Unauthenticated: {
    answer: errors.unauthenticated(),
    when: 'The token is missing, mistyped, unknown, revoked or expired.',
  },
  ReservedToManagers: {
    answer: errors.reservedToManagers(),
    when: 'The holder of the token is no longer owner or administrator, or the organization is suspended.',
  },
  ForeignOrganization: {
    answer: errors.foreignOrganization(),
    when: '`team_id` is another organization than that of the calling token.',
  },
  NoOrganization: {
    answer: errors.noOrganization(),
    when: 'The holder of the token is no member of the organization any more.',
  },
  NoLongerAllowed: {
    answer: errors.noLongerAllowed(),
    when: 'The holder of the token is no longer owner or administrator, or the organization is suspended.',
  },
  MissingAbility: {
    answer: errors.missingAbility('team:read'),
    when: 'The token lacks the ability that the message names.',
    body: { message: { ...text, pattern: '^This token lacks the ability team:(read|submit)\\.$' } },
  },
  ForeignWebsite: {
    answer: errors.foreignWebsite(),
    when: 'The website belongs to another organization than the token.',
  },
  WebsiteDisabled: {
    answer: errors.websiteDisabled(),
    when: 'The website is disabled, or its organization is suspended.',
  },
  OriginNotAllowed: {
    answer: errors.originNotAllowed(),
    when: "`Origin` is missing or is not the website's.",
  },
  InvalidSignature: {
    answer: errors.invalidSignature(),
    when: 'The signature is missing, tampered with or expired. Request a new one and retry once.',
  },
  CaptchaRequired: {
    answer: errors.captchaRequired(),
    when: 'There is no captcha token although the chain expects one.',
  },
  CaptchaFailed: {
    answer: errors.captchaFailed(),
    when: 'The captcha token was refused, used before, or is longer than 4,096 characters.',
  },
  CaptchaProviderNotAllowed: {
    answer: errors.captchaProviderNotAllowed(),
    when: 'The captcha step is not accepted for this submission.',
  },
  CaptchaFallback: {
    answer: errors.captchaFallback('altcha:own', 'eyJ3Ijoi…'),
    when: 'The provider of this step cannot be reached. Solve the step named in `next` and send `fallback_token` back as `captcha_fallback`, once per step; it is good for two minutes.',
    body: { next: text, fallback_token: text },
  },
  NotFound: {
    answer: errors.notFound(),
    when: 'There is nothing at this address, or not with this method.',
  },
  WebsiteNotFound: { answer: errors.websiteNotFound(), when: 'No website has this UUID.' },
  FormNotFound: {
    answer: errors.formNotFound(),
    when: 'The form does not exist, is inactive, or is not placed on this website.',
  },
  TokenNotFound: {
    answer: errors.tokenNotFound(),
    when: "The id is not among the holder's tokens for this organization.",
  },
  DepartmentNotFound: {
    answer: errors.departmentNotFound(),
    when: 'The code is unknown, or no website of the organization serves it.',
  },
  AltchaNotEnabled: {
    answer: errors.altchaNotEnabled(),
    when: 'The chain of the website has no proof-of-work step.',
  },
  RequestTimedOut: {
    answer: errors.requestTimedOut(),
    when: 'The body did not arrive in time. The connection is closed.',
  },
  PayloadTooLarge: { answer: errors.payloadTooLarge(), when: 'The body is over 262,144 bytes, inflated.' },
  UnsupportedMediaType: {
    answer: errors.unsupportedMediaType('The Content-Type must be application/json.'),
    when: 'The body is not `application/json` in UTF-8, or has an unknown Content-Encoding.',
    body: { message: text },
  },
  Invalid: {
    answer: errors.invalid({ email: ['Ce champ est obligatoire.'] }),
    when: 'What was sent does not hold; `errors` maps the name of each field at fault to its messages.',
    body: {
      message: text,
      errors: { type: 'object', additionalProperties: { type: 'array', items: text, minItems: 1 } },
    },
  },
  TooManyRequests: {
    answer: errors.tooManyRequests(42, {
      'RateLimit-Policy': '"token-api";q=120;w=60',
      RateLimit: '"token-api";r=0;t=42',
    }),
    when: 'A limit is used up. Come back after the seconds of `Retry-After`.',
  },
  ServerError: { answer: errors.serverError(), when: 'A fault of ours.' },
  Unavailable: {
    answer: errors.unavailable(),
    when: 'The database is away. Come back after the seconds of `Retry-After`.',
  },
} as const satisfies Record<string, Described>;

export type ErrorName = keyof typeof ERRORS;

/** The JSON Schema of an error's body: what its constructor answers, word for word where that is fixed. */
export function errorSchema(name: ErrorName): Record<string, unknown> {
  const { answer, when, body }: Described = ERRORS[name];
  const properties = Object.entries(answer.body).map(([key, value]) => [
    key,
    body?.[key] ?? { const: value },
  ]);
  return {
    type: 'object',
    description: when,
    properties: Object.fromEntries(properties),
    required: Object.keys(answer.body),
  };
}
