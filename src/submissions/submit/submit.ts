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
} from '../../errors.js';
import { offeredLocales, submissionLocale } from '../../forms/definition/locales.js';
import type { Forms, PlacedForm } from '../../forms/serving/forms.service.js';
import { type ReadContext, readContext } from '../../forms/validation/context-fields.js';
import { validationSummary } from '../../forms/validation/entry-messages.js';
import { describeFaults, readValues, type SubmittedValues } from '../../forms/validation/field-values.js';
import type { JsonObject } from '../../http/json-body.js';
import type { Hit } from '../../http/limits.js';
import type { Limiter, Standing } from '../../http/rate-limit.js';
import type { Clock } from '../../lib/clock.js';
import { submissionsRecorded } from '../../lib/metrics.js';
import type { Notifications } from '../../notifications/notifications.service.js';
import { type Bearer, requireAccess } from '../../tokens/access.js';
import { requireOwnOrigin } from '../../websites/origin.js';
import type { Signatures } from '../../websites/signatures.service.js';
import { isServed, type ServedWebsite } from '../../websites/websites.service.js';
import { type Accepted, recordOf, type Sender } from './accepted.js';
import { createIdempotency, readIdempotency, type SubmissionResult } from './idempotency.js';
import { createRecorder, type TakeUnit } from './record.js';
import type { RecordOutcome } from './record.queries.js';

/** A request to submit: its values, and the functions that only its transport can provide. */
export type SubmitRequest = Readonly<{
  slug: string;
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
  /** An `Authorization` header, whatever it says, makes the sender an integration. */
  hasToken: boolean;
  /** @throws 401, 429. */
  readBearer(): Promise<Bearer>;
  /** @throws 404, 429. */
  findWebsite(): Promise<ServedWebsite>;
  /** @throws 415, 400, 422. */
  parseBody(): JsonObject;
  /** Writes the rate-limit headers. @throws 429 when a limit is used up. */
  writeLimitHeaders(standings: readonly Standing[]): void;
}>;

type Services = Readonly<{
  db: Db;
  limiter: Pick<Limiter, 'admit' | 'take'>;
  signatures: Pick<Signatures, 'verify' | 'requireCurrent'>;
  forms: Pick<Forms, 'findPlaced'>;
  captcha: Pick<Captcha, 'check' | 'requireUnusedWhenInvalid' | 'admit' | 'countOutcome'>;
  notifications: Pick<Notifications, 'handOver'>;
  clock: Clock;
  /** The platform's languages. */
  locales: readonly string[];
}>;

export type Submit = ReturnType<typeof createSubmit>;

/** The errors for a submission that was valid on arrival but no longer when it was recorded. */
const REFUSALS = {
  duplicate: captchaFailed,
  revoked: unauthenticated,
  unsigned: invalidSignature,
} satisfies {
  [Outcome in Exclude<RecordOutcome, 'recorded'>]: () => Error;
};

/** Creates the function that takes a submission: it runs the documented checks in their order and records it. */
export function createSubmit({
  db,
  limiter,
  signatures,
  forms,
  captcha,
  notifications,
  clock,
  locales,
}: Services) {
  const idempotency = createIdempotency({ db, clock });
  const record = createRecorder(db.sql);

  /**
   * Counts the request for its address and website, and checks the website's hourly budget (guide: Limits).
   *
   * Only recorded submissions use the budget up. Tokens and visitors have one each.
   */
  async function requireWithinLimits(request: SubmitRequest, website: ServedWebsite): Promise<TakeUnit> {
    const sender = request.hasToken ? 'tokens' : 'visitors';
    const budget: Hit = {
      limit: 'api-submit-hourly',
      key: `${website.id} ${sender}`,
      quota: website.submissionsPerHour,
    };
    const standings = await limiter.admit(
      {
        limit: 'api-submit',
        key: `${request.clientKey} ${website.id}`,
        quota: website.submissionsPerMinute,
      },
      budget,
    );
    request.writeLimitHeaders(standings);
    return async () => {
      const { standing, giveBack } = await limiter.take(budget);
      request.writeLimitHeaders([standings[0]!, standing]);
      return giveBack;
    };
  }

  /** Refuses a disabled website; `authenticate` gives a suspended team's token its own error. */
  function requireEnabled({ hasToken }: SubmitRequest, website: ServedWebsite): void {
    const isEnabled = hasToken ? !website.disabled : isServed(website);
    if (!isEnabled) throw websiteDisabled();
  }

  /** Identifies the sender: the bearer of a token of the website's team, or a visitor of the website. */
  async function authenticate(request: SubmitRequest, website: ServedWebsite): Promise<Sender> {
    if (request.hasToken) {
      const bearer = await request.readBearer();
      if (bearer.teamId !== website.teamId) throw foreignWebsite();
      requireAccess(bearer, 'team:submit');
      return { tokenId: bearer.tokenId, storedSignatureKey: null };
    }
    requireOwnOrigin(request.origin, website);
    return { tokenId: null, storedSignatureKey: await signatures.verify(website, request) };
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
    const read = readValues(form.definition, form.patterns, body, locale);
    const contextErrors = describeFaults(sent.faults, locale);
    if (read.ok && Object.keys(contextErrors).length === 0) return read;
    await captcha.requireUnusedWhenInvalid(checked, website.id);
    throw invalid({ ...(!read.ok && read.errors), ...contextErrors }, validationSummary(locale));
  }

  /** Runs the work; if it fails and the signature's key was regenerated meanwhile, reports that error first. */
  async function orInvalidSignature(
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

  /**
   * Takes a submission (guide: What wins over what); the first check that fails decides the error.
   *
   * When the promise resolves, the submission has been committed with its notification. The e-mail is handed to the
   * queue, now or when the queue is back.
   */
  return async function submit(request: SubmitRequest): Promise<SubmissionResult> {
    const website = await request.findWebsite();
    const takeUnit = await requireWithinLimits(request, website);
    requireEnabled(request, website);
    const sender = await authenticate(request, website);
    return orInvalidSignature(sender, website, async () => {
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
        const locale = localeOf(website, form, sent, locales);
        const values = await requireValid(body, { form, sent, locale, website }, checked);
        const admission = await captcha.admit(checked, presented);
        const accepted = { website, sender, form, key, sent, locale, values, admission };
        const submission = recordOf(accepted, clock());
        const outcome = await record(submission, takeUnit);
        if (outcome === 'recorded' || outcome === 'duplicate')
          captcha.countOutcome(admission, outcome, presented);
        if (outcome !== 'recorded') throw REFUSALS[outcome]();
        submissionsRecorded.inc();
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

const localeOf = (
  website: ServedWebsite,
  { definition }: PlacedForm,
  { context }: ReadContext,
  platformLocales: readonly string[],
): string =>
  submissionLocale(context.formLocale, context.pageLocale, {
    offered: offeredLocales(definition),
    source: definition.sourceLocale,
    websiteLocale: website.locale,
    platformLocales,
  });
