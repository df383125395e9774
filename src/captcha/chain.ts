import type { CaptchaGround, CaptchaType } from '../generated/prisma/enums.js';
import { isLongerThan } from '../lib/characters.js';
import type { Verdict } from './providers/provider.js';

/** Longer tokens are refused unread (interface 8), in characters. */
export const MAX_TOKEN_LENGTH = 4096;

/** A link as far as the rules of the chain look at it. */
export type Link = Readonly<{ key: string; type: CaptchaType }>;

/** On what ground a link may be presented (interface 5.3, rule 4). */
export type Ground = Extract<CaptchaGround, 'first' | 'designated' | 'altcha'>;

/** What protects a website whose chain is empty (interface 5.3, rule 3). */
const DEFAULT_LINK: Link = { key: 'altcha', type: 'altcha' };

/** What a caller sends about the captcha. */
export type Presented = Readonly<{
  token: string | undefined;
  /** The key in `X-Captcha-Provider`; without one the first link is meant. */
  designated: string | undefined;
  /** The link that a valid fallback token names. */
  fallback: string | null;
}>;

export type Selection<L extends Link> =
  | Readonly<{ outcome: 'not_asked' | 'required' | 'failed' | 'not_allowed' }>
  | Readonly<{ outcome: 'selected'; link: L; ground: Ground }>;

export type Decision =
  | Readonly<{ outcome: 'accepted' | 'failed' | 'pass_through' }>
  | Readonly<{ outcome: 'fallback'; next: string }>;

/** The chain that a submission meets: the website's own, or the default when that is empty. */
export function effectiveChain<L extends Link>(
  stored: readonly L[],
  { hasBearer, captchaDefault }: { hasBearer: boolean; captchaDefault: 'altcha' | 'off' },
): readonly (L | Link)[] {
  if (stored.length > 0 || hasBearer || captchaDefault === 'off') return stored;
  return [DEFAULT_LINK];
}

/**
 * Which link a submission is verified against, and on what ground: the first of the chain, the one that
 * a fallback token designates, or any proof-of-work of the chain (interface 5.3, rules 4 to 7).
 */
export function selectLink<L extends Link>(
  chain: readonly L[],
  { token, designated, fallback }: Presented,
): Selection<L> {
  const [first] = chain;
  if (!first) return { outcome: 'not_asked' };
  if (!token) return { outcome: 'required' };
  if (isLongerThan(token, MAX_TOKEN_LENGTH)) return { outcome: 'failed' };
  const link = designated ? chain.find(({ key }) => key === designated) : first;
  if (!link) return { outcome: 'not_allowed' };
  if (link === first) return { outcome: 'selected', link, ground: 'first' };
  if (link.key === fallback) return { outcome: 'selected', link, ground: 'designated' };
  if (link.type === 'altcha') return { outcome: 'selected', link, ground: 'altcha' };
  return { outcome: 'not_allowed' };
}

/**
 * What follows from a link's verdict. Only who was entitled to the link benefits from its failure: by a
 * fallback to the next link, or on the last one by going through (interface 5.4).
 */
export function decideOn(chain: readonly Link[], link: Link, ground: Ground, verdict: Verdict): Decision {
  switch (verdict.outcome) {
    case 'accepted':
      return { outcome: 'accepted' };
    case 'refused':
      return { outcome: 'failed' };
    case 'unavailable': {
      if (ground === 'altcha') return { outcome: 'failed' };
      const next = chain[chain.findIndex(({ key }) => key === link.key) + 1];
      return next ? { outcome: 'fallback', next: next.key } : { outcome: 'pass_through' };
    }
  }
}
