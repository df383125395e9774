import { offeredLocales, submissionLocale } from '../../forms/definition/locales.js';
import { decidingRules } from '../../forms/recipients/recipient-rules.js';
import type { PlacedForm } from '../../forms/serving/forms.service.js';
import type { ReadContext } from '../../forms/validation/context-fields.js';
import { describeFaults, type ReadValues, readValues } from '../../forms/validation/field-values.js';
import { finishInTurns } from '../../lib/steps.js';

/** The languages that a submission's own depends on, besides its context and its form. */
export type LocaleSettings = Readonly<{ websiteLocale: string; platformLocales: readonly string[] }>;

/** Chooses the language of a submission from its context, its form and its website. */
export const localeOf = (
  { definition }: Pick<PlacedForm, 'definition'>,
  { context }: ReadContext,
  { websiteLocale, platformLocales }: LocaleSettings,
): string =>
  submissionLocale(context.formLocale, context.pageLocale, {
    offered: offeredLocales(definition),
    source: definition.sourceLocale,
    websiteLocale,
    platformLocales,
  });

/**
 * Validates the body of a submission, its context fields included, and lets other requests be served meanwhile.
 *
 * @param sent The result of `readContext` for the body.
 * @param locale Language of the submission.
 */
export async function validate(
  form: Pick<PlacedForm, 'definition' | 'patterns' | 'recipientRules'>,
  body: Readonly<Record<string, unknown>>,
  sent: ReadContext,
  locale: string,
): Promise<ReadValues> {
  const routing = decidingRules(form.recipientRules).map(({ when }) => when);
  const read = await finishInTurns(readValues(form.definition, form.patterns, body, locale, routing));
  const contextErrors = describeFaults(sent.faults, locale);
  if (read.ok && Object.keys(contextErrors).length === 0) return read;
  return { ok: false, errors: { ...(!read.ok && read.errors), ...contextErrors } };
}
