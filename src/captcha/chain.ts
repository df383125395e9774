import type { CaptchaGround, CaptchaType } from '../generated/prisma/enums.js';
import { isLongerThan } from '../lib/text/characters.js';
import type { Verdict } from './providers/provider.js';

/** Maximum length of a token in characters; longer ones are refused without a check. */
export const MAX_TOKEN_LENGTH = 4096;

/** A captcha step, reduced to what the rules of the chain use. */
export type Step = Readonly<{ key: string; type: CaptchaType }>;

/** The ground on which a step may be presented. */
export type Ground = Extract<CaptchaGround, 'first' | 'designated' | 'altcha'>;

/** The step that protects a website whose chain is empty. */
const DEFAULT_STEP: Step = { key: 'altcha', type: 'altcha' };

/** The captcha step that a request presents. */
export type Presented = Readonly<{
  token: string | undefined;
  /** The key in `X-Captcha-Provider`; without one the first step is meant. */
  designated: string | undefined;
  /** The step that a valid fallback token names. */
  fallback: string | null;
}>;

export type Selection<S extends Step> =
  | Readonly<{ outcome: 'not_asked' | 'required' | 'failed' | 'not_allowed' }>
  | Readonly<{ outcome: 'selected'; step: S; ground: Ground }>;

type Decision =
  | Readonly<{ outcome: 'accepted' | 'failed' | 'pass_through' }>
  | Readonly<{ outcome: 'fallback'; next: string }>;

/** Returns the chain that applies to a submission: the website's own, or the default when that is empty. */
export function effectiveChain<S extends Step>(
  stored: readonly S[],
  { hasBearer, captchaDefault }: { hasBearer: boolean; captchaDefault: 'altcha' | 'off' },
): readonly (S | Step)[] {
  if (stored.length > 0 || hasBearer || captchaDefault === 'off') return stored;
  return [DEFAULT_STEP];
}

/**
 * Selects the step that a submission is verified against, and the ground.
 *
 * It is the first of the chain, the one that a fallback token designates, or any proof of work of the chain.
 */
export function selectStep<S extends Step>(
  chain: readonly S[],
  { token, designated, fallback }: Presented,
): Selection<S> {
  const [first] = chain;
  if (!first) return { outcome: 'not_asked' };
  if (!token) return { outcome: 'required' };
  if (isLongerThan(token, MAX_TOKEN_LENGTH)) return { outcome: 'failed' };
  const step = designated ? chain.find(({ key }) => key === designated) : first;
  if (!step) return { outcome: 'not_allowed' };
  if (step === first) return { outcome: 'selected', step, ground: 'first' };
  if (step.key === fallback) return { outcome: 'selected', step, ground: 'designated' };
  if (step.type === 'altcha') return { outcome: 'selected', step, ground: 'altcha' };
  return { outcome: 'not_allowed' };
}

/**
 * Decides the consequence of a step's verdict (guide: What to retry).
 *
 * A failure of the step benefits only a request that was entitled to it: the request falls back to the next step, or
 * passes through after the last one.
 */
export function decideOn(chain: readonly Step[], step: Step, ground: Ground, verdict: Verdict): Decision {
  switch (verdict.outcome) {
    case 'accepted':
      return { outcome: 'accepted' };
    case 'refused':
      return { outcome: 'failed' };
    case 'unavailable': {
      if (ground === 'altcha') return { outcome: 'failed' };
      const next = chain[chain.findIndex(({ key }) => key === step.key) + 1];
      return next ? { outcome: 'fallback', next: next.key } : { outcome: 'pass_through' };
    }
  }
}
