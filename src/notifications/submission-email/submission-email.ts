import { localizedChoice, localizedLabel } from '../../forms/definition/translate.js';
import type { EmailForm } from '../../forms/serving/forms.service.js';
import type { RequestedEmailKind } from '../../generated/prisma/client.js';
import type { MailMessage } from '../../mail/message.js';
import {
  renderSubmissionEmail,
  type SubmissionEmail,
  type SubmissionEmailField,
} from './submission-email.template.js';

/** Who requested an e-mail beside the notification, when and how, as JSON of the database. */
export type EmailRequest = Readonly<{
  kind: RequestedEmailKind;
  note: string | null;
  at: string;
  /** Null: the account is gone. */
  by: string | null;
}>;

/** A submission with everything that its e-mail needs, and the recipients. */
export type NotifiedSubmission = Readonly<{
  /** The e-mail; that of a notification is the submission's. */
  id: string;
  submissionId: string;
  teamId: number;
  websiteId: string;
  formId: number;
  values: Record<string, SubmissionEmailField['value']>;
  undeclared: Record<string, unknown>;
  pageUrl: string | null;
  pageTitle: string | null;
  attribution: SubmissionEmail['attribution'];
  needsReview: boolean;
  createdAt: Date;
  website: { name: string; host: string; locale: string; timeZone: string };
  /** The recipients of the rules that it matched, else of the placement, else of the form, else the website's address, which may be blank. */
  recipients: readonly string[];
  /** Null: the submission itself causes the e-mail. */
  request: EmailRequest | null;
}>;

/** Returns the recorded values with labels in the website's language, in the order of the form. */
function emailFields(submission: NotifiedSubmission, { definition }: EmailForm): SubmissionEmailField[] {
  const { values, website } = submission;
  return definition.fields.flatMap((field) => {
    if (!Object.hasOwn(values, field.name)) return [];
    const labelled = (value: string) => localizedChoice(field, value, website.locale);
    const value = values[field.name]!;
    return {
      label: localizedLabel(definition, field, website.locale).label,
      type: field.type,
      value: typeof value === 'string' ? labelled(value) : Array.isArray(value) ? value.map(labelled) : value,
    };
  });
}

/** Renders the e-mail about a submission. */
export function submissionEmail(submission: NotifiedSubmission, form: EmailForm): MailMessage {
  const { id, request } = submission;
  return renderSubmissionEmail({
    leadId: submission.submissionId,
    createdAt: submission.createdAt,
    website: submission.website,
    form,
    fields: emailFields(submission, form),
    undeclared: submission.undeclared,
    page: { url: submission.pageUrl, title: submission.pageTitle },
    attribution: submission.attribution,
    needsReview: submission.needsReview,
    recipients: submission.recipients,
    request: request && {
      id,
      at: new Date(request.at),
      forwarded: request.kind === 'forwarded' ? request : null,
    },
  });
}
