import { randomUUID } from 'node:crypto';
import type { Services } from '../../../src/services.js';
import { TEST_ACTOR } from '../../support/factories.js';
import type { MatrixIds, Rows } from './row.js';

const read = { allowed: ['staff', 'owner', 'admin', 'member'], scope: 'team' } as const;
const manage = { allowed: ['staff', 'owner', 'admin'], scope: 'team' } as const;

const addRule = async ({ spamRules }: Services, { teamId }: MatrixIds) => ({
  ruleId: (await spamRules.add(teamId, 'blocked_word', randomUUID(), TEST_ACTOR)).id,
});

const rows: Rows = {
  'Query.spamSettings': {
    ...read,
    query: 'query ($teamId: ID!) { spamSettings(teamId: $teamId) { filter threshold keptDays } }',
    variables: ({ teamId }) => ({ teamId }),
  },
  'Mutation.updateSpamSettings': {
    ...manage,
    query:
      'mutation ($teamId: ID!) { updateSpamSettings(teamId: $teamId, input: { threshold: 100 }) { threshold } }',
    variables: ({ teamId }) => ({ teamId }),
  },
  'Mutation.setFormSpamFilter': {
    ...manage,
    query: 'mutation ($formId: ID!) { setFormSpamFilter(formId: $formId, filter: null) { spamFilter } }',
    variables: ({ formId }) => ({ formId }),
  },
  'Query.spamEffect': {
    ...read,
    query: 'query ($teamId: ID!) { spamEffect(teamId: $teamId, threshold: 80) { submissions spam notSpam } }',
    variables: ({ teamId }) => ({ teamId }),
  },
  'Query.spamTraining': {
    query: '{ spamTraining { spam leads needed } }',
    variables: () => ({}),
    allowed: ['staff'],
    scope: 'viewer',
  },
  'Query.spamRules': {
    ...read,
    query: 'query ($teamId: ID!) { spamRules(teamId: $teamId) { edges { node { kind value } } } }',
    variables: ({ teamId }) => ({ teamId }),
  },
  'Mutation.addSpamRule': {
    ...manage,
    query:
      'mutation ($teamId: ID!, $value: String!) { addSpamRule(teamId: $teamId, kind: blocked_word, value: $value) { id } }',
    variables: ({ teamId }) => ({ teamId, value: randomUUID() }),
  },
  'Mutation.deleteSpamRule': {
    ...manage,
    prepare: addRule,
    query: 'mutation ($id: ID!) { deleteSpamRule(id: $id) }',
    variables: (_ids, { ruleId }) => ({ id: ruleId }),
  },
};

export default rows;
