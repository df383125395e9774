import { NIL } from 'uuid';
import { confirmationMessage } from '../../forms/definition/locales.js';
import { localizedTexts } from '../../forms/definition/translate.js';
import type { FormDraft } from '../../forms/editing/read-form-input.js';
import {
  type ChosenRecipient,
  type RecipientRule,
  recipientsOf,
} from '../../forms/recipients/recipient-rules.js';
import { readContext } from '../../forms/validation/context-fields.js';
import { validationSummary } from '../../forms/validation/entry-messages.js';
import type { SubmittedValues, ValidationErrors } from '../../forms/validation/field-values.js';
import type { Placement, Website } from '../../generated/prisma/client.js';
import {
  type NotifiedSubmission,
  submissionEmail,
} from '../../notifications/submission-email/submission-email.js';
import { localeOf, validate } from '../submit/validate.js';

/** A website that carries the form, with the placement there. */
export type PreviewWebsite = Readonly<{
  website: Pick<Website, 'id' | 'teamId' | 'name' | 'host' | 'locale' | 'timeZone' | 'email'>;
  placement: Pick<Placement, 'formId' | 'recipients' | 'confirmationMessage'> &
    Readonly<{ recipientRules: readonly RecipientRule[] }>;
}>;

/** How the gateway would answer a submission. */
export type TestSubmission = Readonly<{
  errors: ValidationErrors;
  message: string;
  recipients: readonly ChosenRecipient[];
  email: Readonly<{ subject: string; text: string }> | null;
}>;

type Options = Readonly<{
  /** Null: the form is tried without a website. */
  place: PreviewWebsite | null;
  /** The platform's languages. */
  platformLocales: readonly string[];
  now: Date;
}>;

function emailOf(
  { content }: FormDraft,
  { values, undeclared }: SubmittedValues,
  { website, placement }: PreviewWebsite,
  { recipients, createdAt }: { recipients: readonly string[]; createdAt: Date },
): TestSubmission['email'] {
  const submission = {
    id: NIL,
    submissionId: NIL,
    teamId: website.teamId,
    websiteId: website.id,
    formId: placement.formId,
    // As the database would give them back, which stores them as JSON.
    values: values as NotifiedSubmission['values'],
    undeclared,
    emails: [],
    pageUrl: null,
    pageTitle: null,
    attribution: null,
    needsReview: false,
    createdAt,
    website,
    recipients,
    request: null,
  };
  const { subject, text } = submissionEmail(submission, { name: content.name, definition: content });
  return { subject, text };
}

/** Answers a submission to a draft as the gateway would answer it once it is saved, without recording anything. */
export async function testSubmission(
  draft: FormDraft,
  body: Readonly<Record<string, unknown>>,
  { place, platformLocales, now }: Options,
): Promise<TestSubmission> {
  const { content, patterns } = draft;
  const websiteLocale = place?.website.locale ?? content.sourceLocale;
  const sent = readContext(body);
  const recipientRules = {
    form: content.recipientRules,
    placement: place?.placement.recipientRules ?? [],
  };
  const form = { definition: content, patterns, recipientRules };
  const locale = localeOf(form, sent, { websiteLocale, platformLocales });
  const read = await validate(form, body, sent, locale);
  if (!read.ok) {
    return { errors: read.errors, message: validationSummary(locale), recipients: [], email: null };
  }
  const recipients = recipientsOf(content.fields, read.values, {
    form: content,
    placement: place?.placement ?? null,
    email: place?.website.email ?? '',
  });
  const own = place?.placement.confirmationMessage ?? null;
  const translated = localizedTexts(content, locale).confirmationMessage;
  return {
    errors: {},
    message: confirmationMessage(locale, websiteLocale, own, translated),
    recipients,
    email:
      place &&
      emailOf(draft, read, place, { recipients: recipients.map(({ address }) => address), createdAt: now }),
  };
}
