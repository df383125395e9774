import { labelOrName, localizedChoice, localizedLabel } from '../../forms/definition/translate.js';
import type { EmailForm } from '../../forms/serving/forms.service.js';
import type { RequestedEmailKind } from '../../generated/prisma/client.js';
import { singleLine } from '../../lib/text/text.js';
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
  /** The visitor's addresses, in lower case: what its e-mail fields had when it was recorded. */
  emails: readonly string[];
  pageUrl: string | null;
  pageTitle: string | null;
  attribution: SubmissionEmail['attribution'];
  needsReview: boolean;
  createdAt: Date;
  website: { name: string; host: string; locale: string; timeZone: string };
  /**
   * The recipients of the rules that it matched, else of the placement, else of the form, else the website's address,
   * which may be blank.
   */
  recipients: readonly string[];
  /** Null: the submission itself causes the e-mail. */
  request: EmailRequest | null;
}>;

/**
 * Returns the recorded values with labels in the website's language, in the order of the form. Those whose fields it no
 * longer has come last, by name, since the form may change before the e-mail goes or is sent again.
 */
function emailFields(submission: NotifiedSubmission, { definition }: EmailForm): SubmissionEmailField[] {
  const { values, website } = submission;
  const gone = new Map(Object.entries(values));
  const declared = definition.fields.flatMap((field) => {
    const value = gone.get(field.name);
    if (!gone.delete(field.name)) return [];
    const labelled = (text: string) => localizedChoice(field, text, website.locale);
    const { label } = localizedLabel(definition, field, website.locale);
    return {
      // A label may have nothing but what one line of an e-mail leaves out.
      label: labelOrName({ name: field.name, label: singleLine(label) }),
      type: field.type,
      value:
        typeof value === 'string' ? labelled(value) : Array.isArray(value) ? value.map(labelled) : value!,
    };
  });
  return [
    ...declared,
    ...[...gone].map(([name, value]) => ({ label: name, type: typeOfGone(value, submission), value })),
  ];
}

/** Returns the type of a value whose field is gone: an answer goes to the visitor's address all the same. */
const typeOfGone = (value: SubmissionEmailField['value'], { emails }: NotifiedSubmission): string =>
  [value].flat().some((each) => emails.includes(String(each).toLowerCase())) ? 'email' : 'text';

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
