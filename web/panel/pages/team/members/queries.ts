import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const MEMBERS = graphql(`
  query teamMembers($id: ID!) {
    team(id: $id) {
      members {
        role
        createdAt
        account {
          id
          name
          email
        }
      }
    }
  }
`);

export type Member = ResultOf<typeof MEMBERS>['team']['members'][number];
export type Role = Member['role'];

export const membersQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'members'],
    queryFn: async ({ signal }) => (await request(MEMBERS, { id }, signal)).team.members,
    // Who was invited may have joined since the page was opened.
    staleTime: 0,
  });

const INVITATIONS = graphql(`
  query teamInvitations($id: ID!) {
    invitations(teamId: $id) {
      id
      email
      name
      role
      invitedBy
      createdAt
      expiresAt
    }
  }
`);

export type Invitation = ResultOf<typeof INVITATIONS>['invitations'][number];

/** The pending invitations of a team, for those who manage it. */
export const invitationsQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'invitations'],
    queryFn: async ({ signal }) => (await request(INVITATIONS, { id }, signal)).invitations,
    staleTime: 0,
  });

export const INVITE = graphql(`
  mutation inviteMember($teamId: ID!, $input: InviteMemberInput!) {
    inviteMember(teamId: $teamId, input: $input) {
      id
    }
  }
`);

export const REVOKE_INVITATION = graphql(`
  mutation revokeInvitation($id: ID!) {
    revokeInvitation(id: $id)
  }
`);

export const CHANGE_ROLE = graphql(`
  mutation changeRole($teamId: ID!, $userId: ID!, $role: Role!) {
    changeRole(teamId: $teamId, userId: $userId, role: $role) {
      role
    }
  }
`);

export const REMOVE = graphql(`
  mutation removeMember($teamId: ID!, $userId: ID!) {
    removeMember(teamId: $teamId, userId: $userId)
  }
`);

export const HAND_OVER = graphql(`
  mutation transferOwnership($teamId: ID!, $userId: ID!, $from: ID!) {
    transferOwnership(teamId: $teamId, userId: $userId, fromUserId: $from) {
      role
    }
  }
`);
