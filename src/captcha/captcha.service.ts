import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { captchaFailed, captchaFallback, captchaProviderNotAllowed, captchaRequired } from '../errors.js';
import type { CaptchaGround, CaptchaStep } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import type { Keyring } from '../lib/crypto/keyring.js';
import { captchaVerdicts } from '../lib/telemetry/metrics.js';
import { inSpan } from '../lib/telemetry/tracing.js';
import { hostnameOf } from '../websites/host.js';
import type { ServedWebsite } from '../websites/websites.service.js';
import { decideOn, effectiveChain, type Ground, type Step, selectStep } from './chain.js';
import { issueFallbackToken, readFallbackToken } from './fallback-token.js';
import type { Incidents } from './incidents/incidents.js';
import { isProofUsed } from './proofs.js';
import { type Challenge, issueChallenge, type Proof, verifyProof } from './providers/altcha.js';
import type { Verdict } from './providers/provider.js';
import { type RemoteSettings, verifyRemote } from './providers/verify-remote.js';
import { stepKey } from './step.js';
import type { VerdictCounts } from './verdict-counts.js';
import type { RefusedFor } from './verdict-counts.queries.js';

/** The captcha of a submission, and what the providers need to know about its sender. */
export type CaptchaRequest = Readonly<{
  website: ServedWebsite;
  /** Whether the request has an integration token: an empty chain then requires no captcha. */
  hasBearer: boolean;
  /** `X-Captcha-Token`. */
  token: string | undefined;
  /** `X-Captcha-Provider`: the key of a captcha step. */
  provider: string | undefined;
  /** `captcha_fallback` of the body. */
  fallbackToken: string | null;
  requestId: string;
  clientIp: string;
  userAgent: string | undefined;
}>;

/**
 * A captcha, judged as far as possible without a provider.
 *
 * `none`: no captcha is required. `proof`: a valid proof of work. `remote`: a token that the step's provider has yet
 * to judge.
 */
export type CheckedCaptcha =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'proof'; step: Step; ground: Ground; proof: Proof }>
  | Readonly<{ kind: 'remote'; step: RemoteStep; ground: Ground; chain: readonly Step[]; token: string }>;

/** How a submission was admitted, as recorded with it. */
export type Admission = Readonly<{
  captchaKey: string | null;
  ground: CaptchaGround;
  needsReview: boolean;
  /** The proof to mark as used together with the submission. */
  proof: Proof | null;
}>;

/** A captcha step as a browser may see it. */
type PublicStep = Step & Readonly<{ siteKey: string | null }>;

type StoredStep = Step & Readonly<{ stored: CaptchaStep }>;
type RemoteStep = Step & Readonly<{ stored: RemoteSettings }>;

/** Tells whether a provider judges a step. Such a step is stored: the default step is a proof of work. */
const isRemote = (step: Step | StoredStep): step is RemoteStep => step.type !== 'altcha';

const ADMITTED_WITHOUT: Admission = { captchaKey: null, ground: 'none', needsReview: false, proof: null };

type Services = {
  db: Db;
  cipher: Cipher;
  keyring: Pick<Keyring, 'derive'>;
  incidents: Pick<Incidents, 'record'>;
  verdictCounts: Pick<VerdictCounts, 'add' | 'refuse'>;
  clock: Clock;
  config: Pick<Config, 'captchaDefault' | 'altchaMaxNumber' | 'verifyUrls'>;
};

export type Captcha = ReturnType<typeof createCaptcha>;

/** Formats a key for the proof-of-work library, which takes text. */
const textOf = (key: Buffer): string => key.toString('base64');

