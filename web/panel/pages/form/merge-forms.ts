import { type Choices, type Collision, merge, type Shape, type Sides } from '../../parts/merge/merge.js';
import type { FormDraft } from './form-draft.js';
import { withTranslatedLanguages } from './translations/draft-texts.js';

const translations: Shape = { kind: 'list', key: 'locale', entry: { kind: 'record', parts: {} } };
const options: Shape = {
  kind: 'list',
  key: 'value',
  entry: { kind: 'record', parts: { translations } },
};
const fields: Shape = {
  kind: 'list',
  key: 'name',
  entry: { kind: 'record', parts: { options, translations, attributes: { kind: 'record', parts: {} } } },
};
const FORM: Shape = { kind: 'record', parts: { fields, translations } };

/**
 * Merges two changes of one form. Fields are matched by name, options by value and translations by language, so that
 * changes of different fields, or of different attributes of one field, do not collide.
 */
export const mergeForms = <Form extends object>(
  sides: Sides<Form>,
  choices?: Choices,
): { merged: Form; collisions: Collision[] } => merge(FORM, sides, choices);

/**
 * Merges two changes of one draft to a form that can be saved: a language that one has removed while the other has
 * translated into it is one of the form's again.
 */
export function mergeDrafts(
  sides: Sides<FormDraft>,
  choices?: Choices,
): { merged: FormDraft; collisions: Collision[] } {
  const { merged, collisions } = mergeForms(sides, choices);
  return { merged: withTranslatedLanguages(merged), collisions };
}
