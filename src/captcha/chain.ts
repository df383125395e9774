import type { CaptchaGround, CaptchaType } from '../generated/prisma/enums.js';
import { isLongerThan } from '../lib/characters.js';
import type { Verdict } from './providers/provider.js';

/** Longer tokens are refused unread (interface 8), in characters. */
export const MAX_TOKEN_LENGTH = 4096;

/** A step as far as the rules of the chain look at it. */
export type Step = Readonly<{ key: string; type: CaptchaType }>;

/** On what ground a step may be presented (interface 5.3, rule 4). */
export type Ground = Extract<CaptchaGround, 'first' | 'designated' | 'altcha'>;

/** What protects a website whose chain is empty (interface 5.3, rule 3). */
const DEFAULT_STEP: Step = { key: 'altcha', type: 'altcha' };

/** What a caller sends about the captcha. */
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

export type Decision =
  | Readonly<{ outcome: 'accepted' | 'failed' | 'pass_through' }>
  | Readonly<{ outcome: 'fallback'; next: string }>;

/** The chain that a submission meets: the website's own, or the default when that is empty. */
export function effectiveChain<S extends Step>(
  stored: readonly S[],
  { hasBearer, captchaDefault }: { hasBearer: boolean; captchaDefault: 'altcha' | 'off' },
): readonly (S | Step)[] {
  if (stored.length > 0 || hasBearer || captchaDefault === 'off') return stored;
  return [DEFAULT_STEP];
}

/**
 * Which step a submission is verified against, and on what ground: the first of the chain, the one that
 * a fallback token designates, or any proof-of-work of the chain (interface 5.3, rules 4 to 7).
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
 * What follows from a step's verdict. Only who was entitled to the step benefits from its failure: by a
 * fallback to the next step, or on the last one by going through (interface 5.4).
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
