import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ERRORS, type ErrorName } from '../../src/errors.openapi.js';
import type { Answer, Header, Method, Operation } from '../../src/http/openapi.js';
import { createOpenApi } from '../../src/openapi.js';
import { reportFault } from './contract-faults.js';

/** What the panel has for itself is no part of the document. */
const NOT_REST = /^\/($|\?|(graphql|panel)\b)/;

type Given = Readonly<{
  method: string;
  url: string;
  /** Pattern of the route that Express chose, if one. */
  route: string | undefined;
  status: number;
  header(name: string): string | undefined;
  body: string;
}>;

type Json = { [key: string]: unknown };

/** For the tests no object has keys that are not described; the document leaves room for later ones. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Json = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  if ('properties' in copy && copy.type === 'object') copy.additionalProperties ??= false;
  return copy;
}

const pointer = (...steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Compares answers with an OpenAPI document. Schemas are compiled when they are first met. */
function createContract() {
  const document = createOpenApi({ publicUrl: 'http://formgate.test' });
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  ajv.addSchema(closed(document) as Json, 'openapi');
  const validators = new Map<string, ValidateFunction>();

  function mismatch(at: string, value: unknown): string | null {
    let validate = validators.get(at);
    if (!validate) {
      validate = ajv.compile({ $ref: `openapi#${at}` });
      validators.set(at, validate);
    }
    return validate(value) ? null : ajv.errorsText(validate.errors);
  }

  function bodyFault(given: Given, answer: Answer, at: string): string | null {
    if (given.method === 'HEAD') return null;
    const type = given.header('content-type')?.split(';')[0];
    if (!answer.content) return given.body === '' && type === undefined ? null : 'has a body';
    if (type === undefined || !(type in answer.content)) return `is of type ${type}`;
    if (type !== 'application/json') return null;
    return mismatch(`${at}${pointer('content', type, 'schema')}`, JSON.parse(given.body));
  }

  function headerFault(given: Given, answer: Answer, at: string): string | null {
    for (const [name, entry] of Object.entries(answer.headers ?? {})) {
      const component = '$ref' in entry ? entry.$ref.split('/').at(-1)! : null;
      const headers: Record<string, Header> = document.components.headers;
      const header = component === null ? (entry as Header) : headers[component]!;
      const place =
        component === null ? `${at}${pointer('headers', name)}` : `/components/headers/${component}`;
      const value = given.header(name);
      if (value === undefined && header.required) return `lacks ${name}`;
      const fault = value === undefined ? null : mismatch(`${place}/schema`, value);
      if (fault) return `${name}: ${value}: ${fault}`;
    }
    return null;
  }

  /** What Express answers before it has chosen a route. */
  function unroutedFault(given: Given): string | null {
    if (given.method === 'OPTIONS' && given.status === 204) return given.body === '' ? null : 'has a body';
    const known: ErrorName[] = ['NotFound', 'MalformedRequest', 'ServerError', 'Unavailable'];
    const name = known.find((error) => ERRORS[error].answer.status === given.status);
    if (!name) return 'has an address that is not described';
    if (given.header('x-request-id') === undefined) return 'lacks X-Request-Id';
    return given.method === 'HEAD' ? null : mismatch(`/components/schemas/${name}`, JSON.parse(given.body));
  }

  return (given: Given): string | null => {
    if (NOT_REST.test(given.url)) return null;
    if (given.route === undefined) return unroutedFault(given);
    const path = given.route.replace(/:(\w+)/g, '{$1}');
    const method = (given.method === 'HEAD' ? 'get' : given.method.toLowerCase()) as Method;
    const operation: Operation | undefined = document.paths[path]?.[method];
    if (!operation) return 'is of an operation that is not described';
    const answer = operation.responses[given.status];
    if (!answer) return 'has a status that is not described';
    const at = pointer('paths', path, method, 'responses', String(given.status));
    return bodyFault(given, answer, at) ?? headerFault(given, answer, at);
  };
}

/**
 * Compares every answer of the gateway at `url`, to whichever request, with the OpenAPI document, at the moment
 * when it is sent. What does not fit fails the test that is running.
 *
 * @returns a function that ends it.
 */
export function watchAnswers(url: string): () => void {
  const port = Number(new URL(url).port);
  const faultOf = createContract();

  function watch(message: unknown): void {
    const { request, response, socket } = message as {
      request: IncomingMessage & { originalUrl?: string; route?: { path: string } };
      response: ServerResponse;
      socket: Socket;
    };
    if (socket.localPort !== port) return;
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
    };
    const { write, end } = response;
    response.write = ((...args: Parameters<typeof write>) => {
      keep(args[0]);
      return write.apply(response, args);
    }) as typeof write;
    response.end = ((...args: Parameters<typeof end>) => {
      keep(args[0]);
      const given: Given = {
        method: request.method ?? '',
        url: request.originalUrl ?? request.url ?? '',
        route: request.route?.path,
        status: response.statusCode,
        header: (name) => response.getHeader(name)?.toString(),
        body: Buffer.concat(chunks).toString('utf8'),
      };
      const fault = faultOf(given);
      if (fault) {
        const what = `${given.method} ${given.url.slice(0, 200)}: ${given.status} ${fault}`;
        reportFault(`${what}\n${given.body.slice(0, 300)}`);
      }
      return end.apply(response, args);
    }) as typeof end;
  }

  subscribe('http.server.request.start', watch);
  return () => unsubscribe('http.server.request.start', watch);
}
