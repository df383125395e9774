import { v7 as uuid } from 'uuid';
import type { PendingCaptcha } from '../captcha/captcha.service.js';
import { captchaFailed, invalid, invalidSignature, unauthenticated } from '../errors.js';
import type { ReadContext } from '../forms/context-fields.js';
import { validationSummary } from '../forms/entry-messages.js';
import { describeFaults, readValues } from '../forms/field-values.js';
import type { LinkedForm } from '../forms/forms.service.js';
import { confirmationMessage, offeredLocales, submissionLocale } from '../forms/locales.js';
import { localizedTexts } from '../forms/translate.js';
import type { Clock } from '../lib/clock.js';
import { submissionsRecorded } from '../lib/metrics.js';
import { type Database, isDatabaseAway, publicRows, publicRowsInLine } from '../lib/prisma.js';
import type { Notifications } from '../notifications/notifications.service.js';
import type { ServedWebsite } from '../websites/websites.service.js';
import { findAnswered, type Idempotency } from './idempotency.js';
import { createRecorder, type RecordOutcome, type SubmissionRecord } from './record.js';
import { emailsOf, searchWordsOf } from './search-words.js';

/**
 * Takes a unit of the website's hourly budget.
 *
 * @returns what gives it back.
 * @throws 429 when none is left.
 */
export type TakeUnit = () => Promise<() => Promise<void>>;

/** What came in, once it is known from whom and for which form. */
export type Submitted = Readonly<{
  website: ServedWebsite;
  form: LinkedForm;
  body: Readonly<Record<string, unknown>>;
  /** What the context fields of the body say. */
  about: ReadContext;
  /** The integration token that sent it; null for a visitor's browser. */
  tokenId: number | null;
  /** The stored key that the page's signature was made with, as PostgreSQL reads it; null when none was needed. */
  storedSignatureKey: string | null;
  captcha: PendingCaptcha;
  idempotency: Idempotency | null;
  takeUnit: TakeUnit;
}>;

/** Interface 2.5. */
export type SubmissionResult = Readonly<{ success: true; message: string; lead_id: string }>;

type Services = {
  db: Database;
  notifications: Pick<Notifications, 'handOver'>;
  clock: Clock;
  locales: readonly string[];
};

export type Submissions = ReturnType<typeof createSubmissions>;

/** What a submission is answered that was valid when it came, and not when it was recorded. */
const REFUSALS = { used: captchaFailed, revoked: unauthenticated, unsigned: invalidSignature } satisfies {
  [Outcome in Exclude<RecordOutcome, 'recorded'>]: () => Error;
};

