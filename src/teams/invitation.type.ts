import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { z } from 'zod';
import { loginName } from '../accounts/account.type.js';
import { Role } from '../generated/prisma/enums.js';
import { personName } from '../lib/input.schema.js';
import type { FollowedInvitation, ReceivedInvitation } from './invitation-answers.service.js';
import type { Invitation } from './invitations.service.js';

@ObjectType('InvitedAccount', { description: 'An invited person in the shape of an account.' })
export class InvitedAccountType {
  @Field(() => ID, { description: 'That of the invitation; no account has it.' })
  id!: string;

  @Field(() => String, { description: 'The address that is invited.' })
  email!: string;

  @Field(() => String, { description: 'The name that the invitation gives.' })
  name!: string;

  @Field(() => Boolean, { description: 'False, whatever account the address may have.' })
  staff!: boolean;

  @Field(() => Boolean, { description: 'False, whatever account the address may have.' })
  canLogIn!: boolean;

  @Field(() => Date, { description: 'That of the invitation.' })
  createdAt!: Date;
}

@ObjectType('Invitation', {
  description:
    'A pending invitation to a team. It reveals nothing about an account that the address may have.',
})
export class InvitationType implements Omit<Invitation, 'teamId'> {
  @Field(() => ID, { description: 'Identifies the invitation.' })
  id!: string;

  @Field(() => String, { description: 'The address that is invited.' })
  email!: string;

  @Field(() => String, { description: 'Name of the person, for a new account.' })
  name!: string;

  @Field(() => Role, { description: 'What the person may do in the team after accepting.' })
  role!: Role;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the inviter; null when the account has been deleted.',
  })
  invitedBy!: string | null;

  @Field(() => Date, { description: 'When its latest e-mail was requested.' })
  createdAt!: Date;

  @Field(() => Date, { description: 'Until when it can be accepted.' })
  expiresAt!: Date;
}

@ObjectType('InvitingTeam', { description: 'A team, as those see it who do not belong to it yet.' })
class InvitingTeamType {
  @Field(() => String, { description: 'Name of the team.' })
  name!: string;
}

@ObjectType('ReceivedInvitation', { description: 'A pending invitation of the viewer’s address to a team.' })
export class ReceivedInvitationType implements ReceivedInvitation {
  @Field(() => ID, { description: 'Identifies the invitation.' })
  id!: string;

  @Field(() => InvitingTeamType, { description: 'The team that invites.' })
  team!: InvitingTeamType;

  @Field(() => Role, { description: 'What the viewer may do in the team after accepting.' })
  role!: Role;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the inviter; null when the account has been deleted.',
  })
  invitedBy!: string | null;

  @Field(() => Date, { description: 'Until when it can be accepted.' })
  expiresAt!: Date;
}

@ObjectType('FollowedInvitation', {
  description: 'A pending invitation, for the holder of its one-time link.',
})
export class FollowedInvitationType implements Omit<FollowedInvitation, 'id'> {
  @Field(() => String, { description: 'The address that is invited.' })
  email!: string;

  @Field(() => InvitingTeamType, { description: 'The team that invites.' })
  team!: InvitingTeamType;

  @Field(() => Role, { description: 'What the person may do in the team after accepting.' })
  role!: Role;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the inviter; null when the account has been deleted.',
  })
  invitedBy!: string | null;

  @Field(() => Date, { description: 'Until when it can be accepted.' })
  expiresAt!: Date;

  @Field(() => Boolean, {
    description: 'Whether the address has an account with a password, which then accepts.',
  })
  hasPassword!: boolean;
}

@InputType({ description: 'Who is to become a member.' })
export class InviteMemberInput {
  @Field(() => String, { description: 'E-mail address that is invited, whether it has an account or not.' })
  email!: string;

  @Field(() => String, { description: 'Name of the person, for a new account.' })
  name!: string;

  @Field(() => Role, { description: 'What the person may do in the team after accepting.' })
  role!: Role;
}

export const invitedMember = z.object({ email: loginName, name: personName, role: z.enum(Role) });
