import type { Config } from '../config.js';
import type { Database } from '../db/client.js';
import { captchaFailed, captchaFallback, captchaProviderNotAllowed, captchaRequired } from '../errors.js';
import type { CaptchaGround, CaptchaStep } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';
import type { Clock } from '../lib/clock.js';
import { deriveKey } from '../lib/hmac.js';
import { captchaVerdicts } from '../lib/metrics.js';
import type { ServedWebsite } from '../websites/websites.service.js';
import { decideOn, effectiveChain, type Ground, type Link, selectLink } from './chain.js';
import { issueFallbackToken, readFallbackToken } from './fallback-token.js';
import type { Incidents } from './incidents.js';
import { isProofUsed } from './proofs.js';
import { type Challenge, issueChallenge, type Proof, verifyProof } from './providers/altcha.js';
import type { Verdict } from './providers/provider.js';
import { type RemoteLink, verifyRemote } from './providers/verify-remote.js';
import { linkKey } from './step.js';
import type { VerdictCounts } from './verdict-counts.js';

/** What a submission says about its captcha, and what the providers may want to know of its sender. */
export type CaptchaRequest = Readonly<{
  website: ServedWebsite;
  /** Sent with an integration token: an empty chain then asks for nothing. */
  hasBearer: boolean;
  /** `X-Captcha-Token`. */
  token: string | undefined;
  /** `X-Captcha-Provider`: a link's key. */
  provider: string | undefined;
  /** `captcha_fallback` of the body. */
  fallbackToken: string | null;
  requestId: string;
  clientIp: string;
  userAgent: string | undefined;
}>;

/** How a submission was admitted, as it is recorded with it. */
export type Admission = Readonly<{
  captchaKey: string | null;
  ground: CaptchaGround;
  needsReview: boolean;
  /** To be marked as used together with the submission. */
  proof: Proof | null;
  /** To be called when the submission has gone through, or was refused because the proof is used. */
  afterwards?: (outcome: 'recorded' | 'used') => void;
}>;

/** The second phase of the captcha. */
export type PendingCaptcha = Readonly<{
  /** Asks the provider where there is one to ask. */
  decide: () => Promise<Admission>;
  /**
   * Instead of `decide`, when the submission goes no further.
   *
   * @throws 403 `captcha_failed` when its proof of work has been used before.
   */
  requireUnused: () => Promise<void>;
}>;

/** A link as a browser may see it. */
export type PublicLink = Link & Readonly<{ siteKey: string | null }>;

type StoredLink = Link & Readonly<{ stored: CaptchaStep }>;

/** Only a proof of work can stand in a chain without being stored. */
const isRemote = (link: Link | StoredLink): link is Link & { stored: RemoteLink } => link.type !== 'altcha';

/** Of a captcha that nothing is used up by. */
const undisputed = (decide: PendingCaptcha['decide']): PendingCaptcha => ({
  decide,
  requireUnused: async () => undefined,
});

const NOT_ASKED: Admission = { captchaKey: null, ground: 'none', needsReview: false, proof: null };

type Services = {
  db: Database;
  cipher: Cipher;
  incidents: Pick<Incidents, 'record'>;
  verdictCounts: Pick<VerdictCounts, 'add'>;
  clock: Clock;
  config: Pick<Config, 'appKey' | 'captchaDefault' | 'altchaMaxNumber' | 'verifyUrls'>;
};

export type Captcha = ReturnType<typeof createCaptcha>;

