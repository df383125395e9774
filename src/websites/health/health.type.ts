import { Field, Int, ObjectType } from 'type-graphql';
import type { Health } from './health.queries.js';

@ObjectType('WebsiteHealth', { description: 'What is wrong with a website, as far as the gateway sees it.' })
export class WebsiteHealthType implements Health {
  @Field(() => Date, {
    nullable: true,
    description:
      'When the last submission came, of a website that is silent as in `silentWebsites`; null for any other.',
  })
  silentSince!: Date | null;

  @Field(() => Int, { description: 'Captcha incidents of the last 7 days.' })
  incidents!: number;

  @Field(() => Int, {
    description:
      'Submissions of the last 7 days whose e-mail has failed or had no recipient, without spam and archived ones.',
  })
  failedEmails!: number;
}
