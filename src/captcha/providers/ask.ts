import { isObject } from '../../lib/is-object.js';
import { refused, unavailable, type Verdict } from './provider.js';

/** Timeout of a provider's whole answer, including its body. */
export const TIMEOUT_MS = 3_000;

/** Maximum size of a provider's answer in bytes, far above that of any real one. */
const MAX_ANSWER_BYTES = 65_536;

/** Codes of errors of a body that is not in its Content-Encoding, of zlib and of Brotli. */
const UNDECODABLE = /^(?:Z_|ERR__ERROR_FORMAT)/;

/** Tells whether a body arrived that cannot be decompressed. */
const isUndecodable = ({ cause }: Error): boolean =>
  UNDECODABLE.test((cause as NodeJS.ErrnoException | undefined)?.code ?? '');

type Question = Readonly<{ url: string; contentType: string; body: string; signal: AbortSignal }>;

/** An answer with status 2xx or 4xx, which the provider's own rules have to judge. */
export type Answer = Readonly<{
  outcome: 'answered';
  ok: boolean;
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** The body as it came. */
  text: string;
}>;

async function readText(response: Response): Promise<string | 'too_large'> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) return 'too_large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Calls a provider once, and judges the cases that are the same for all of them. It never rejects.
 *
 * A timeout, a network error and a status of 500 or more are a failure. A redirect is a refusal, and so is a success
 * whose body is no JSON object of a sensible size, or cannot be decompressed.
 */
export async function ask({ url, contentType, body, signal }: Question): Promise<Answer | Verdict> {
  let status = 0;
  try {
    const response = await fetch(url, {
      method: 'POST',
      // One connection per call: a reused one that the provider has just closed would look like a failure.
      headers: { 'Content-Type': contentType, Accept: 'application/json', Connection: 'close' },
      body,
      redirect: 'manual',
      signal,
    });
    status = response.status;
    if (status >= 300 && (status < 400 || status >= 500)) {
      void response.body?.cancel().catch(() => undefined);
      return status < 400 ? refused('redirected') : unavailable('server_error');
    }
    const text = await readText(response);
    if (text === 'too_large') return refused('too_large');
    const parsed = parseObject(text);
    if (!parsed && response.ok) return refused('not_json');
    return { outcome: 'answered', ok: response.ok, status, body: parsed ?? {}, text };
  } catch (error) {
    // A 4xx is a refusal even if its body cannot be read.
    if (status >= 400) return refused('client_error');
    if (isUndecodable(error as Error)) return refused('not_json');
    return unavailable(signal.aborted ? 'timeout' : 'network_error');
  }
}
