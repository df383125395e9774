import { v7 as uuid } from 'uuid';
import type { Admission } from '../../captcha/captcha.service.js';
import { confirmationMessage } from '../../forms/definition/locales.js';
import { localizedTexts } from '../../forms/definition/translate.js';
import { matchedRules } from '../../forms/recipients/recipient-rules.js';
import type { PlacedForm } from '../../forms/serving/forms.service.js';
import type { ReadContext } from '../../forms/validation/context-fields.js';
import type { SubmittedValues } from '../../forms/validation/field-values.js';
import type { ServedWebsite } from '../../websites/websites.service.js';
import type { Idempotency } from './idempotency.js';
import type { SubmissionRecord } from './record.queries.js';
import { emailsOf, searchWordsOf } from './search-words.js';
import type { SeenForm } from './seen-form.js';

/** The kinds of senders, each of which has limits of its own. */
export type SenderKind = 'visitors' | 'tokens' | 'probes';

/**
 * The sender: an integration by its token, or a visitor by a page's signature, with the stored key that made it. A
 * probe is a visitor whose submission is a test lead.
 */
export type Sender =
  | Readonly<{ tokenId: number; storedSignatureKey: null; signatureAgeS: null; testRecipient: null }>
  | Readonly<{
      tokenId: null;
      storedSignatureKey: string;
      signatureAgeS: number;
      testRecipient: string | null;
    }>;

/** A submission that has passed every check. */
export type Accepted = Readonly<{
  requestId: string;
  website: ServedWebsite;
  sender: Sender;
  form: PlacedForm;
  key: Idempotency | null;
  sent: ReadContext;
  locale: string;
  values: SubmittedValues;
  /** What the visitor saw of the form; null: not known. */
  seen: SeenForm | null;
  admission: Admission;
}>;

/** Builds the record of a submission, with the confirmation message that answers it. */
export function recordOf(
  accepted: Accepted,
  { createdAt, traceParent }: Pick<SubmissionRecord, 'createdAt' | 'traceParent'>,
): SubmissionRecord {
  const { requestId, website, sender, form, key, sent, locale, values, seen, admission } = accepted;
  const { definition } = form;
  const { context } = sent;
  const { testRecipient } = sender;
  const translated = localizedTexts(definition, locale).confirmationMessage;
  return {
    id: uuid(),
    teamId: website.teamId,
    websiteId: website.id,
    storedSignatureKey: sender.storedSignatureKey,
    signatureAgeS: sender.signatureAgeS,
    formId: form.id,
    formVersion: seen?.version ?? definition.version,
    currentFormVersion: seen && definition.version,
    locale,
    values: values.values,
    undeclared: values.undeclared,
    consents: seen?.consents ?? values.consents,
    pageUrl: context.pageUrl,
    pageTitle: context.pageTitle,
    pageLocale: context.pageLocale,
    visitorHash: context.visitorHash,
    matchedRules: matchedRules(definition.fields, values.values, form.recipientRules),
    captchaKey: admission.captchaKey,
    captchaGround: admission.ground,
    needsReview: admission.needsReview,
    proof: admission.proof,
    idempotency: key,
    message: confirmationMessage(locale, website.locale, form.messageOverride, translated),
    tokenId: sender.tokenId,
    requestId,
    traceParent,
    testRecipient,
    // No search, and no erasure of a person, is to find a test lead.
    emails: testRecipient ? [] : emailsOf(definition, values.values),
    searchWords: testRecipient ? '' : searchWordsOf(definition, values.values, values.undeclared),
    createdAt,
  };
}
