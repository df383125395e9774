import { graphql, type ResultOf, request } from '../../../graphql.js';
import type { FormDraft } from '../draft.js';

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

const PREVIEW = graphql(`
  query previewForm($id: ID!, $input: FormInput!, $locale: String!, $websiteId: ID) {
    previewForm(id: $id, input: $input, locale: $locale, websiteId: $websiteId)
  }
`);

const TEST = graphql(`
  query testSubmission($id: ID!, $input: FormInput!, $body: JSONObject!, $websiteId: ID) {
    testSubmission(id: $id, input: $input, body: $body, websiteId: $websiteId) {
      errors
      message
      recipients {
        address
        rule {
          scope
          index
          when
        }
      }
      email {
        subject
        text
      }
    }
  }
`);

/** A draft, and the website on which it is shown; null: on none. */
export type Previewed = Readonly<{ id: string; draft: FormDraft; websiteId: string | null }>;

/** What visitors would get of a draft. */
export type Preview = Previewed & Readonly<{ definition: Readonly<Record<string, unknown>> }>;

export type TestSubmission = ResultOf<typeof TEST>['testSubmission'];

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

/**
 * Reads what visitors would get of a draft in a language.
 *
 * @throws GatewayError `BAD_USER_INPUT` with the faults of the draft by their paths.
 */
export async function readPreview(
  { id, draft, websiteId }: Previewed,
  locale: string,
  signal?: AbortSignal,
): Promise<Preview> {
  const variables = { id, input: draft as never, locale, websiteId };
  const { previewForm: definition } = await request(PREVIEW, variables, signal);
  return { id, draft, websiteId, definition };
}

/** Submits values to a previewed draft. */
export const submitTest = async (
  { id, draft, websiteId }: Previewed,
  body: Readonly<Record<string, unknown>>,
): Promise<TestSubmission> =>
  (await request(TEST, { id, input: draft as never, body, websiteId })).testSubmission;