export function createSubmissions({ db, notifications, clock, locales }: Services) {
  const record = createRecorder({
    together: (sql, name) => publicRowsInLine(db, sql, name),
    alone: (sql, name) => publicRows(db, sql, name),
  });

  /** The first request in flight of each website, form and idempotency key. */
  const firsts = new Map<string, Readonly<{ bodyHash: Uint8Array; result: Promise<SubmissionResult> }>>();

  /**
   * Lets requests of one idempotency key wait for the first of them, and answers those that repeat it with its result:
   * each would take a unit of the budget until it finds that out. After another body, or a first that failed, each
   * does its own work.
   */
  async function afterFirst(
    key: string,
    bodyHash: Uint8Array,
    work: () => Promise<SubmissionResult>,
  ): Promise<SubmissionResult> {
    const first = firsts.get(key);
    if (first) {
      const result = await first.result.catch((error) => {
        if (isDatabaseAway(error)) throw error;
        return null;
      });
      return result && Buffer.compare(first.bodyHash, bodyHash) === 0 ? result : work();
    }
    const result = work();
    firsts.set(key, { bodyHash, result });
    try {
      return await result;
    } finally {
      firsts.delete(key);
    }
  }

  /** Records a submission with a unit of the budget, which is given back unless it was used. */
  async function recordWithin(takeUnit: TakeUnit, complete: SubmissionRecord): Promise<RecordOutcome> {
    const giveBack = await takeUnit();
    let outcome: RecordOutcome | undefined;
    try {
      outcome = await record(complete);
      return outcome;
    } finally {
      if (outcome !== 'recorded') await giveBack();
    }
  }

  return {
    /**
     * Validates a submission and records it with its notification (interface 4.7, rules 2 to 8). When
     * this resolves it has been committed; the e-mail is on its way, now or when the queue is back.
     *
     * @throws 422 with the messages of each field, in the language of the submission; 403 when the captcha
     * does not admit it, or its proof of work has admitted another, or the website's signature key has just
     * been regenerated; 401 when its token has just been revoked.
     */
    async submit(submitted: Submitted): Promise<SubmissionResult> {
      const { website, form, body, about, tokenId, storedSignatureKey, captcha, idempotency, takeUnit } =
        submitted;
      const { definition, patterns } = form;
      const { context, faults } = about;
      const locale = submissionLocale(context.formLocale, context.pageLocale, {
        offered: offeredLocales(definition),
        source: definition.sourceLocale,
        websiteLocale: website.locale,
        platformLocales: locales,
      });
      const read = readValues(definition, patterns, body, locale);
      const contextErrors = describeFaults(faults, locale);
      if (!read.ok || Object.keys(contextErrors).length > 0) {
        await captcha.requireUnused();
        throw invalid({ ...(!read.ok && read.errors), ...contextErrors }, validationSummary(locale));
      }

      const admission = await captcha.decide();
      const id = uuid();
      const translated = localizedTexts(definition, locale).confirmationMessage;
      const message = confirmationMessage(locale, website.locale, form.messageOverride, translated);
      const outcome = await recordWithin(takeUnit, {
        id,
        teamId: website.teamId,
        websiteId: website.id,
        storedSignatureKey,
        formId: form.id,
        formVersion: definition.version,
        locale,
        values: read.values,
        undeclared: read.undeclared,
        consents: read.consents,
        pageUrl: context.pageUrl,
        pageTitle: context.pageTitle,
        pageLocale: context.pageLocale,
        visitorHash: context.visitorHash,
        captchaKey: admission.captchaKey,
        captchaGround: admission.ground,
        needsReview: admission.needsReview,
        proof: admission.proof,
        idempotency,
        message,
        tokenId,
        emails: emailsOf(definition, read.values),
        searchWords: searchWordsOf(definition, read.values, read.undeclared),
        createdAt: clock(),
      });
      if (outcome === 'recorded' || outcome === 'used') admission.afterwards?.(outcome);
      if (outcome !== 'recorded') throw REFUSALS[outcome]();
      submissionsRecorded.inc();
      notifications.handOver(id);
      return { success: true, message, lead_id: id };
    },

    /**
     * Answers a request under an idempotency key with the first result of that key; only when there is none
     * does the work. So whoever repeats a request because the answer was lost needs no fresh captcha.
     *
     * @throws 422 when the key was used with another body; otherwise what the work throws.
     */
    async once(
      { website, form, idempotency }: Pick<Submitted, 'website' | 'form' | 'idempotency'>,
      work: () => Promise<SubmissionResult>,
    ): Promise<SubmissionResult> {
      if (!idempotency) return work();
      const ids = { websiteId: website.id, formId: form.id };
      const first = async (): Promise<SubmissionResult | null> => {
        const answered = await findAnswered(db, ids, idempotency, clock());
        return answered && { success: true, message: answered.message, lead_id: answered.submissionId };
      };
      const answer = async (): Promise<SubmissionResult> => {
        try {
          return (await first()) ?? (await work());
        } catch (error) {
          // To find out once more would take as long again.
          if (isDatabaseAway(error)) throw error;
          // The same request may have come to two processes at once: the other one has taken the key, and the captcha.
          const answered = await first();
          if (answered) return answered;
          throw error;
        }
      };
      const { key, bodyHash } = idempotency;
      return afterFirst(`${website.id} ${form.id} ${key}`, bodyHash, answer);
    },
  };
}
