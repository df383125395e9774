import { randomBytes } from 'node:crypto';
import type { Services } from '../../../src/services.js';
import { TEST_ACTOR } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { type MatrixIds, type Rows, WHO } from './row.js';

const unique = () => randomBytes(6).toString('hex');

/** Somebody who has just joined a team. */
async function joined(services: Services, { teamId }: MatrixIds) {
  const userId = await createAccount(services, { email: `${unique()}@fresh.test` });
  await services.db.orm.$transaction((tx) =>
    services.teams.setRole(tx, { teamId, userId }, 'member', TEST_ACTOR),
  );
  return { userId };
}

/** A pending invitation of a caller, or of an address that has no account. */
async function invited({ db, oneTimeLinks }: Services, { teamId }: MatrixIds, address?: string | null) {
  const email = address ?? `${unique()}@fresh.test`;
  const row = await db.orm.oneTimeLink.create({
    data: {
      purpose: 'invitation',
      teamId,
      email,
      name: 'New',
      role: 'member',
      ...oneTimeLinks.lifetimeOf('invitation'),
    },
  });
  return { id: row.id, token: oneTimeLinks.addressOf(row).split('#')[1]! };
}

const MANAGERS = ['staff', 'owner', 'admin'] as const;

const rows: Rows = {
  'Query.plans': {
    query:
      '{ plans { id code name notificationsPerMonth submissionsPerMinute submissionsPerHour teamCount } }',
    variables: () => ({}),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.createPlan': {
    query: 'mutation ($code: String!) { createPlan(input: { code: $code, name: "Plan" }) { id } }',
    variables: () => ({ code: unique() }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.updatePlan': {
    query: 'mutation ($id: ID!) { updatePlan(id: $id, input: { notificationsPerMonth: 7 }) { id } }',
    prepare: async ({ db }) => ({
      id: (await db.orm.plan.create({ data: { code: unique(), name: 'P' } })).id,
    }),
    variables: (_ids, { id }) => ({ id }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.setMonthlyReport': {
    query: 'mutation ($teamId: ID!) { setMonthlyReport(teamId: $teamId, enabled: true) }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Query.teams': {
    query: 'query ($search: String!) { teams(search: $search) { edges { node { id slug } } } }',
    variables: ({ slug }) => ({ search: slug }),
    allowed: ['staff', 'owner', 'admin', 'member'],
    scope: 'team',
    empties: true,
  },
  'Query.team': {
    query: `query ($id: ID) {
      team(id: $id) { slug name active websiteCount notificationsUsed plan { code } usage { month limit } members { role account { email } } }
    }`,
    variables: ({ teamId }) => ({ id: teamId }),
    allowed: ['staff', 'owner', 'admin', 'member'],
    scope: 'team',
  },
  'Mutation.createTeam': {
    query: `mutation ($slug: String!, $planId: ID!) {
      createTeam(input: { slug: $slug, name: "Team", planId: $planId }) { id }
    }`,
    variables: ({ planId }) => ({ slug: unique(), planId }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.updateTeam': {
    query: 'mutation ($id: ID!, $name: String!) { updateTeam(id: $id, input: { name: $name }) { id } }',
    variables: ({ teamId, slug }) => ({ id: teamId, name: slug }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.inviteMember': {
    query: `mutation ($teamId: ID!, $email: String!) {
      inviteMember(teamId: $teamId, input: { email: $email, name: "New", role: member }) { id account { id } }
    }`,
    variables: ({ teamId }) => ({ teamId, email: `${unique()}@fresh.test` }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Query.invitations': {
    query: `query ($teamId: ID!) {
      invitations(teamId: $teamId) { id email name role invitedBy createdAt expiresAt }
    }`,
    prepare: (services, ids) => invited(services, ids),
    variables: ({ teamId }) => ({ teamId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.revokeInvitation': {
    query: 'mutation ($id: ID!) { revokeInvitation(id: $id) }',
    prepare: (services, ids) => invited(services, ids),
    variables: (_ids, { id }) => ({ id }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Query.followedInvitation': {
    query: `query ($token: String!) {
      followedInvitation(token: $token) { email team { name } role invitedBy expiresAt hasPassword }
    }`,
    prepare: (services, ids) => invited(services, ids),
    variables: (_ids, { token }) => ({ token }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Mutation.acceptInvitation': {
    query: `mutation ($token: String!) {
      acceptInvitation(token: $token, password: "battery staple")
    }`,
    prepare: (services, ids) => invited(services, ids),
    variables: (_ids, { token }) => ({ token }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Mutation.declineInvitation': {
    query: 'mutation ($id: ID!) { declineInvitation(id: $id) }',
    prepare: (services, ids, { email }) => invited(services, ids, email),
    variables: (_ids, { id }) => ({ id }),
    allowed: WHO.filter((who) => who !== 'nobody'),
    scope: 'viewer',
  },
  'Mutation.changeRole': {
    query: `mutation ($teamId: ID!, $userId: ID!) {
      changeRole(teamId: $teamId, userId: $userId, role: admin) { role }
    }`,
    prepare: joined,
    variables: ({ teamId }, { userId }) => ({ teamId, userId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.removeMember': {
    query: 'mutation ($teamId: ID!, $userId: ID!) { removeMember(teamId: $teamId, userId: $userId) }',
    prepare: joined,
    variables: ({ teamId }, { userId }) => ({ teamId, userId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.transferOwnership': {
    query: `mutation ($teamId: ID!, $userId: ID!, $from: ID) {
      transferOwnership(teamId: $teamId, userId: $userId, fromUserId: $from) { role }
    }`,
    // Of an owner that the case brings along, so that the team keeps its own.
    prepare: async (services, ids) => {
      const [{ userId: from }, { userId }] = [await joined(services, ids), await joined(services, ids)];
      const { teamId } = ids;
      await services.db.orm.$transaction((tx) =>
        services.teams.setRole(tx, { teamId, userId: from }, 'owner', TEST_ACTOR),
      );
      return { from, userId };
    },
    variables: ({ teamId }, { from, userId }) => ({ teamId, userId, from }),
    allowed: ['staff', 'owner'],
    scope: 'team',
  },
  'Query.tokens': {
    query: 'query ($teamId: ID!) { tokens(teamId: $teamId) { id name abilities bearer { email } } }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.createToken': {
    query: `mutation ($teamId: ID!) {
      createToken(teamId: $teamId, input: { name: "CRM", abilities: [team_read] }) { value }
    }`,
    variables: ({ teamId }) => ({ teamId }),
    allowed: ['owner', 'admin'],
    scope: 'team',
  },
  'Mutation.revokeTokens': {
    query: 'mutation ($teamId: ID!) { revokeTokens(teamId: $teamId) }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.revokeToken': {
    query: 'mutation ($id: ID!) { revokeToken(id: $id) }',
    prepare: async ({ tokens }, { teamId, ownerId }) => {
      const token = { teamId, userId: ownerId, name: 'T', abilities: [], expiresAt: null };
      return { id: (await tokens.create(token, TEST_ACTOR)).token.id };
    },
    variables: (_ids, { id }) => ({ id }),
    allowed: MANAGERS,
    scope: 'team',
  },
};

export default rows;
