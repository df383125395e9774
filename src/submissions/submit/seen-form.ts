import type { FormDefinition } from '../../forms/definition/form-definition.js';
import type { FormVersions } from '../../forms/history/form-versions.service.js';
import type { PlacedForm } from '../../forms/serving/forms.service.js';
import type { ReadContext } from '../../forms/validation/context-fields.js';
import { type ConsentText, readConsents, type SubmittedValues } from '../../forms/validation/field-values.js';
import type { JsonObject } from '../../http/json-body.js';
import { MAX_INT } from '../../lib/max-int.js';
import { type LocaleSettings, localeOf } from './validate.js';

/** The form as the visitor saw it: its version, and the consents with the texts that this version shows. */
export type SeenForm = Readonly<{ version: number; consents: Record<string, ConsentText> }>;

/** A valid submission, as far as it tells what the visitor saw. */
type Submitted = Readonly<{
  /** `form_version` of the query, as Express parses it. */
  formVersion: unknown;
  form: Pick<PlacedForm, 'id' | 'definition'>;
  body: JsonObject;
  sent: ReadContext;
  values: Pick<SubmittedValues, 'consents'>;
}>;

/** Reads `form_version`: a whole number from 1 in decimal, given once; null for anything else. */
export function readFormVersion(sent: unknown): number | null {
  if (typeof sent !== 'string' || !/^[1-9]\d{0,9}$/.test(sent)) return null;
  const version = Number(sent);
  return version <= MAX_INT ? version : null;
}

/**
 * Reads what the visitor saw of the form. A version other than the current one costs one query.
 *
 * A version above the current one may be real: another process can have served it before this one learnt of the edit.
 * Only the form's own history decides.
 *
 * @returns null when it is not known: the page did not tell, or told what this form's history does not have; or when
 * the body is too large for the conditions of that version.
 */
export async function readSeenForm(
  formVersions: Pick<FormVersions, 'contentOf'>,
  { formVersion, form, body, sent, values }: Submitted,
  locales: LocaleSettings,
): Promise<SeenForm | null> {
  const { id, definition } = form;
  const version = readFormVersion(formVersion);
  if (version === null) return null;
  if (version === definition.version) return { version, consents: values.consents };
  const kept = await formVersions.contentOf({ formId: id, version });
  if (!kept) return null;
  const seen: FormDefinition = { ...kept, slug: definition.slug, version };
  const consents = readConsents(seen, body, localeOf({ definition: seen }, sent, locales));
  return consents && { version, consents };
}
