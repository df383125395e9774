import type { Captcha, CaptchaRequest, CheckedCaptcha } from '../../captcha/captcha.service.js';
import type { Db } from '../../db/client.js';
import {
  ApiError,
  captchaFailed,
  foreignWebsite,
  formNotFound,
  invalid,
  invalidSignature,
  unauthenticated,
  websiteDisabled,
  websiteNotFound,
} from '../../errors.js';
import type { FormVersions } from '../../forms/history/form-versions.service.js';
import type { Forms, PlacedForm } from '../../forms/serving/forms.service.js';
import { type ReadContext, readContext } from '../../forms/validation/context-fields.js';
import { validationSummary } from '../../forms/validation/entry-messages.js';
import type { SubmittedValues } from '../../forms/validation/field-values.js';
import type { JsonObject } from '../../http/json-body.js';
import type { Hit } from '../../http/limits/limits.js';
import type { Limiter, LimitResult } from '../../http/limits/rate-limit.js';
import type { Clock } from '../../lib/clock.js';
import { submissionsRecorded } from '../../lib/telemetry/metrics.js';
import { activeTraceParent, inSpan } from '../../lib/telemetry/tracing.js';
import type { Notifications } from '../../notifications/notifications.service.js';
import { type Bearer, requireAccess } from '../../tokens/access.js';
import { requireOwnOrigin } from '../../websites/origin.js';
import type { Signatures } from '../../websites/signatures/signatures.service.js';
import { isServed, type ServedWebsite } from '../../websites/websites.service.js';
import { type Accepted, recordOf, type Sender, type SenderKind } from './accepted.js';
import { createIdempotency, readIdempotency, type SubmissionResult } from './idempotency.js';
import type { ProbeTokens } from './probe-token.js';
import { createRecorder, type TakeUnit } from './record.js';
import type { RecordOutcome, SubmissionRecord } from './record.queries.js';
import { readSeenForm } from './seen-form.js';
import { localeOf, validate } from './validate.js';

/** A request to submit: its values, and the functions that only its transport can provide. */
export type SubmitRequest = Readonly<{
  slug: string;
  /** The version of the form that the page showed, as Express parses the parameter; undefined: it did not tell. */
  formVersion: unknown;
  requestId: string;
  clientIp: string;
  /** The key of the limits per address. */
  clientKey: string;
  userAgent: string | undefined;
  origin: string | undefined;
  signature: string | undefined;
  timestamp: string | undefined;
  captchaProvider: string | undefined;
  captchaToken: string | undefined;
  idempotencyKey: string | undefined;
  /** The `Authorization` header. Whatever it says, the sender is an integration, unless a probe has made it. */
  authorization: string | undefined;
  /** @throws 401, 429. */
  readBearer(): Promise<Bearer>;
  /** @throws 404, 429. */
  findWebsite(): Promise<ServedWebsite>;
  /** @throws 415, 400, 422. */
  parseBody(): JsonObject;
  /** Writes the rate-limit headers. @throws 429 when a limit is used up. */
  writeLimitHeaders(results: readonly LimitResult[]): void;
}>;

type Services = Readonly<{
  db: Db;
  limiter: Pick<Limiter, 'admit' | 'take'>;
  signatures: Pick<Signatures, 'verify' | 'requireCurrent'>;
  forms: Pick<Forms, 'findPlaced'>;
  formVersions: Pick<FormVersions, 'contentOf'>;
  captcha: Pick<Captcha, 'check' | 'refuseUsedProof' | 'admit' | 'countOutcome'>;
  notifications: Pick<Notifications, 'handOver'>;
  probeTokens: Pick<ProbeTokens, 'isValid'>;
  /** Where the e-mails of test leads go. */
  probeMailbox: string;
  clock: Clock;
  /** The platform's languages. */
  locales: readonly string[];
}>;

export type Submit = ReturnType<typeof createSubmit>;

