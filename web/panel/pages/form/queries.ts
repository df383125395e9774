import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request, type VariablesOf } from '../../graphql.js';
import type { FormDraft } from './form-draft.js';

export type { FieldDraft, FormDraft } from './form-draft.js';

/** What a form consists of: all that `saveForm` takes. */
const CONTENT = graphql(`
  fragment FormContent on Form {
    name
    active
    sourceLocale
    submitButtonText
    confirmationMessage
    privacyNoticeText
    privacyNoticeUrl
    recipients
    recipientRules {
      when
      recipients
    }
    fields {
      name
      type
      label
      isRequired
      showLabel
      isMultiple
      placeholder
      helpText
      linkUrl
      options {
        value
        label
        translations {
          locale
          label
        }
      }
      attributes
      visibility
      translations {
        locale
        label
        placeholder
        helpText
        linkUrl
      }
    }
    translations {
      locale
      submitButtonText
      confirmationMessage
      privacyNoticeText
      privacyNoticeUrl
    }
  }
`);

const FORM = graphql(
  `
  query form($id: ID!) {
    form(id: $id) {
      id
      teamId
      slug
      version
      updatedAt
      unenforcedPatterns {
        field
        reason
      }
      ...FormContent
    }
  }
`,
  [CONTENT],
);

const SAVE = graphql(
  `
  mutation saveForm($id: ID!, $version: Int!, $input: FormInput!) {
    saveForm(id: $id, version: $version, input: $input) {
      id
      teamId
      slug
      version
      updatedAt
      ...FormContent
    }
  }
`,
  [CONTENT],
);

/** A form as the gateway has it: its identity, its version and its content at that version. */
export type SavedForm = Readonly<{
  id: string;
  teamId: string;
  slug: string;
  version: number;
  updatedAt: string;
  content: FormDraft;
  /** The fields whose pattern the gateway does not enforce, with its sentence why. */
  unenforced: readonly Readonly<{ field: string; reason: string }>[];
}>;

function savedForm(
  answer: ResultOf<typeof SAVE>['saveForm'],
  unenforced: SavedForm['unenforced'] = [],
): SavedForm {
  const { id, teamId, slug, version, updatedAt, ...content } = answer;
  return { id, teamId, slug, version, updatedAt, content: content as FormDraft, unenforced };
}

/** Reads a form as it was last saved. */
export async function readForm(id: string, signal?: AbortSignal): Promise<SavedForm> {
  const { unenforcedPatterns, ...form } = (await request(FORM, { id }, signal)).form;
  return savedForm(form, unenforcedPatterns);
}

/** The form of the page. What changes it elsewhere invalidates the key; the draft then takes the change in. */
export const formQuery = (id: string) =>
  queryOptions({
    queryKey: ['form', id],
    queryFn: ({ signal }) => readForm(id, signal),
    refetchOnWindowFocus: false,
  });

/** Returns a draft as the operations take it. */
export const inputOf = (draft: FormDraft): VariablesOf<typeof SAVE>['input'] => ({
  ...draft,
  recipientRules: [...draft.recipientRules],
  fields: [...draft.fields],
});

/**
 * Saves a draft over the version that was edited.
 *
 * @throws GatewayError `CONFLICT` when another version has been saved meanwhile.
 */
export const saveForm = async (id: string, version: number, draft: FormDraft): Promise<SavedForm> =>
  savedForm((await request(SAVE, { id, version, input: inputOf(draft) })).saveForm);
