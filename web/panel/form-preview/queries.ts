import { graphql, type ResultOf, request, type VariablesOf } from '../graphql.js';

const PREVIEW = graphql(`
  query previewForm(
    $id: ID!
    $input: FormInput
    $locale: String!
    $websiteId: ID
    $placement: FormLinkInput
  ) {
    previewForm(id: $id, input: $input, locale: $locale, websiteId: $websiteId, placement: $placement)
  }
`);

const TEST = graphql(`
  query testSubmission(
    $id: ID!
    $input: FormInput
    $body: JSONObject!
    $websiteId: ID
    $placement: FormLinkInput
  ) {
    testSubmission(id: $id, input: $input, body: $body, websiteId: $websiteId, placement: $placement) {
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

/** What is previewed of a form: its draft, and how it stands on a website. Null: as it is saved, or no website. */
export type Previewed = Readonly<{
  id: string;
  input: VariablesOf<typeof PREVIEW>['input'];
  websiteId: string | null;
  placement: VariablesOf<typeof PREVIEW>['placement'];
}>;

/** What visitors would get of a draft. */
export type Preview = Previewed & Readonly<{ definition: Readonly<Record<string, unknown>> }>;

export type TestSubmission = ResultOf<typeof TEST>['testSubmission'];

/**
 * Reads what visitors would get of a draft in a language.
 *
 * @throws GatewayError `BAD_USER_INPUT` with the faults of the draft by their paths.
 */
export async function readPreview(
  previewed: Previewed,
  locale: string,
  signal?: AbortSignal,
): Promise<Preview> {
  const { previewForm: definition } = await request(PREVIEW, { ...previewed, locale }, signal);
  return { ...previewed, definition };
}

/** Submits values to a previewed draft. */
export const submitTest = async (
  { definition: _shown, ...previewed }: Preview,
  body: Readonly<Record<string, unknown>>,
): Promise<TestSubmission> => (await request(TEST, { ...previewed, body })).testSubmission;
