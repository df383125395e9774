import { Field, ID, ObjectType } from 'type-graphql';
import type { ListedSession } from './sessions.service.js';

@ObjectType('Session', { description: 'A login of the viewer.' })
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

  @Field(() => Boolean, { description: 'Whether it is the session of this request.' })
  current!: boolean;
}
