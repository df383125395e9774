import type { Rows } from './row.js';

const READERS = ['staff', 'owner', 'admin', 'member'] as const;

const input = {
  name: 'Draft',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  fields: [{ name: 'email', type: 'email', label: 'E-mail' }],
};

const rows: Rows = {
  'Query.previewForm': {
    query:
      'query ($id: ID!, $input: FormInput!, $websiteId: ID) { previewForm(id: $id, input: $input, locale: "fr", websiteId: $websiteId) }',
    variables: ({ formId, websiteId }) => ({ id: formId, input, websiteId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.testSubmission': {
    query:
      'query ($id: ID!, $input: FormInput!, $websiteId: ID) { testSubmission(id: $id, input: $input, body: { email: "a@b.test" }, websiteId: $websiteId) { errors message recipients { address rule { index } } email { subject text } } }',
    variables: ({ formId, websiteId }) => ({ id: formId, input, websiteId }),
    allowed: READERS,
    scope: 'team',
  },
};

export default rows;
