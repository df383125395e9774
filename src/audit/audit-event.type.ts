import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { AuditChannel } from '../generated/prisma/enums.js';
import { connectionOf, PageArgs } from '../graphql/connection.js';
import type { AuditEntry } from './audit-log.queries.js';

registerEnumType(AuditChannel, {
  name: 'AuditChannel',
  description: 'The channel of an action.',
  valuesConfig: {
    api: { description: 'The REST API, with a token.' },
    panel: { description: 'This API.' },
    command_line: { description: 'The `formgate` command.' },
    provision: { description: 'A provision document.' },
    system: { description: 'Formgate itself.' },
  },
});

@ObjectType('AuditEvent', { description: 'Who did what, when and from where.' })
export class AuditEventType implements Omit<AuditEntry, 'at'> {
  @Field(() => ID, { description: 'Identifies the event.' })
  id!: string;

  @Field(() => Date, { description: 'When it happened.' })
  createdAt!: Date;

  @Field(() => ID, { nullable: true, description: 'The team concerned; null: the installation, an account.' })
  teamId!: number | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The account that acted; null when it was no person.',
  })
  actorId!: number | null;

  @Field(() => AuditChannel, { description: 'The channel through which it came.' })
  channel!: AuditChannel;

  @Field(() => String, { description: 'What was done, as in `token.created`.' })
  action!: string;

  @Field(() => String, { description: 'Kind of thing it was done to, as in `token`.' })
  subjectType!: string;

  @Field(() => String, { description: 'Which of that kind.' })
  subjectId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Address it came from, when it came over the network; that of staff is shown to staff only.',
  })
  ip!: string | null;

  @Field(() => GraphQLJSONObject, { description: 'More about it; never a secret, never a visitor’s data.' })
  detail!: Record<string, unknown>;
}

export const AuditEventConnection = connectionOf(AuditEventType, 'AuditEvent');

@ArgsType()
export class AuditArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: 'Of this team; staff alone may leave it out.' })
  teamId?: string | null;

  @Field(() => ID, { nullable: true, description: 'By this account.' })
  actorId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Filters by action, as in `token.created`; a trailing dot matches a prefix.',
  })
  action?: string | null;

  @Field(() => Date, { nullable: true, description: 'Since this instant.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Before this instant.' })
  until?: Date | null;
}
