import type { Prisma } from '../generated/prisma/client.js';
import { objectOrEmpty } from '../lib/is-object.js';

/** What a message says about its submission, website and form. */
export const DELIVERED = {
  submission: {
    include: {
      website: { select: { name: true, host: true } },
      form: { select: { slug: true, name: true } },
    },
  },
} as const satisfies Prisma.WebhookDeliveryInclude;

/** A delivery with the submission that it is about. */
export type Delivered = Prisma.WebhookDeliveryGetPayload<{ include: typeof DELIVERED }>;

/** A value of a submission with its label. */
export type LabelledValue = Readonly<{ name: string; label: string; value: unknown }>;

type Submission = NonNullable<Delivered['submission']>;

/** Maps consents as recorded to the text that the visitor saw and its language. */
const consentsOf = ({ consents }: Submission) =>
  Object.fromEntries(
    Object.entries(objectOrEmpty(consents)).map(([name, consent]) => {
      const { label, locale } = objectOrEmpty(consent);
      return [name, { text: label, locale }];
    }),
  );

/** Writes the data about a submission: never a secret, an address or what concerns the captcha. */
function submissionData(
  submission: Submission,
  fields: readonly LabelledValue[],
  { state, ...extra }: Record<string, unknown>,
): object {
  const { id, createdAt, website, form, locale } = submission;
  return {
    lead_id: id,
    created_at: createdAt.toISOString(),
    state,
    ...extra,
    website: { id: submission.websiteId, ...website },
    form: { id: submission.formId, ...form, version: submission.formVersion },
    locale,
    fields: Object.fromEntries(fields.map(({ name, label, value }) => [name, { label, value }])),
    undeclared: submission.undeclared,
    consents: consentsOf(submission),
    page: { url: submission.pageUrl, title: submission.pageTitle, locale: submission.pageLocale },
    attribution: submission.attribution,
  };
}

/**
 * Renders the body of a message. The function is pure.
 *
 * @param fields The values of its submission; none when it is about something else.
 */
export function renderMessage(delivery: Delivered, fields: readonly LabelledValue[]): string {
  const { type, createdAt, submission, formId } = delivery;
  const payload = objectOrEmpty(delivery.payload);
  // The payload has the state of the event, so that a retry says the same. That of older failures has none.
  const state = type === 'submission.created' ? 'new' : submission?.state;
  const data = submission
    ? submissionData(submission, fields, { state, ...payload })
    : type === 'form.changed'
      ? { form: { id: formId, ...payload } }
      : payload;
  return JSON.stringify({ type, timestamp: createdAt.toISOString(), data });
}
