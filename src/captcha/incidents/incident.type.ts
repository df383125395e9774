import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { Incident } from '../../generated/prisma/client.js';
import { connectionOf } from '../../graphql/connection.js';

@ObjectType('Incident', {
  description: 'A failure of a captcha step: one entry for each step, reason and minute.',
})
export class IncidentType implements Omit<Incident, 'minute'> {
  @Field(() => ID, { description: 'Identifies the incident.' })
  id!: string;

  @Field(() => ID, { description: 'UUID of the website.' })
  websiteId!: string;

  @Field(() => String, { name: 'linkKey', description: 'Key of the step, as in `turnstile:main`.' })
  stepKey!: string;

  @Field(() => String, {
    description:
      'Why, as a word: `pass_through`, `timeout`, `network_error`, `server_error`, `secret_missing`, `secret_refused`.',
  })
  reason!: string;

  @Field(() => Int, { description: 'How often in this minute.' })
  count!: number;

  @Field(() => String, { description: 'The request that raised it first in this minute.' })
  requestId!: string;

  @Field(() => Date, { description: 'When it first happened in this minute.' })
  firstSeenAt!: Date;

  @Field(() => Date, { description: 'When it last happened in this minute.' })
  lastSeenAt!: Date;
}

export const IncidentConnection = connectionOf(IncidentType, 'Incident');
