import { graphql, request } from '../../../graphql.js';
import type { FormDraft } from '../form-draft.js';

const WEBSITES = graphql(`
  query previewWebsites($id: ID!) {
    form(id: $id) {
      links {
        website {
          id
          name
          locale
        }
      }
    }
  }
`);

/** Leaves texts in other languages out of the fields of a draft: of seven languages they are most of it. */
export function inLanguages(draft: FormDraft, languages: readonly string[]): FormDraft {
  const kept = <Texts extends { locale: string }>(translations: readonly Texts[]): Texts[] =>
    translations.filter(({ locale }) => languages.includes(locale));
  const fields = draft.fields.map((field) => ({
    ...field,
    options: field.options.map((option) => ({ ...option, translations: kept(option.translations) })),
    translations: kept(field.translations),
  }));
  return { ...draft, fields };
}

/** Lists the websites that a form is on. */
export const readWebsites = async (id: string, signal?: AbortSignal) =>
  (await request(WEBSITES, { id }, signal)).form.links.map(({ website }) => website);
