import type { TestApp } from './app.js';
import { loggedIn, type PanelClient } from './panel.js';

type Field = Readonly<Record<string, unknown>> & Readonly<{ name: string }>;

/** The input of a form with these fields. */
export const formInput = (fields: readonly Field[], overrides: object = {}) => ({
  name: 'Form',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  fields: fields.map((field) => ({ type: 'text', label: field.name, ...field })),
  ...overrides,
});

const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { id }
}`;

/** Creates a form of the team `acme` and returns its id. */
export async function createForm(
  { services, url }: TestApp,
  slug: string,
  input: ReturnType<typeof formInput>,
): Promise<string> {
  const owner = await loggedIn(url, services, 'owner@acme.test');
  const { id: teamId } = await services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  return (await owner.ask(CREATE, { teamId: String(teamId), slug, input })).createForm.id;
}

const CONTENT = `query ($id: ID!) { form(id: $id) {
  version name active submitButtonText
  fields {
    name type label isRequired isMultiple placeholder helpText attributes visibility
    options { value label } translations { locale label }
  }
} }`;

/** Reads a form as it is saved. */
export const readForm = async (client: PanelClient, id: string) => (await client.ask(CONTENT, { id })).form;
