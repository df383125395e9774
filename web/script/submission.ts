/*
 * Sends one submission: signature, captcha, and the two cases for a retry (guide: What to retry). This module uses no
 * document, so that tests need no browser.
 */

import { type Answer, type CaptchaStep, type Gateway, NO_ANSWER } from './gateway.js';

/** Reason of a failed submission, as far as the cases differ for a visitor. */
export type Reason =
  | 'invalid'
  | 'refused'
  | 'captcha'
  | 'captcha_unavailable'
  | 'too_large'
  | 'too_many'
  | 'unreachable'
  | 'unavailable';

/** Outcome of a submission. */
export type Outcome =
  | Readonly<{ ok: true; reason?: never; message: string; leadId: string }>
  | Readonly<{
      ok: false;
      reason: Reason;
      /** HTTP status; 0 means no answer. */
      status: number;
      /** The gateway's own code, as in `captcha_failed`. */
      code: string | null;
      /** Seconds to wait before a retry. */
      waitS: number | null;
      /** Field name to messages; the key `*` is for the whole form. */
      errors: Readonly<Record<string, readonly string[]>>;
    }>;

type Failure = Extract<Outcome, { ok: false }>;

/** Outcome of solving a captcha step: its token, or the reason why there is none. */
export type Solution =
  | Readonly<{ outcome: 'solved'; token: string }>
  /** The provider's script cannot load, or cannot work on a page without https. */
  | Readonly<{ outcome: 'unloadable' | 'insecure' }>
  | Readonly<{ outcome: 'failed'; answer?: Answer }>;

/** State of a submission between two attempts. */
export type Attempt = Readonly<{
  /** Key of the captcha step to solve; null when no captcha is required. */
  step: string | null;
  fallbackToken: string | null;
  hasNewSignature: boolean;
  /** Captcha steps that a fallback has led to. */
  replayed: readonly string[];
}>;

/** Creates a submission's first attempt, at the first captcha step of the chain. */
export const firstAttempt = (chain: readonly CaptchaStep[]): Attempt => ({
  step: chain[0]?.key ?? null,
  fallbackToken: null,
  hasNewSignature: false,
  replayed: [],
});

/**
 * Chooses the retry after an answer; null when the answer is final. Only two answers are retried: a signature that is
 * no longer valid, once, and a fallback, once for each captcha step.
 */
export function nextAttempt(attempt: Attempt, { status, body }: Answer): Attempt | null {
  if (status !== 403) return null;
  const { error, next, fallback_token: token } = body as Readonly<Record<string, string | null>>;
  if (error === 'invalid_signature') {
    return attempt.hasNewSignature ? null : { ...attempt, hasNewSignature: true };
  }
  if (error !== 'captcha_fallback' || !next || !token || attempt.replayed.includes(next)) return null;
  return { ...attempt, step: next, fallbackToken: token, replayed: [...attempt.replayed, next] };
}

/**
 * Chooses the captcha step after one that cannot be solved on this page: after a provider that cannot load, only the
 * next proof of work; after a proof of work without https, the next of another kind (guide: What to retry).
 */
export function stepAfter(
  chain: readonly CaptchaStep[],
  key: string,
  why: 'unloadable' | 'insecure',
): string | null {
  const rest = chain.slice(chain.findIndex((step) => step.key === key) + 1);
  const next = rest.find(({ type }) => (type === 'altcha') === (why === 'unloadable'));
  return next?.key ?? null;
}

const REASONS: Readonly<Record<number, Reason>> = {
  0: 'unreachable',
  408: 'unreachable',
  413: 'too_large',
  422: 'invalid',
  429: 'too_many',
};

/** Tells how an answer that is no success concerns a visitor. */
export function reasonOf({ status, body }: Answer): Reason {
  if (status >= 500) return 'unavailable';
  // A retry would fail again: the gateway answers so to a captcha step out of order.
  if (body.error === 'captcha_provider_not_allowed') return 'captcha_unavailable';
  if (String(body.error).startsWith('captcha_')) return 'captcha';
  return REASONS[status] ?? 'refused';
}

function readErrors(errors: unknown): Failure['errors'] {
  const entries = Object.entries(Object(errors));
  return Object.fromEntries(entries.map(([name, messages]) => [name, [messages].flat().map(String)]));
}

