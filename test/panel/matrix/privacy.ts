import { recordedLeads } from '../../support/leads.js';
import type { MatrixIds, Row, Rows } from './row.js';

const everybody = ['staff', 'owner', 'admin', 'member'] as const;
const managers = ['staff', 'owner', 'admin'] as const;

const read = { allowed: everybody, scope: 'team' } as const;
const manage = { allowed: managers, scope: 'team' } as const;

const ofTeam = ({ teamId }: MatrixIds) => ({ teamId });

/** A submission of a case's own, since the operation changes it. */
const addLead: Row['prepare'] = async (services, { websiteId }) => {
  const [submissionId] = await recordedLeads(services, websiteId, 1);
  return { submissionId: submissionId! };
};

/** The receipt of an erasure that found nothing. */
const addReceipt: Row['prepare'] = async ({ erasures }, { teamId }) => {
  const actor = { userId: null, channel: 'system' } as const;
  return { receiptId: (await erasures.erase(teamId, 'gone@x.test', actor)).id };
};

const INPUT = '{ retentionMonths: 36, forms: [] }';

export default {
  'Query.retention': {
    ...read,
    query: `query ($teamId: ID!) { retention(teamId: $teamId) {
      retentionMonths forms { formId name retentionMonths } latestRun { startedAt } } }`,
    variables: ofTeam,
  },
  'Query.retentionPreview': {
    ...manage,
    query: `query ($teamId: ID!) { retentionPreview(teamId: $teamId, input: ${INPUT}) {
      due held isExact months { month submissions } } }`,
    variables: ofTeam,
  },
  'Mutation.saveRetention': {
    ...manage,
    query: `mutation ($teamId: ID!) { saveRetention(teamId: $teamId, input: ${INPUT}) { retentionMonths version } }`,
    variables: ofTeam,
  },
  'Mutation.setLegalHold': {
    ...manage,
    prepare: addLead,
    query: 'mutation ($id: ID!) { setLegalHold(submissionId: $id, reason: "Dispute.") }',
    variables: (_ids, { submissionId }) => ({ id: submissionId }),
  },
  'Mutation.releaseLegalHold': {
    ...manage,
    prepare: addLead,
    query: 'mutation ($id: ID!) { releaseLegalHold(submissionId: $id) }',
    variables: (_ids, { submissionId }) => ({ id: submissionId }),
  },
  'Query.person': {
    ...read,
    query: `query ($teamId: ID!) { person(teamId: $teamId, email: "visitor@own.test") {
      submissions held notes emails spamRules firstAt lastAt mayErase team { id } } }`,
    variables: ofTeam,
  },
  'Query.erasurePreview': {
    ...manage,
    query: `query ($teamId: ID!) { erasurePreview(teamId: $teamId, email: "v@x.test") {
      submissions held notes emails spamRules websites { submissions website { name } } } }`,
    variables: ofTeam,
  },
  'Mutation.erasePerson': {
    ...manage,
    query: `mutation ($teamId: ID!) { erasePerson(teamId: $teamId, email: "gone@x.test") {
      id addressHash counts { submissions visits } websites { websiteId } } }`,
    variables: ofTeam,
  },
  'Query.erasureReceipts': {
    ...manage,
    prepare: addReceipt,
    query: `query ($teamId: ID!) { erasureReceipts(teamId: $teamId) {
      edges { node { id erasedByName startedAt finishedAt } } } }`,
    variables: ofTeam,
  },
  'Query.checkErasure': {
    ...manage,
    prepare: addReceipt,
    query: 'query ($id: ID!) { checkErasure(receiptId: $id, email: "gone@x.test") { matches isIntact } }',
    variables: (_ids, { receiptId }) => ({ id: receiptId }),
  },
} satisfies Rows;
