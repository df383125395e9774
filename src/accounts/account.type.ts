import { Field, ID, ObjectType } from 'type-graphql';
import type { ListedSession } from './sessions.service.js';

@ObjectType({ description: 'A login of the viewer.' })
export class SessionType implements ListedSession {
  @Field(() => ID, { description: 'Identifies the session; it is not the secret in the cookie.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Address from which it was opened.' })
  ip!: string | null;

  @Field(() => String, { nullable: true, description: 'Browser that opened it.' })
  userAgent!: string | null;

  @Field(() => Date, { description: 'When it was opened.' })
  createdAt!: Date;

  @Field(() => Date, { description: 'When it was last used, to the minute.' })
  lastSeenAt!: Date;

  @Field(() => Date, { description: 'When it ends by itself.' })
  expiresAt!: Date;

  @Field(() => Boolean, { description: 'Whether it is the one that asks.' })
  current!: boolean;
}

@ObjectType('Viewer', { description: 'Whoever is logged in.' })
export class ViewerType {
  @Field(() => ID, { description: 'Identifies the account.' })
  userId!: number;

  @Field(() => String, { description: 'The login name.' })
  email!: string;

  @Field(() => String, { description: 'Name of the person.' })
  name!: string;

  @Field(() => Boolean, { description: 'Agency staff see and manage every team.' })
  staff!: boolean;
}