/** Converts an answer to a failure for the sender. */
export const failure = (answer: Answer, reason: Reason = reasonOf(answer)): Failure => ({
  ok: false,
  reason,
  status: answer.status,
  code: typeof answer.body.error === 'string' ? answer.body.error : null,
  waitS: answer.waitS,
  errors: readErrors(answer.body.errors),
});

type Captcha = Readonly<{ chain: readonly CaptchaStep[]; script?: string | null | undefined }>;

/** Reads a website's captcha chain; null when the answer has none. */
export function readCaptcha({ status, body }: Answer): Captcha | null {
  if (status !== 200 || !Array.isArray(body.chain)) return null;
  return {
    chain: body.chain as CaptchaStep[],
    script: body.altcha_script as Captcha['script'],
  };
}

/**
 * Solves a captcha step afresh.
 *
 * @param script URL of the proof-of-work widget, if the gateway has one.
 * @param workers Number of workers that search for a proof; by default one for each core.
 */
export type Solve = (step: CaptchaStep, script: Captcha['script'], workers?: number) => Promise<Solution>;

/**
 * What a submission needs besides its values. `solution` is that of the first captcha step; undefined, or not solved:
 * the step is solved when it is sent.
 */
export type Prepared = Readonly<{
  signature: Promise<Answer>;
  captcha: Promise<Answer>;
  solution?: Promise<Solution | undefined>;
}>;

export type Submission = Readonly<{
  gateway: Pick<Gateway, 'signature' | 'submit'>;
  /** Where the form is submitted to. */
  path: string;
  /** Fields and context, except the fallback token. */
  body: Readonly<Record<string, unknown>>;
  /** Key shared by every attempt, and by a later submission of the same body. */
  idempotencyKey: string;
  prepared: Prepared;
  solve: Solve;
}>;

/** Sends a submission, each attempt with a fresh captcha token. */
export async function send(submission: Submission): Promise<Outcome> {
  const { gateway, path, body, idempotencyKey, prepared, solve } = submission;
  let { signature, solution: ahead } = prepared;
  const asked = await prepared.captcha;
  const captcha = readCaptcha(asked);
  if (!captcha) return failure(asked);
  const { chain, script } = captcha;

  /** Solves the attempt's captcha step, or one that may replace it on this page. */
  async function solved(attempt: Attempt): Promise<{ attempt: Attempt; token: string | null } | Failure> {
    let { step: key, fallbackToken } = attempt;
    if (key === null) return { attempt, token: null };
    for (;;) {
      const step = chain.find((candidate) => candidate.key === key);
      if (!step) return failure(NO_ANSWER, 'captcha_unavailable');
      const early = await ahead;
      ahead = undefined;
      const solution = early?.outcome === 'solved' ? early : await solve(step, script);
      if (solution.outcome === 'solved') {
        return { attempt: { ...attempt, step: step.key, fallbackToken }, token: solution.token };
      }
      if (solution.outcome === 'failed') {
        return solution.answer ? failure(solution.answer) : failure(NO_ANSWER, 'captcha');
      }
      key = stepAfter(chain, step.key, solution.outcome);
      // Drop the fallback token, because it designates the captcha step that was left.
      fallbackToken = null;
    }
  }

  let attempt = firstAttempt(chain);
  for (;;) {
    const solution = await solved(attempt);
    if ('ok' in solution) return solution;
    const signed = await signature;
    if (signed.status !== 200) return failure(signed);
    const { step, fallbackToken } = solution.attempt;
    const answer = await gateway.submit(
      path,
      fallbackToken === null ? body : { ...body, captcha_fallback: fallbackToken },
      {
        'Idempotency-Key': idempotencyKey,
        'X-Website-Signature': String(signed.body.signature),
        'X-Website-Timestamp': String(signed.body.timestamp),
        ...(solution.token !== null && { 'X-Captcha-Provider': step!, 'X-Captcha-Token': solution.token }),
      },
    );
    if (answer.status === 200) {
      return { ok: true, message: String(answer.body.message ?? ''), leadId: String(answer.body.lead_id) };
    }
    const next = nextAttempt(solution.attempt, answer);
    if (!next) return failure(answer);
    if (next.hasNewSignature && !attempt.hasNewSignature) signature = gateway.signature();
    attempt = next;
  }
}
