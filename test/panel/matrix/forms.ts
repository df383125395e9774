import { randomUUID } from 'node:crypto';
import type { Services } from '../../../src/services.js';
import type { MatrixIds, Rows } from './row.js';

const READERS = ['staff', 'owner', 'admin', 'member'] as const;
const MANAGERS = ['staff', 'owner', 'admin'] as const;

const input = {
  name: 'Spare',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  fields: [{ name: 'email', type: 'email', label: 'E-mail' }],
};

/** A form without submissions. */
async function addForm({ db }: Services, { teamId }: MatrixIds) {
  const { fields: _, ...form } = input;
  const { id } = await db.orm.form.create({ data: { ...form, teamId, slug: randomUUID() } });
  return { spareId: id };
}

/** A form in its second version, of which both are kept. */
async function addVersions(services: Services, ids: MatrixIds) {
  const { managedForms } = services;
  const content = {
    slug: randomUUID(),
    version: 1,
    name: 'Spare',
    active: true,
    sourceLocale: 'fr',
    recipients: [],
    recipientRules: [],
    fields: [],
    translations: {},
    texts: {
      submitButtonText: 'S',
      confirmationMessage: 'C',
      privacyNoticeText: null,
      privacyNoticeUrl: null,
    },
  };
  const actor = { userId: null, channel: 'system' } as const;
  const created = await managedForms.create(ids.teamId, content, actor);
  if (typeof created === 'string') throw new Error(created);
  await managedForms.save(created.form, 1, { ...content, name: 'Spared' }, actor);
  return { spareId: created.form.id };
}

/** The form of `addForm`, on the website. */
async function addLink(services: Services, ids: MatrixIds) {
  const { spareId } = await addForm(services, ids);
  const { teamId, websiteId } = ids;
  await services.db.orm.placement.create({ data: { teamId, websiteId, formId: spareId } });
  return { spareId };
}

const rows: Rows = {
  'Query.forms': {
    query: 'query ($teamId: ID) { forms(teamId: $teamId) { edges { node { id teamId slug } } } }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.form': {
    query: 'query ($id: ID!) { form(id: $id) { name recipients fields { name } preview(locale: "en") } }',
    variables: ({ formId }) => ({ id: formId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.missingTranslations': {
    query:
      'query ($teamId: ID!) { missingTranslations(teamId: $teamId) { form { slug } missing { locale } } }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: READERS,
    scope: 'team',
  },
  'Mutation.createForm': {
    query:
      'mutation ($teamId: ID!, $slug: String!, $input: FormInput!) { createForm(teamId: $teamId, slug: $slug, input: $input) { id } }',
    variables: ({ teamId }) => ({ teamId, slug: randomUUID(), input }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.saveForm': {
    query:
      'mutation ($id: ID!, $input: FormInput!) { saveForm(id: $id, version: 1, input: $input) { id version } }',
    prepare: addForm,
    variables: (_ids, { spareId }) => ({ id: spareId, input }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.duplicateForm': {
    query: 'mutation ($id: ID!, $slug: String!) { duplicateForm(id: $id, slug: $slug) { id } }',
    variables: ({ formId }) => ({ id: formId, slug: randomUUID() }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.deleteForm': {
    query: 'mutation ($id: ID!) { deleteForm(id: $id) }',
    prepare: addForm,
    variables: (_ids, { spareId }) => ({ id: spareId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Query.formVersion': {
    query: `query ($id: ID!) {
      formVersion(formId: $id, version: 2) { savedByName changes { kind } definition { fields { name } } }
    }`,
    prepare: addVersions,
    variables: (_ids, { spareId }) => ({ id: spareId }),
    allowed: READERS,
    scope: 'team',
  },
  'Mutation.restoreFormVersion': {
    query: `mutation ($id: ID!) {
      restoreFormVersion(id: $id, version: 1, currentVersion: 2) { version versions { edges { node { version } } } }
    }`,
    prepare: addVersions,
    variables: (_ids, { spareId }) => ({ id: spareId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.saveFormLink': {
    query:
      'mutation ($websiteId: ID!, $formId: ID!) { saveFormLink(websiteId: $websiteId, formId: $formId, input: { enabled: false }) { enabled } }',
    prepare: addForm,
    variables: ({ websiteId }, { spareId }) => ({ websiteId, formId: spareId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.removeFormLink': {
    query:
      'mutation ($websiteId: ID!, $formId: ID!) { removeFormLink(websiteId: $websiteId, formId: $formId) }',
    prepare: addLink,
    variables: ({ websiteId }, { spareId }) => ({ websiteId, formId: spareId }),
    allowed: MANAGERS,
    scope: 'team',
  },
};

export default rows;
