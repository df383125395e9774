import { captchaPiece } from './captcha/captcha.openapi.js';
import { ERRORS, type ErrorName, errorSchema } from './errors.openapi.js';
import { formsPiece } from './forms/serving/forms.openapi.js';
import { apiDocsPiece } from './http/assets/api-docs.openapi.js';
import { browserScriptPiece } from './http/assets/browser-script.openapi.js';
import { healthPiece } from './http/health/health.openapi.js';
import { HEADERS, type Piece } from './http/openapi.js';
import { VERSION } from './lib/telemetry/version.js';
import { submissionsPiece } from './submissions/submit/submit.openapi.js';
import { tokensPiece } from './tokens/tokens.openapi.js';
import { visitsPiece } from './visits/visits.openapi.js';
import { directoryPiece } from './websites/directory/directory.openapi.js';
import { signaturesPiece } from './websites/signatures/signatures.openapi.js';

const PIECES: readonly Piece[] = [
  submissionsPiece,
  directoryPiece,
  tokensPiece,
  formsPiece,
  signaturesPiece,
  captchaPiece,
  visitsPiece,
  browserScriptPiece,
  apiDocsPiece,
  healthPiece,
];

const DESCRIPTION = `The REST API of the form gateway. Requests and answers are JSON unless an operation says otherwise.

A server authenticates with a token, \`Authorization: Bearer <token>\`. The pages of a website have no secret: their
endpoints check the \`Origin\`, and a submission carries the website's signature and a captcha. CORS lets the pages
of a website, and no others, read every answer, errors included; preflights are answered on every path of theirs.

An error has one of two bodies, \`{"message": …}\` or \`{"error": …}\`. An address or method that is not described
here answers 404 with \`{"message": "Not found."}\`. Objects may gain keys with a later release.`;

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', description: 'An integration token of the organization.' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Website-Signature',
    description: 'The signature of the website, from the signature endpoint.',
  },
  timestamp: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Website-Timestamp',
    description: 'The timestamp that came with the signature.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: '`METRICS_TOKEN` of the installation.' },
} as const;

const ERROR_NAMES = Object.keys(ERRORS) as ErrorName[];

export type OpenApi = ReturnType<typeof createOpenApi>;

/**
 * The OpenAPI 3.1 document of the whole REST surface, put together from the pieces beside the controllers.
 *
 * @param config.publicUrl where clients reach the gateway.
 */
export function createOpenApi({ publicUrl }: Readonly<{ publicUrl: string }>) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Formgate',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: PIECES.map(({ tag }) => tag),
    paths: Object.fromEntries(PIECES.flatMap(({ paths }) => Object.entries(paths))),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      schemas: {
        ...Object.fromEntries(PIECES.flatMap(({ schemas = {} }) => Object.entries(schemas))),
        ...Object.fromEntries(ERROR_NAMES.map((name) => [name, errorSchema(name)])),
      },
    },
  };
}
