import type { Services } from '../../../src/services.js';
import type { MatrixIds, Rows } from './row.js';

const READERS = ['staff', 'owner', 'admin', 'member'] as const;
const MANAGERS = ['staff', 'owner', 'admin'] as const;

const DAY_MS = 86_400_000;

/** A silence of the website, which the list shows. */
async function addSilence({ db, clock }: Services, { websiteId }: MatrixIds) {
  const at = new Date(clock().getTime() - 9 * DAY_MS);
  const habit = { leads: 20, firstAt: new Date(at.getTime() - 9 * DAY_MS), lastAt: at, silentAt: at };
  await db.orm.setAside.deleteMany({ where: { websiteId } });
  await db.orm.leadHabit.upsert({ where: { websiteId }, create: { websiteId, ...habit }, update: habit });
  return {};
}

async function addSetAside({ db, clock }: Services, { websiteId }: MatrixIds) {
  const until = new Date(clock().getTime() + DAY_MS);
  const key = { websiteId, kind: 'SILENT_WEBSITE' };
  await db.orm.setAside.upsert({
    where: { websiteId_kind: key },
    create: { ...key, until },
    update: { until },
  });
  return {};
}

const rows: Rows = {
  'Query.attention': {
    query: `query ($teamId: ID) { attention(teamId: $teamId) {
      edges { node { kind severity teamId summary website { name } form { name } team { name } } }
    } }`,
    variables: ({ teamId }) => ({ teamId }),
    prepare: addSilence,
    allowed: READERS,
    scope: 'team',
  },
  'Query.today': {
    query: `query ($teamId: ID) { today(teamId: $teamId) {
      leads usualLeads leadsPerDay attentionCount emails { sent pending unsent } quotas { teamName used limit }
    } }`,
    variables: ({ teamId }) => ({ teamId }),
    allowed: READERS,
    scope: 'team',
  },
  'Query.setAsides': {
    query: 'query ($id: ID!) { setAsides(websiteId: $id) { kind until reason setByName } }',
    variables: ({ websiteId }) => ({ id: websiteId }),
    prepare: addSetAside,
    allowed: READERS,
    scope: 'team',
  },
  'Mutation.setAside': {
    query: `mutation ($id: ID!, $until: DateTimeISO!) {
      setAside(kind: SILENT_WEBSITE, websiteId: $id, until: $until, reason: "Holidays") { kind until reason }
    }`,
    variables: ({ websiteId }) => ({
      id: websiteId,
      until: new Date(Date.now() + 7 * DAY_MS).toISOString(),
    }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.endSetAside': {
    query: 'mutation ($id: ID!) { endSetAside(kind: SILENT_WEBSITE, websiteId: $id) }',
    variables: ({ websiteId }) => ({ id: websiteId }),
    prepare: addSetAside,
    allowed: MANAGERS,
    scope: 'team',
  },
};

export default rows;
