import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { z } from 'zod';
import { AccountType } from '../accounts/account.type.js';
import type { Team } from '../generated/prisma/client.js';
import { Role } from '../generated/prisma/enums.js';
import { connectionOf } from '../graphql/connection.js';
import { label, slug } from '../lib/input.schema.js';
import type { Member } from './members.service.js';

registerEnumType(Role, {
  name: 'Role',
  description: 'The rights of a member in a team.',
  valuesConfig: {
    owner: { description: 'Manages the team, its owners included.' },
    admin: { description: 'Manages the team.' },
    member: { description: 'Sees what the team has.' },
  },
});

@ObjectType('Team', { description: 'A client organization.' })
export class TeamType implements Pick<Team, 'id' | 'slug' | 'name' | 'active' | 'planId' | 'createdAt'> {
  @Field(() => ID, { description: 'Identifies the team.' })
  id!: number;

  @Field(() => String, { description: 'Names the team in addresses and documents.' })
  slug!: string;

  @Field(() => String, { description: 'Name of the team.' })
  name!: string;

  @Field(() => Boolean, {
    description:
      'False while the team is suspended: it keeps its data, but its tokens and websites are refused.',
  })
  active!: boolean;

  planId!: number;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;
}

export const TeamConnection = connectionOf(TeamType, 'Team');

@ObjectType('Member', { description: 'An account that belongs to a team.' })
export class MemberType implements Omit<Member, 'teamId'> {
  @Field(() => AccountType, { description: 'Who it is.' })
  account!: AccountType;

  @Field(() => Role, { description: 'What the account may do in the team.' })
  role!: Role;

  @Field(() => Date, { description: 'Since when it belongs to the team.' })
  createdAt!: Date;
}

@ObjectType('Membership', { description: 'A team that the viewer belongs to.' })
export class MembershipType {
  @Field(() => TeamType, { description: 'The team.' })
  team!: TeamType;

  @Field(() => Role, { description: 'What the viewer may do in it.' })
  role!: Role;
}

@InputType({ description: 'A new team, without members.' })
export class CreateTeamInput {
  @Field(() => String, { description: 'Up to 100 letters, digits, - and _; unique and immutable.' })
  slug!: string;

  @Field(() => String, { description: 'Name of the team.' })
  name!: string;

  @Field(() => ID, { description: 'Its plan.' })
  planId!: string;
}

@InputType({ description: 'Fields of a team to change; omitted fields keep their values.' })
export class UpdateTeamInput {
  @Field(() => String, { nullable: true, description: 'Name of the team.' })
  name?: string;

  @Field(() => Boolean, { nullable: true, description: 'False suspends the team.' })
  active?: boolean;

  @Field(() => ID, { nullable: true, description: 'Its plan.' })
  planId?: string;
}

export const newTeam = z.object({ slug, name: label });

export const teamSettings = z.object({ name: label.optional(), active: z.boolean().optional() });
