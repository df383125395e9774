import { randomUUID } from 'node:crypto';
import type { Services } from '../../../src/services.js';
import { createWebsite } from '../../../src/websites/editing/save-website.js';
import { TEST_ACTOR } from '../../support/factories.js';
import { type MatrixIds, type Rows, WHO } from './row.js';

const LOGGED_IN = WHO.filter((who) => who !== 'nobody');
const READERS = ['staff', 'owner', 'admin', 'member'] as const;
const MANAGERS = ['staff', 'owner', 'admin'] as const;

const settingsOf = (host: string) => ({
  name: host,
  host,
  url: `https://${host}`,
  locale: 'fr',
  email: `hello@${host}`,
});

/** A website without submissions. */
async function addWebsite({ db, cipher }: Services, { teamId }: MatrixIds) {
  const settings = settingsOf(`${randomUUID()}.test`);
  const { id } = await db.orm.$transaction((tx) =>
    createWebsite({ tx, cipher }, { teamId }, settings, TEST_ACTOR),
  );
  return { spareId: id };
}

const rows: Rows = {
  'Query.websites': {
    query: 'query ($teamId: ID) { websites(teamId: $teamId) { edges { node { id teamId } } } }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.website': {
    query:
      'query ($id: ID!) { website(id: $id) { name host email departments { code } team { name } health { kind summary } leadsPerDay lastProbeOk } }',
    variables: ({ websiteId }) => ({ id: websiteId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.departments': {
    query: '{ departments { code name } }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.createWebsite': {
    query:
      'mutation ($teamId: ID!, $input: NewWebsiteInput!) { createWebsite(teamId: $teamId, input: $input) { id } }',
    variables: ({ teamId }) => ({ teamId, input: settingsOf(`${randomUUID()}.test`) }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.updateWebsite': {
    query:
      'mutation ($id: ID!, $input: WebsiteChangesInput!) { updateWebsite(id: $id, input: $input) { id phone } }',
    variables: ({ websiteId }) => ({ id: websiteId, input: { phone: '1' } }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.deleteWebsite': {
    query: 'mutation ($id: ID!) { deleteWebsite(id: $id) }',
    prepare: addWebsite,
    variables: (_ids, { spareId }) => ({ id: spareId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Query.probes': {
    query: 'query ($id: ID!) { probes(websiteId: $id) { id ok } }',
    variables: ({ websiteId }) => ({ id: websiteId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.probeDays': {
    query: 'query ($id: ID!) { probeDays(websiteId: $id) { id ok steps { explanation } } }',
    variables: ({ websiteId }) => ({ id: websiteId }),
    allowed: READERS,
    scope: 'team',
  },
  'Mutation.runProbe': {
    query: 'mutation ($id: ID!) { runProbe(websiteId: $id) { ok startedAt steps { name ok ms detail } } }',
    variables: ({ websiteId }) => ({ id: websiteId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.regenerateSignatureKey': {
    query: 'mutation ($id: ID!) { regenerateSignatureKey(websiteId: $id) }',
    variables: ({ websiteId }) => ({ id: websiteId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.editWebsites': {
    query:
      'mutation ($ids: [ID!]!) { editWebsites(ids: $ids, input: { locale: "en", clearCaptchaChain: true }) }',
    prepare: addWebsite,
    variables: (_ids, { spareId }) => ({ ids: [spareId] }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.importWebsites': {
    query:
      'mutation ($teamId: ID!, $csv: String!) { importWebsites(teamId: $teamId, csv: $csv, dryRun: false) { created } }',
    variables: ({ teamId }) => {
      const host = `${randomUUID()}.test`;
      return { teamId, csv: `name,host,url,locale,email\n${host},${host},https://${host},fr,a@${host}` };
    },
    allowed: MANAGERS,
    scope: 'team',
  },
};

export default rows;