/** Shows websites their captcha chains, issues proofs of work, and checks the captcha of each submission. */
export function createCaptcha({ db, cipher, keyring, incidents, verdictCounts, clock, config }: Services) {
  const { captchaDefault, altchaMaxNumber: maxNumber, verifyUrls } = config;
  const challengeKeys = keyring.derive('captcha: proof-of-work challenge');
  const fallbackKeys = keyring.derive('captcha: fallback token');

  function chainOf(website: ServedWebsite, hasBearer: boolean): readonly (Step | StoredStep)[] {
    const stored: StoredStep[] = website.captchaSteps.map((step) => ({
      key: stepKey(step),
      type: step.type,
      stored: step,
    }));
    return effectiveChain(stored, { hasBearer, captchaDefault });
  }

  /** Returns the key of the step that a fallback token of any accepted key designates; null when there is none. */
  function readFallback(websiteId: string, token: string | null, now: Date): string | null {
    for (const key of fallbackKeys.accepted) {
      const designated = readFallbackToken(key, websiteId, token, now);
      if (designated !== null) return designated;
    }
    return null;
  }

  /** Verifies the solution of a challenge that was issued with any accepted key; null when it is not valid. */
  async function readProof(websiteId: string, token: string, now: Date): Promise<Proof | null> {
    for (const key of challengeKeys.accepted) {
      const proof = await verifyProof(token, { key: textOf(key), websiteId, now });
      if (proof) return proof;
    }
    return null;
  }

  /** Counts the verdict on a proof of work: accepted, unless there is a fault. */
  function countProof(websiteId: string, key: string, fault?: 'proof_invalid' | 'proof_used'): void {
    captchaVerdicts.inc({ type: 'altcha', verdict: fault ? 'refused' : 'accepted' });
    if (fault) verdictCounts.add({ websiteId, stepKey: key, verdict: 'refused', reason: fault });
  }

  /** Counts a verdict, and records the incident of a provider that fails or refuses our secret. */
  function report(verdict: Verdict, { website, requestId }: CaptchaRequest, step: Step): void {
    captchaVerdicts.inc({ type: step.type, verdict: verdict.outcome });
    if (verdict.outcome === 'accepted') return;
    const reason = verdict.outcome === 'refused' ? verdict.reason : undefined;
    verdictCounts.add({ websiteId: website.id, stepKey: step.key, verdict: verdict.outcome, reason });
    if (verdict.outcome === 'unavailable' || (verdict.outcome === 'refused' && verdict.blamesSecret)) {
      incidents.record({ websiteId: website.id, stepKey: step.key, requestId, reason: verdict.reason });
    }
  }

  return {
    /**
     * Judges a captcha as far as possible without a provider (guide: What wins over what).
     *
     * It checks whether a captcha is required, whether its step is allowed, and whether a proof of work is valid. The
     * statement that records the submission decides whether the proof has been used before.
     *
     * @throws 403 with the code of its case.
     */
    async check(request: CaptchaRequest): Promise<CheckedCaptcha> {
      const { website, hasBearer, token = '', provider, fallbackToken } = request;
      const chain = chainOf(website, hasBearer);
      const now = clock();
      const fallback = readFallback(website.id, fallbackToken, now);
      const selection = selectStep(chain, { token, designated: provider, fallback });
      const countRefusal = (reason: RefusedFor) =>
        verdictCounts.refuse({ websiteId: website.id, stepKey: chain[0]!.key }, reason);
      switch (selection.outcome) {
        case 'not_asked':
          return { kind: 'none' };
        case 'required':
          countRefusal('no_token');
          throw captchaRequired();
        case 'failed':
          countRefusal('token_too_long');
          throw captchaFailed();
        case 'not_allowed':
          countRefusal('step_not_allowed');
          throw captchaProviderNotAllowed();
        case 'selected': {
          const { step, ground } = selection;
          if (isRemote(step)) return { kind: 'remote', step, ground, chain, token };
          const proof = await readProof(website.id, token, now);
          if (proof) return { kind: 'proof', step, ground, proof };
          countProof(website.id, step.key, 'proof_invalid');
          throw captchaFailed();
        }
      }
    },

    /**
     * Refuses a used proof of work of a submission whose fields are invalid, and counts the verdict.
     *
     * A valid submission needs no such read: the statement that records it decides.
     *
     * @throws 403 `captcha_failed` when the proof has admitted another submission.
     */
    async refuseUsedProof(checked: CheckedCaptcha, websiteId: string): Promise<void> {
      if (checked.kind !== 'proof') return;
      const isUsed = await isProofUsed(db, checked.proof);
      countProof(websiteId, checked.step.key, isUsed ? 'proof_used' : undefined);
      if (isUsed) throw captchaFailed();
    },

    /**
     * Decides whether a checked captcha admits its submission, with the provider where there is one.
     *
     * @throws 403 `captcha_failed`, or `captcha_fallback` with the next step.
     */
    async admit(checked: CheckedCaptcha, request: CaptchaRequest): Promise<Admission> {
      if (checked.kind === 'none') return ADMITTED_WITHOUT;
      const { step, ground } = checked;
      const accepted = { captchaKey: step.key, ground, needsReview: false, proof: null };
      if (checked.kind === 'proof') return { ...accepted, proof: checked.proof };

      const { website, clientIp, userAgent } = request;
      const hostname = hostnameOf(website.host);
      const attempt = { token: checked.token, clientIp, userAgent, hostname };
      const verdict = await inSpan('verify captcha', { kind: 'CLIENT' }, async (annotate) => {
        const said = await verifyRemote({ cipher, verifyUrls }, checked.step.stored, attempt);
        annotate({ 'formgate.captcha.step': step.key, 'formgate.captcha.verdict': said.outcome });
        if (said.outcome === 'unavailable') annotate({ 'error.type': said.reason });
        return said;
      });
      report(verdict, request, step);
      const decision = decideOn(checked.chain, step, ground, verdict);
      switch (decision.outcome) {
        case 'accepted':
          return accepted;
        case 'failed':
          throw captchaFailed();
        case 'fallback': {
          verdictCounts.add({ websiteId: website.id, stepKey: step.key, verdict: 'fallback' });
          const token = issueFallbackToken(fallbackKeys.issuing(), website.id, decision.next, clock());
          throw captchaFallback(decision.next, token);
        }
        case 'pass_through':
          return { ...accepted, ground: 'pass_through', needsReview: true };
      }
    },

    /** Counts the proof of work of an admitted submission, and records the incident of a pass-through. */
    countOutcome(
      { captchaKey, ground, proof }: Admission,
      outcome: 'recorded' | 'proof_used',
      { website, requestId }: Pick<CaptchaRequest, 'website' | 'requestId'>,
    ): void {
      if (captchaKey === null) return;
      if (proof) countProof(website.id, captchaKey, outcome === 'recorded' ? undefined : outcome);
      if (ground !== 'pass_through' || outcome !== 'recorded') return;
      incidents.record({ websiteId: website.id, stepKey: captchaKey, reason: 'pass_through', requestId });
    },

    /** Lists the chain that applies to a website's visitors, as its pages may see it: without secrets. */
    publicChain(website: ServedWebsite): readonly PublicStep[] {
      return chainOf(website, false).map((step) => ({
        key: step.key,
        type: step.type,
        siteKey: 'stored' in step ? step.stored.siteKey : null,
      }));
    },

    /** Issues a proof-of-work challenge; null when the website's chain has no proof of work. */
    async challenge(website: ServedWebsite): Promise<Challenge | null> {
      if (!chainOf(website, false).some(({ type }) => type === 'altcha')) return null;
      const key = textOf(challengeKeys.issuing());
      return issueChallenge({ key, websiteId: website.id, maxNumber, now: clock() });
    },
  };
}
