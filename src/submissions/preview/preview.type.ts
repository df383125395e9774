import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';
import { MatchedRuleType } from '../../forms/recipients/recipient-rule.type.js';
import { listCost } from '../../graphql/cost.js';

@ObjectType('TestRecipient', { description: 'Who would be notified of a test submission.' })
class TestRecipientType {
  @Field(() => String, { description: 'The address.' })
  address!: string;

  @Field(() => MatchedRuleType, {
    nullable: true,
    description: 'The rule that chooses it; null: it is a default recipient.',
  })
  rule!: MatchedRuleType | null;
}

@ObjectType('TestEmail', { description: 'The e-mail that a test submission would cause.' })
class TestEmailType {
  @Field(() => String, { description: 'Its subject.' })
  subject!: string;

  @Field(() => String, { description: 'Its text part.' })
  text!: string;
}

@ObjectType('TestSubmission', {
  description: 'How the gateway would answer a submission; nothing is recorded.',
})
export class TestSubmissionType {
  @Field(() => GraphQLJSONObject, {
    description:
      'Messages by the name of their field, as visitors get them; empty when it would be accepted.',
  })
  errors!: Record<string, readonly string[]>;

  @Field(() => String, { description: 'The confirmation message, or what is shown above the messages.' })
  message!: string;

  @Field(() => [TestRecipientType], {
    description: 'Who would be notified; empty where there are errors.',
    complexity: listCost(5),
  })
  recipients!: readonly TestRecipientType[];

  @Field(() => TestEmailType, {
    nullable: true,
    description: 'What they would be sent; null without a website, and where there are errors.',
  })
  email!: TestEmailType | null;
}
