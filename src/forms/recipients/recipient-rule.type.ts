import { GraphQLJSON } from 'graphql-scalars';
import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { Condition } from '../definition/conditions.js';
import { type MatchedRule, type RecipientRule, RuleScope } from './recipient-rules.js';

const WHEN = {
  description: 'The condition on the answers, as `visibility` of a field: `{match, rules}`.',
};
const RECIPIENTS = { description: 'Where the e-mail then goes, instead of the recipients without a rule.' };

registerEnumType(RuleScope, {
  name: 'RuleScope',
  description: 'Whose rules decide the recipients.',
  valuesConfig: {
    form: { description: 'Those of the form.' },
    placement: { description: 'Those of the form on one website.' },
  },
});

@ObjectType('RecipientRule', { description: 'Recipients of the submissions whose answers meet a condition.' })
export class RecipientRuleType implements RecipientRule {
  @Field(() => GraphQLJSON, WHEN)
  when!: Condition;

  @Field(() => [String], RECIPIENTS)
  recipients!: string[];
}

@InputType({ description: 'Recipients of the submissions whose answers meet a condition.' })
export class RecipientRuleInput {
  @Field(() => GraphQLJSON, WHEN)
  when!: unknown;

  @Field(() => [String], RECIPIENTS)
  recipients!: string[];
}

@ObjectType('MatchedRule', {
  description: 'The rule that chose a recipient, as it was when the submission was recorded.',
})
export class MatchedRuleType implements Omit<MatchedRule, 'recipients'> {
  @Field(() => RuleScope, { description: 'Whose rule it is.' })
  scope!: RuleScope;

  @Field(() => Int, { description: 'Its position among them; the first one is 0.' })
  index!: number;

  @Field(() => GraphQLJSON, WHEN)
  when!: Condition;
}
