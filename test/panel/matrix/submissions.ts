import { randomUUID } from 'node:crypto';
import { recordedLeads } from '../../support/leads.js';
import type { Made, MatrixIds, Row, Rows } from './row.js';

const everybody = ['staff', 'owner', 'admin', 'member'] as const;
const managers = ['staff', 'owner', 'admin'] as const;

/** A submission of a case's own, since the operation changes or deletes it. */
const prepare: Row['prepare'] = async (services, { websiteId }) => {
  const [submissionId] = await recordedLeads(services, websiteId, 1);
  return { submissionId: submissionId! };
};

const ofTeam = ({ teamId }: MatrixIds) => ({ filter: { teamId: String(teamId) } });
const ofMade = (_ids: MatrixIds, { submissionId }: Made) => ({ ids: [submissionId] });

const ofSelection = (ids: MatrixIds, made: Made) => ({ selection: ofMade(ids, made) });

const read = { allowed: everybody, scope: 'team' } as const;
const manage = { allowed: managers, scope: 'team', prepare } as const;

const ofViewer = { allowed: [...everybody, 'stranger'], scope: 'viewer' } as const;

/** A view of the caller's own. */
const addView: Row['prepare'] = async ({ db }, { ownerId }, { userId }) => {
  const data = { userId: userId ?? ownerId, name: randomUUID(), filter: {} };
  return { viewId: (await db.orm.savedView.create({ data })).id };
};

const statistic = (name: string, fields: string): Row => ({
  ...read,
  query: `query ($filter: StatisticsFilter) { ${name}(filter: $filter) { ${fields} } }`,
  variables: ofTeam,
});

export default {
  'Query.submissions': {
    ...read,
    query: 'query ($filter: SubmissionFilter) { submissions(filter: $filter) { edges { node { id } } } }',
    variables: ofTeam,
  },
  'Query.submissionCounts': {
    ...read,
    query: 'query ($filter: SubmissionFilter) { submissionCounts(filter: $filter) { total } }',
    variables: ofTeam,
  },
  'Query.newSubmissions': {
    ...read,
    query: 'query ($filter: SubmissionFilter) { newSubmissions(filter: $filter) { count isExact } }',
    variables: ofTeam,
  },
  'Query.quotaHeld': {
    ...read,
    query: 'query ($teamId: ID!) { quotaHeld(teamId: $teamId) { month held room } }',
    variables: ({ teamId }) => ({ teamId }),
  },
  'Mutation.sendHeld': {
    allowed: managers,
    scope: 'team',
    query: 'mutation ($teamId: ID!) { sendHeld(teamId: $teamId) { handedOver held } }',
    variables: ({ teamId }) => ({ teamId }),
  },
  'Query.submission': {
    ...read,
    query: 'query ($id: ID!) { submission(id: $id) { id notes { text } } }',
    variables: ({ submissionId }) => ({ id: submissionId }),
  },
  'Query.submissionsPerDay': statistic('submissionsPerDay', 'day count'),
  'Query.submissionsPerForm': statistic('submissionsPerForm', 'formId count'),
  'Query.submissionBreakdown': {
    ...read,
    query: `query ($filter: StatisticsFilter) {
      submissionBreakdown(filter: $filter, by: FORM) { items { name submissions } } }`,
    variables: ofTeam,
  },
  'Query.submissionsPerLanguage': statistic('submissionsPerLanguage', 'locale count'),
  'Query.notificationOutcomes': statistic('notificationOutcomes', 'state count'),
  'Query.captchaVerdicts': statistic('captchaVerdicts', 'linkKey count'),
  'Query.silentWebsites': {
    ...read,
    query: 'query ($teamId: ID) { silentWebsites(teamId: $teamId) { websiteId } }',
    variables: ({ teamId }) => ({ teamId }),
  },
  'Mutation.setSubmissionState': {
    ...manage,
    query: 'mutation ($ids: [ID!]!) { setSubmissionState(ids: $ids, state: done) }',
    variables: ofMade,
  },
  'Mutation.setStateOfSelected': {
    ...manage,
    // What is not there, or not the viewer's to see, is skipped.
    empties: true,
    query:
      'mutation ($selection: SubmissionSelection!) { setStateOfSelected(selection: $selection, state: done) { matched } }',
    variables: ofSelection,
  },
  'Mutation.sendSelectedAgain': {
    ...manage,
    // What is not there, or not the viewer's to see, is skipped.
    empties: true,
    query:
      'mutation ($selection: SubmissionSelection!) { sendSelectedAgain(selection: $selection) { matched } }',
    variables: ofSelection,
  },
  'Mutation.forwardSubmission': {
    ...manage,
    query:
      'mutation ($id: ID!) { forwardSubmission(submissionId: $id, recipients: ["a@b.test"]) { outcome } }',
    variables: (_ids, { submissionId }) => ({ id: submissionId }),
  },
  'Mutation.deleteSelected': {
    ...manage,
    empties: true,
    query:
      'mutation ($selection: SubmissionSelection!) { deleteSelected(selection: $selection) { matched } }',
    variables: ofSelection,
  },
  'Query.savedViews': {
    ...ofViewer,
    query: '{ savedViews { id name filter } }',
    variables: () => ({}),
  },
  'Mutation.saveView': {
    ...ofViewer,
    query: 'mutation ($name: String!) { saveView(name: $name, filter: { states: [new] }) { id } }',
    variables: () => ({ name: randomUUID() }),
  },
  'Mutation.renameView': {
    ...ofViewer,
    prepare: addView,
    query: 'mutation ($id: ID!, $name: String!) { renameView(id: $id, name: $name) { id } }',
    variables: (_ids, { viewId }) => ({ id: viewId, name: randomUUID() }),
  },
  'Mutation.deleteView': {
    ...ofViewer,
    prepare: addView,
    query: 'mutation ($id: ID!) { deleteView(id: $id) }',
    variables: (_ids, { viewId }) => ({ id: viewId }),
  },
  'Mutation.addSubmissionNote': {
    ...manage,
    query: 'mutation ($id: ID!) { addSubmissionNote(submissionId: $id, text: "Called back.") { id } }',
    variables: (_ids, { submissionId }) => ({ id: submissionId }),
  },
  'Mutation.deleteSubmissionNote': {
    ...manage,
    query: 'mutation ($id: ID!) { deleteSubmissionNote(id: $id) }',
    prepare: async (services, { websiteId }, { userId }) => {
      const [submissionId] = await recordedLeads(services, websiteId, 1);
      const data = { submissionId: submissionId!, authorId: userId, text: 'Mine.' };
      return { noteId: (await services.db.orm.submissionNote.create({ data })).id };
    },
    variables: (_ids, { noteId }) => ({ id: noteId }),
  },
  'Mutation.sendAgain': {
    ...manage,
    query: 'mutation ($ids: [ID!]!) { sendAgain(ids: $ids) { outcome } }',
    variables: ofMade,
  },
  'Mutation.deleteSubmissions': {
    ...manage,
    query: 'mutation ($ids: [ID!]!) { deleteSubmissions(ids: $ids) }',
    variables: ofMade,
  },
  'Mutation.eraseEmailAddress': {
    ...manage,
    query: 'mutation ($teamId: ID!) { eraseEmailAddress(teamId: $teamId, email: "v@x.test") }',
    variables: ({ teamId }) => ({ teamId }),
  },
} satisfies Rows;
