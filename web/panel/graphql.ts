import type { initGraphQLTada, ResultOf, TadaDocumentNode, VariablesOf } from 'gql.tada';
import { GATEWAY } from './address.js';
import { afterPaint } from './after-paint.js';
import type { introspection } from './graphql-env.js';

type Schema = {
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTimeISO: string; JSON: unknown; JSONObject: Record<string, unknown> };
};

type Document = TadaDocumentNode<unknown, never, unknown>;

/**
 * Types an operation or a fragment against the schema. What remains of it in the browser is the texts of its
 * definitions, each once.
 */
export const graphql = ((source: string, fragments: readonly string[][] = []): string[] => [
  ...new Set([source, ...fragments.flat()]),
]) as unknown as ReturnType<typeof initGraphQLTada<Schema>>;

export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada';

/** A refusal or failure of the gateway, or of the way to it. */
export class GatewayError extends Error {
  constructor(
    message: string,
    /** `extensions.code` of the answer, or `UNREACHABLE`. */
    readonly code: string,
    /** Under which the gateway's log has it; null when no answer came. */
    readonly requestId: string | null,
    /** Messages by the path of the argument at fault. */
    readonly fields: Readonly<Record<string, readonly string[]>> = {},
    readonly retryAfterS: number | null = null,
  ) {
    super(message);
  }

  /** Whether it passes by itself: the gateway or its database is away. */
  get isPassing(): boolean {
    return this.code === 'SERVICE_UNAVAILABLE' || this.code === 'UNREACHABLE';
  }
}

/** Tells whether the gateway has refused a change because another one came first. */
export const isConflict = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'CONFLICT';

/** Tells whether the gateway has refused the token of a link: it was used, has expired, or never was one. */
export const isLinkOver = (error: unknown): boolean =>
  error instanceof GatewayError && Boolean(error.fields.token);

/** Longest time for a whole answer; a connection that has not brought it by then is taken for broken. */
const TIMEOUT_MS = 30_000;

type Answer = {
  data?: unknown;
  errors?: {
    message: string;
    extensions?: {
      code?: string;
      errors?: Record<string, string[]>;
      retryAfterS?: number;
    };
  }[];
};

/** The variables of an operation, and what cancels it. */
type Arguments<D extends Document> = [variables?: VariablesOf<D>, signal?: AbortSignal];

/** Mutations in flight, by what was sent. */
const inFlight = new Map<string, Promise<unknown>>();

/**
 * Sends an operation as it is. A mutation that is sent again while it is in flight is not: both have the same answer,
 * since a double click or a second Enter comes before the page can show that the first one was taken.
 *
 * @throws GatewayError for any error of the answer, and when none comes.
 */
export async function send<D extends Document>(
  document: D,
  ...[variables, signal]: Arguments<D>
): Promise<ResultOf<D>> {
  const query = (document as unknown as string[]).join('\n');
  const body = JSON.stringify({ query, variables });
  if (!query.trimStart().startsWith('mutation')) return (await post(body, signal)) as ResultOf<D>;
  const answer = inFlight.get(body) ?? post(body, signal).finally(() => inFlight.delete(body));
  inFlight.set(body, answer);
  return (await answer) as ResultOf<D>;
}

/** The code of the answers 413, which refuse a request for its size. */
export const TOO_LARGE = 'OPERATION_TOO_COSTLY';

/** Returns the code of a failure without one. A proxy in front of the gateway answers 502 or 504 while that is away. */
export function failureOf(status: number): string {
  if (status === 413) return TOO_LARGE;
  return status >= 502 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR';
}

/** Posts an operation. @returns the data of the answer. */
async function post(body: string, signal: AbortSignal | undefined): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`${GATEWAY}graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new GatewayError('No answer came.', 'UNREACHABLE', null);
  }
  const requestId = response.headers.get('X-Request-Id');
  // A proxy in front of the gateway may answer with a page of its own.
  const answer: Answer | null = await response.json().catch(() => null);
  const [error] = answer?.errors ?? [];
  if (error) {
    const { code = 'INTERNAL_SERVER_ERROR', errors, retryAfterS } = error.extensions ?? {};
    // During an upgrade a gateway of the version before may answer, which does not know what this page asks for.
    const isOutdated = code === 'GRAPHQL_VALIDATION_FAILED';
    const answered = isOutdated ? 'SERVICE_UNAVAILABLE' : code;
    throw new GatewayError(error.message, answered, requestId, errors, retryAfterS);
  }
  // The connection broke off within the answer. A page of a proxy's own would come again.
  const isCutOff = response.ok && answer === null && response.headers.get('Content-Type')?.includes('json');
  if (isCutOff) throw new GatewayError('No answer came.', 'UNREACHABLE', requestId);
  if (!response.ok || !answer?.data) {
    throw new GatewayError(`HTTP ${response.status}`, failureOf(response.status), requestId);
  }
  return answer.data;
}

type PasswordPrompt = Readonly<{
  /**
   * Asks for the viewer's password; the promise resolves once the viewer is logged in again.
   *
   * @param other the account that another tab has logged in instead.
   */
  ask(other?: string): Promise<void>;
  /** Closes the prompt, since another tab has logged the viewer in again. */
  resume(): void;
}>;

let prompt: PasswordPrompt | null = null;

/** Sets what asks for the password when a session has ended. */
export function setPasswordPrompt(given: PasswordPrompt | null): void {
  prompt = given;
}

/** Returns what asks for the password when a session has ended; null on pages without a login. */
export const passwordPrompt = (): PasswordPrompt | null => prompt;

/**
 * Runs what the gateway may refuse for want of a login. When the session has ended it waits until the viewer has
 * logged in again, then runs it anew: what is refused for that reason has done nothing.
 */
export async function withLogin<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const hasEnded = error instanceof GatewayError && error.code === 'UNAUTHENTICATED';
    if (!hasEnded || !prompt) throw error;
    await prompt.ask();
    return await run();
  }
}

/**
 * Sends an operation, again after a login when the session has ended.
 *
 * @throws GatewayError for any error of the answer, and when none comes.
 */
export const request = <D extends Document>(document: D, ...given: Arguments<D>): Promise<ResultOf<D>> =>
  withLogin(() => send(document, ...given));

/**
 * Sends a query for what the page can be shown without, such as a count, after the page has been painted. To send one
 * takes the browser a few milliseconds, which all that it shows would wait for.
 *
 * @throws GatewayError for any error of the answer, and when none comes.
 */
export async function requestAfterPaint<D extends Document>(
  document: D,
  ...given: Arguments<D>
): Promise<ResultOf<D>> {
  await new Promise<void>(afterPaint);
  return request(document, ...given);
}
