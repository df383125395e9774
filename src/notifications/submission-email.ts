import type { Forms, LinkedForm } from '../forms/forms.service.js';
import { localizeForm } from '../forms/translate.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';
import type { MailMessage } from '../mail/message.js';
import { renderSubmissionEmail, type SubmissionEmailField } from './submission-email.template.js';

const submissionInclude = {
  website: true,
  team: { include: { plan: true } },
} satisfies Prisma.SubmissionInclude;

/** A submission with all that its e-mail and the quota depend on. */
export type NotifiedSubmission = Prisma.SubmissionGetPayload<{ include: typeof submissionInclude }>;

/** A submission, and the form and recipients that its e-mail has as of now. */
export type EmailSubject = Readonly<{
  submission: NotifiedSubmission;
  form: LinkedForm;
  /** The link's, else the form's, else the website's address; empty when none of them has any. */
  recipients: readonly string[];
}>;

/** Loads what the e-mail about a submission is about. */
export async function loadEmailSubject(
  { db, forms }: { db: Database; forms: Pick<Forms, 'findForEmail'> },
  submissionId: string,
): Promise<EmailSubject> {
  const submission = await db.submission.findUniqueOrThrow({
    where: { id: submissionId },
    include: submissionInclude,
  });
  const form = await forms.findForEmail(submission.websiteId, submission.formId);
  const addresses = form.recipients.length > 0 ? form.recipients : [submission.website.email];
  return { submission, form, recipients: addresses.filter((address) => address.trim() !== '') };
}

/** The recorded values with the labels of the website's language, in the order of the form. */
function emailFields(submission: NotifiedSubmission, { definition }: LinkedForm): SubmissionEmailField[] {
  const values = submission.values as Record<string, SubmissionEmailField['value']>;
  return localizeForm(definition, submission.website.locale).fields.flatMap((field) => {
    if (!Object.hasOwn(values, field.name)) return [];
    const labels = new Map(field.options.map((option) => [option.value, option.label]));
    const labelled = (value: string) => labels.get(value) ?? value;
    const value = values[field.name]!;
    return {
      label: field.label,
      type: field.type,
      value: typeof value === 'string' ? labelled(value) : Array.isArray(value) ? value.map(labelled) : value,
    };
  });
}

/** Writes the e-mail about a submission. */
export function submissionEmail({ submission, form, recipients }: EmailSubject): MailMessage {
  return renderSubmissionEmail({
    leadId: submission.id,
    createdAt: submission.createdAt,
    website: submission.website,
    form,
    fields: emailFields(submission, form),
    undeclared: submission.undeclared as Record<string, unknown>,
    page: { url: submission.pageUrl, title: submission.pageTitle },
    needsReview: submission.needsReview,
    recipients,
  });
}
