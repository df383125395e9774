import { Field, ID, Int, ObjectType } from 'type-graphql';
import { listCost } from '../../graphql/cost.js';
import type { WebsiteCount } from './person.queries.js';

@ObjectType('ErasureOfWebsite', { description: 'What an erasure would delete of one website.' })
export class ErasureOfWebsiteType implements WebsiteCount {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => Int, { description: 'How many submissions.' })
  submissions!: number;
}

@ObjectType('ErasurePreview', { description: 'What `eraseEmailAddress` would delete now.' })
export class ErasurePreviewType {
  @Field(() => Int, { description: 'How many submissions; a lower bound when it is not exact.' })
  submissions!: number;

  @Field(() => Boolean, { description: 'Whether the count is exact: up to 10,000 it is.' })
  isExact!: boolean;

  @Field(() => [ErasureOfWebsiteType], {
    description: 'The websites that they came from, the most first.',
    complexity: listCost(20),
  })
  websites!: ErasureOfWebsiteType[];
}
