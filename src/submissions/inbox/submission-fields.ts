import { type LocalizedField, labelOrName } from '../../forms/definition/translate.js';
import { isObject } from '../../lib/is-object.js';
import { wordsFor } from '../../notifications/submission-email/submission-email.words.js';

/** A recorded value with the label that the visitor saw. */
export type ShownField = Readonly<{
  name: string;
  label: string;
  /** Null: the form no longer has the field. */
  type: string | null;
  value: unknown;
  text: string;
}>;

/** A consent with the text that the visitor agreed to. */
export type ShownConsent = Readonly<{ name: string; label: string; locale: string }>;

/** What a submission has recorded, as JSON of the database. */
export type Recorded = Readonly<{ locale: string; values: unknown; consents: unknown }>;

const entriesOf = (json: unknown): [string, unknown][] => (isObject(json) ? Object.entries(json) : []);

/** Lists the consents of a submission, as recorded with it. */
export function shownConsents({ consents }: Pick<Recorded, 'consents'>): ShownConsent[] {
  return entriesOf(consents).map(([name, consent]) => {
    const { label, locale } = consent as { label: string; locale: string };
    return { name, label, locale };
  });
}

function readable(value: unknown, labels: ReadonlyMap<string, string>, locale: string): string {
  if (Array.isArray(value)) return value.map((item) => readable(item, labels, locale)).join(', ');
  if (typeof value === 'boolean') return value ? wordsFor(locale).yes : wordsFor(locale).no;
  return typeof value === 'string' ? (labels.get(value) ?? value) : String(value);
}

/**
 * Lists the values of a submission with the labels of its form, in the order of the form.
 *
 * Values whose fields the form no longer has come last. The text of a consent is the recorded one, not today's.
 *
 * @param fields The form's, in the language of the submission.
 */
export function shownFields(submission: Recorded, fields: readonly LocalizedField[]): ShownField[] {
  const { locale } = submission;
  const values = new Map(entriesOf(submission.values));
  const consents = new Map(shownConsents(submission).map(({ name, label }) => [name, label]));
  const declared = fields.flatMap(({ name, label, type, options }) => {
    if (!values.has(name)) return [];
    const value = values.get(name);
    values.delete(name);
    const labels = new Map(options.map((option) => [option.value, option.label]));
    const shown = labelOrName({ name, label: consents.get(name) ?? label });
    return [{ name, label: shown, type, value, text: readable(value, labels, locale) }];
  });
  const gone = [...values].map(([name, value]) => {
    const label = labelOrName({ name, label: consents.get(name) ?? '' });
    return { name, label, type: null, value, text: readable(value, new Map(), locale) };
  });
  return [...declared, ...gone];
}
