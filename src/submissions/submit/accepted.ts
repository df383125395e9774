import { v7 as uuid } from 'uuid';
import type { Admission } from '../../captcha/captcha.service.js';
import { confirmationMessage } from '../../forms/definition/locales.js';
import { localizedTexts } from '../../forms/definition/translate.js';
import type { PlacedForm } from '../../forms/serving/forms.service.js';
import type { ReadContext } from '../../forms/validation/context-fields.js';
import type { SubmittedValues } from '../../forms/validation/field-values.js';
import type { ServedWebsite } from '../../websites/websites.service.js';
import type { Idempotency } from './idempotency.js';
import type { SubmissionRecord } from './record.queries.js';
import { emailsOf, searchWordsOf } from './search-words.js';

/** The sender: an integration by its token, or a visitor by a page's signature, with the stored key that made it. */
export type Sender =
  | Readonly<{ tokenId: number; storedSignatureKey: null }>
  | Readonly<{ tokenId: null; storedSignatureKey: string }>;

/** A submission that has passed every check. */
export type Accepted = Readonly<{
  website: ServedWebsite;
  sender: Sender;
  form: PlacedForm;
  key: Idempotency | null;
  sent: ReadContext;
  locale: string;
  values: SubmittedValues;
  admission: Admission;
}>;

/** Builds the record of a submission, with the confirmation message that answers it. */
export function recordOf(accepted: Accepted, createdAt: Date): SubmissionRecord {
  const { website, sender, form, key, sent, locale, values, admission } = accepted;
  const { definition } = form;
  const { context } = sent;
  const translated = localizedTexts(definition, locale).confirmationMessage;
  return {
    id: uuid(),
    teamId: website.teamId,
    websiteId: website.id,
    storedSignatureKey: sender.storedSignatureKey,
    formId: form.id,
    formVersion: definition.version,
    locale,
    values: values.values,
    undeclared: values.undeclared,
    consents: values.consents,
    pageUrl: context.pageUrl,
    pageTitle: context.pageTitle,
    pageLocale: context.pageLocale,
    visitorHash: context.visitorHash,
    captchaKey: admission.captchaKey,
    captchaGround: admission.ground,
    needsReview: admission.needsReview,
    proof: admission.proof,
    idempotency: key,
    message: confirmationMessage(locale, website.locale, form.messageOverride, translated),
    tokenId: sender.tokenId,
    emails: emailsOf(definition, values.values),
    searchWords: searchWordsOf(definition, values.values, values.undeclared),
    createdAt,
  };
}