/** The errors for a submission that was valid on arrival but no longer when it was recorded. */
const REFUSALS = {
  proof_used: captchaFailed,
  // Until its answer is found, which is repeated instead.
  key_taken: captchaFailed,
  revoked: unauthenticated,
  unsigned: invalidSignature,
  website_gone: websiteNotFound,
  form_gone: formNotFound,
} satisfies {
  [Outcome in Exclude<RecordOutcome, 'recorded'>]: () => Error;
};

/** Creates the function that takes a submission: it runs the documented checks in their order and records it. */
export function createSubmit({
  db,
  limiter,
  signatures,
  forms,
  formVersions,
  captcha,
  notifications,
  probeTokens,
  probeMailbox,
  clock,
  locales,
}: Services) {
  const idempotency = createIdempotency({ db, clock });
  const record = createRecorder(db.sql);

  function kindOf({ authorization }: SubmitRequest, website: ServedWebsite): SenderKind {
    if (authorization === undefined) return 'visitors';
    return probeTokens.isValid(authorization, website.id) ? 'probes' : 'tokens';
  }

  /**
   * Counts the request for its address and website, and checks the website's hourly budget (guide: Limits).
   *
   * Only recorded submissions use the budget up. Tokens, visitors and probes have one each.
   */
  async function requireWithinLimits(
    request: SubmitRequest,
    website: ServedWebsite,
    kind: SenderKind,
  ): Promise<TakeUnit> {
    const budget: Hit = {
      limit: 'api-submit-hourly',
      key: `${website.id} ${kind}`,
      quota: website.submissionsPerHour,
    };
    const results = await limiter.admit(
      {
        limit: 'api-submit',
        key: kind === 'probes' ? `probes ${website.id}` : `${request.clientKey} ${website.id}`,
        quota: website.submissionsPerMinute,
      },
      budget,
    );
    request.writeLimitHeaders(results);
    return async () => {
      const { result, giveBack } = await limiter.take(budget);
      request.writeLimitHeaders([results[0]!, result]);
      return giveBack;
    };
  }

  /** Refuses a disabled website; `authenticate` gives a suspended team's token its own error. */
  function requireEnabled(kind: SenderKind, website: ServedWebsite): void {
    const isEnabled = kind === 'tokens' ? !website.disabled : isServed(website);
    if (!isEnabled) throw websiteDisabled();
  }

  /** Identifies the sender: the bearer of a token of the website's team, or a visitor of the website. */
  async function authenticate(
    request: SubmitRequest,
    website: ServedWebsite,
    kind: SenderKind,
  ): Promise<Sender> {
    if (kind === 'tokens') {
      const bearer = await request.readBearer();
      if (bearer.teamId !== website.teamId) throw foreignWebsite();
      requireAccess(bearer, 'team:submit');
      return { tokenId: bearer.tokenId, storedSignatureKey: null, signatureAgeS: null, testRecipient: null };
    }
    requireOwnOrigin(request.origin, website);
    const { storedSignatureKey, ageS } = await signatures.verify(website, request);
    const testRecipient = kind === 'probes' ? probeMailbox : null;
    return { tokenId: null, storedSignatureKey, signatureAgeS: ageS, testRecipient };
  }

  async function requireForm({ slug }: SubmitRequest, website: ServedWebsite): Promise<PlacedForm> {
    const form = await forms.findPlaced(website, slug);
    if (!form) throw formNotFound();
    return form;
  }

  /** @throws 422 when fields are at fault; 403 instead when the proof of work has been used before. */
  async function requireValid(
    body: JsonObject,
    { form, sent, locale, website }: Pick<Accepted, 'form' | 'sent' | 'locale' | 'website'>,
    checked: CheckedCaptcha,
  ): Promise<SubmittedValues> {
    const read = await validate(form, body, sent, locale);
    if (read.ok) return read;
    await captcha.refuseUsedProof(checked, website.id);
    throw invalid(read.errors, validationSummary(locale));
  }

  /** Runs the work; if it fails and the signature's key was regenerated meanwhile, reports that error first. */
  async function preferInvalidSignature(
    { storedSignatureKey }: Sender,
    website: ServedWebsite,
    work: () => Promise<SubmissionResult>,
  ): Promise<SubmissionResult> {
    try {
      return await work();
    } catch (error) {
      if (storedSignatureKey && error instanceof ApiError)
        await signatures.requireCurrent(website.id, storedSignatureKey);
      throw error;
    }
  }

  /** Records a submission, once more when its signature's key has been encrypted anew since it was read. */
  async function recordSigned(submission: SubmissionRecord, takeUnit: TakeUnit): Promise<RecordOutcome> {
    const outcome = await record(submission, takeUnit);
    const { websiteId, storedSignatureKey } = submission;
    if (outcome !== 'unsigned' || storedSignatureKey === null) return outcome;
    const current = await signatures.requireCurrent(websiteId, storedSignatureKey);
    return record({ ...submission, storedSignatureKey: current }, takeUnit);
  }

  /**
   * Takes a submission (guide: What wins over what); the first check that fails decides the error.
   *
   * When the promise resolves, the submission has been committed with its notification. The e-mail is handed to the
   * queue, now or when the queue is back.
   */
  return async function submit(request: SubmitRequest): Promise<SubmissionResult> {
    const website = await request.findWebsite();
    const kind = kindOf(request, website);
    const takeUnit = await requireWithinLimits(request, website, kind);
    requireEnabled(kind, website);
    const sender = await authenticate(request, website, kind);
    return preferInvalidSignature(sender, website, async () => {
      const body = request.parseBody();
      const form = await requireForm(request, website);
      const key = readIdempotency(request.idempotencyKey, body, sender.tokenId);
      // A repeated answer never reaches the statement that checks the signature's key, so check it here.
      if (key && sender.storedSignatureKey)
        await signatures.requireCurrent(website.id, sender.storedSignatureKey);
      return idempotency.once({ websiteId: website.id, formId: form.id, key }, async () => {
        const sent = readContext(body);
        const presented = presentedCaptcha(request, website, sender, sent);
        const checked = await captcha.check(presented);
        const choice = { websiteLocale: website.locale, platformLocales: locales };
        const locale = localeOf(form, sent, choice);
        const values = await requireValid(body, { form, sent, locale, website }, checked);
        const { requestId, formVersion } = request;
        const seen = await readSeenForm(formVersions, { formVersion, form, body, sent, values }, choice);
        // After every check that needs no write: a provider accepts a token once, and what fails before keeps it.
        const admission = await captcha.admit(checked, presented);
        const accepted = { requestId, website, sender, form, key, sent, locale, values, seen, admission };
        const submission = recordOf(accepted, { createdAt: clock(), traceParent: activeTraceParent() });
        const outcome = await inSpan('record submission', {}, async (annotate) => {
          const recorded = await recordSigned(submission, takeUnit);
          annotate({ 'formgate.lead_id': submission.id, 'formgate.outcome': recorded });
          return recorded;
        });
        const isLead = kind !== 'probes';
        if (isLead && (outcome === 'recorded' || outcome === 'proof_used'))
          captcha.countOutcome(admission, outcome, presented);
        if (outcome !== 'recorded') throw REFUSALS[outcome]();
        if (isLead) submissionsRecorded.inc();
        notifications.handOver(submission.id);
        return { success: true, message: submission.message, lead_id: submission.id };
      });
    });
  };
}

const presentedCaptcha = (
  { captchaToken, captchaProvider, requestId, clientIp, userAgent }: SubmitRequest,
  website: ServedWebsite,
  { tokenId }: Sender,
  { context }: ReadContext,
): CaptchaRequest => ({
  website,
  hasBearer: tokenId !== null,
  token: captchaToken,
  provider: captchaProvider,
  fallbackToken: context.captchaFallback,
  requestId,
  clientIp,
  userAgent,
});