export function createCaptcha({ db, cipher, incidents, verdictCounts, clock, config }: Services) {
  const { captchaDefault, altchaMaxNumber: maxNumber, verifyUrls } = config;
  // The library takes its key as a text.
  const challengeKey = deriveKey(config.appKey, 'captcha: proof-of-work challenge').toString('base64');
  const fallbackKey = deriveKey(config.appKey, 'captcha: fallback token');

  function chainOf(website: ServedWebsite, hasBearer: boolean): readonly (Link | StoredLink)[] {
    const stored: StoredLink[] = website.captchaSteps.map((link) => ({
      key: linkKey(link),
      type: link.type,
      stored: link,
    }));
    return effectiveChain(stored, { hasBearer, captchaDefault });
  }

  function countProof(websiteId: string, key: string, verdict: 'accepted' | 'refused'): void {
    captchaVerdicts.inc({ type: 'altcha', verdict });
    verdictCounts.add({ websiteId, linkKey: key, verdict });
  }

  /**
   * A proof of work that is right. Whether it has been used is decided by the statement that records the
   * submission, and only looked up for one that is not recorded.
   */
  async function acceptProof(
    token: string,
    websiteId: string,
    { key }: Link,
    ground: Ground,
  ): Promise<PendingCaptcha> {
    const proof = await verifyProof(token, { key: challengeKey, websiteId, maxNumber, now: clock() });
    if (!proof) {
      countProof(websiteId, key, 'refused');
      throw captchaFailed();
    }
    return {
      decide: async () => ({
        captchaKey: key,
        ground,
        needsReview: false,
        proof,
        afterwards: (outcome) => countProof(websiteId, key, outcome === 'recorded' ? 'accepted' : 'refused'),
      }),
      async requireUnused() {
        const isUsed = await isProofUsed(db, proof);
        countProof(websiteId, key, isUsed ? 'refused' : 'accepted');
        if (isUsed) throw captchaFailed();
      },
    };
  }

  /** Counts a verdict, and records what an operator should hear of: a provider that fails, a secret that it does not accept. */
  function report(verdict: Verdict, request: CaptchaRequest, link: Link): void {
    const about = { websiteId: request.website.id, linkKey: link.key, requestId: request.requestId };
    captchaVerdicts.inc({ type: link.type, verdict: verdict.outcome });
    verdictCounts.add({ websiteId: request.website.id, linkKey: link.key, verdict: verdict.outcome });
    if (verdict.outcome === 'unavailable' || (verdict.outcome === 'refused' && verdict.blamesSecret)) {
      incidents.record({ ...about, reason: verdict.reason });
    }
  }

  async function askProvider(
    request: CaptchaRequest,
    token: string,
    chain: readonly Link[],
    link: Link & { stored: RemoteLink },
    ground: Ground,
  ): Promise<Admission> {
    const { website, requestId, clientIp, userAgent } = request;
    const { hostname } = new URL(`http://${website.host}`);
    const attempt = { token, clientIp, userAgent, hostname };
    const verdict = await verifyRemote({ cipher, verifyUrls }, link.stored, attempt);
    report(verdict, request, link);
    const decision = decideOn(chain, link, ground, verdict);
    switch (decision.outcome) {
      case 'accepted':
        return { captchaKey: link.key, ground, needsReview: false, proof: null };
      case 'failed':
        throw captchaFailed();
      case 'fallback':
        verdictCounts.add({ websiteId: website.id, linkKey: link.key, verdict: 'fallback' });
        throw captchaFallback(
          decision.next,
          issueFallbackToken(fallbackKey, website.id, decision.next, clock()),
        );
      case 'pass_through':
        return {
          ...{ captchaKey: link.key, ground: 'pass_through', needsReview: true, proof: null },
          afterwards: (outcome) => {
            if (outcome !== 'recorded') return;
            const passed = { websiteId: website.id, linkKey: link.key };
            verdictCounts.add({ ...passed, verdict: 'pass_through' });
            incidents.record({ ...passed, reason: 'pass_through', requestId });
          },
        };
    }
  }

  return {
    /**
     * The first phase, which asks nobody: whether a captcha is required, the link allowed, and a proof of work
     * right (interface 5.3).
     *
     * @returns the second phase. Deciding, once the fields are valid, throws `captcha_failed`, or
     * `captcha_fallback` with the next link (interface 5.4).
     * @throws 403 with the code of its case.
     */
    async check(request: CaptchaRequest): Promise<PendingCaptcha> {
      const { website, hasBearer, token = '', provider, fallbackToken } = request;
      const chain = chainOf(website, hasBearer);
      const fallback = readFallbackToken(fallbackKey, website.id, fallbackToken, clock());
      const selection = selectLink(chain, { token, designated: provider, fallback });
      switch (selection.outcome) {
        case 'not_asked':
          return undisputed(async () => NOT_ASKED);
        case 'required':
          throw captchaRequired();
        case 'failed':
          throw captchaFailed();
        case 'not_allowed':
          throw captchaProviderNotAllowed();
        case 'selected': {
          const { link, ground } = selection;
          if (isRemote(link)) return undisputed(() => askProvider(request, token, chain, link, ground));
          return acceptProof(token, website.id, link, ground);
        }
      }
    },

    /** The chain that a visitor of a website meets, as its pages may see it: no secret. */
    publicChain(website: ServedWebsite): readonly PublicLink[] {
      return chainOf(website, false).map((link) => ({
        key: link.key,
        type: link.type,
        siteKey: 'stored' in link ? link.stored.siteKey : null,
      }));
    },

    /** A fresh proof-of-work challenge; null when the website's chain has no proof of work. */
    async challenge(website: ServedWebsite): Promise<Challenge | null> {
      if (!chainOf(website, false).some(({ type }) => type === 'altcha')) return null;
      return issueChallenge({ key: challengeKey, websiteId: website.id, maxNumber, now: clock() });
    },
  };
}
