import { z } from 'zod';
import { withDeadline } from '../lib/deadline.js';
import { ProbeFailure, type ProbeFinding } from './probe-step.js';

/** Bound of each call; a visitor's script waits for 20 seconds, and its visitor for less. */
const TIMEOUT_MS = 6_000;

const errorBody = z.object({ error: z.string(), message: z.string() }).partial().catch({});
const faultsBody = z.object({ errors: z.record(z.string(), z.array(z.string())) });

/** Refusals by the code in their body. */
const CODES: Readonly<Record<string, ProbeFinding>> = {
  origin_not_allowed: 'origin_refused',
  invalid_signature: 'signature_refused',
  captcha_required: 'captcha_refused',
  captcha_failed: 'captcha_refused',
  captcha_provider_not_allowed: 'captcha_refused',
  captcha_fallback: 'captcha_refused',
};

const STATUSES: Readonly<Record<number, ProbeFinding>> = {
  401: 'not_recognized',
  404: 'website_unknown',
  422: 'fields_refused',
  429: 'limit_reached',
};

type Call = Readonly<{
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; without it the call is a GET. */
  body?: object;
}>;

export type GatewayClient = ReturnType<typeof createGatewayClient>;

type Options = Readonly<{
  publicUrl: string;
  websiteId: string;
  /** The origin of the page that a visitor's browser would send. */
  origin: string;
  userAgent: string;
  signal: AbortSignal;
}>;

function failureOf(status: number, body: unknown): ProbeFailure {
  const { error, message } = errorBody.parse(body);
  const detail = `HTTP ${status}${error || message ? `, ${error ?? message}` : ''}`;
  if (status === 403 && message === 'This website is disabled.')
    return new ProbeFailure('website_disabled', detail);
  const faults = faultsBody.safeParse(body);
  if (status === 422 && faults.success) {
    const named = Object.entries(faults.data.errors).map(
      ([field, messages]) => `${field}: ${messages.join(' ')}`,
    );
    return new ProbeFailure('fields_refused', named.join('; '));
  }
  const known = (error ? CODES[error] : undefined) ?? STATUSES[status];
  return new ProbeFailure(known ?? (status >= 500 ? 'gateway_unavailable' : 'unexpected_answer'), detail);
}

/** Creates a client of the public endpoints of a website, as the script in a visitor's page is one. */
export function createGatewayClient({ publicUrl, websiteId, origin, userAgent, signal }: Options) {
  const call = async <Schema extends z.ZodType>(
    schema: Schema,
    { path, headers, body }: Call,
    bounded: AbortSignal,
  ): Promise<z.output<Schema>> => {
    const response = await fetch(`${publicUrl}/api/websites/${websiteId}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        Origin: origin,
        'User-Agent': userAgent,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: bounded,
    }).catch((error: Error) => {
      const cause = error.cause as NodeJS.ErrnoException | undefined;
      throw new ProbeFailure('gateway_unreachable', `${publicUrl}: ${cause?.code ?? error.message}`);
    });
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw failureOf(response.status, answer);
    const read = schema.safeParse(answer);
    if (!read.success) throw new ProbeFailure('unexpected_answer', `HTTP ${response.status}`);
    return read.data;
  };

  /** @throws ProbeFailure unless the answer is a 2xx that the schema accepts. */
  return <Schema extends z.ZodType>(schema: Schema, request: Call): Promise<z.output<Schema>> =>
    withDeadline(TIMEOUT_MS, signal, (bounded) => call(schema, request, bounded));
}
