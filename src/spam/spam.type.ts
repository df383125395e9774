import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { SpamFilter, SpamRuleKind } from '../generated/prisma/enums.js';
import { connectionOf } from '../graphql/connection.js';
import { listCost } from '../graphql/cost.js';
import type { ListedRule } from './rules/spam-rules.service.js';
import type { Effect } from './settings/spam-settings.queries.js';
import type { SpamSettings } from './settings/spam-settings.service.js';
import type { Training } from './teaching/teaching.service.js';
import type { ListedReason } from './verdicts.service.js';

/** The filters by the names that the panel's API gives them. */
export const FilterName = {
  OFF: SpamFilter.off,
  MARK: SpamFilter.mark,
  QUARANTINE: SpamFilter.quarantine,
} as const;

registerEnumType(FilterName, {
  name: 'SpamFilter',
  description: 'What happens to submissions that look like spam.',
  valuesConfig: {
    OFF: { description: 'Nothing is judged.' },
    MARK: { description: 'The e-mail goes; the reasons are shown.' },
    QUARANTINE: { description: 'The e-mail is withheld, and the state is `spam`.' },
  },
});

registerEnumType(SpamRuleKind, {
  name: 'SpamRuleKind',
  description: 'What a team has decided about senders or words.',
  valuesConfig: {
    blocked_sender: { description: 'An e-mail address whose submissions are spam.' },
    blocked_domain: { description: 'A domain whose submissions are spam, those of its subdomains included.' },
    blocked_word: { description: 'Words that only spam contains.' },
    trusted_sender: { description: 'An e-mail address that is never judged.' },
  },
});

@ObjectType('SpamReason', { simpleResolvers: true, description: 'A reason of a verdict.' })
class SpamReasonType implements ListedReason {
  @Field(() => String, { description: 'Names the signal.' })
  signal!: string;

  @Field(() => Int, {
    description: 'What it adds to the points; below zero where it speaks less for spam than others.',
  })
  points!: number;

  @Field(() => String, { description: 'The reason in English.' })
  en!: string;

  @Field(() => String, { description: 'The reason in French.' })
  fr!: string;
}

@ObjectType('SpamVerdict', { description: 'How a submission was judged before its e-mail went.' })
export class SpamVerdictType {
  @Field(() => Int, { description: 'The sum of its points, never below zero.' })
  score!: number;

  @Field(() => Int, { description: 'The points from which it was spam then.' })
  threshold!: number;

  @Field(() => FilterName, { description: 'The filter of that time.' })
  filter!: SpamFilter;

  @Field(() => [SpamReasonType], {
    description: 'Why, the heaviest reason first.',
    complexity: listCost(5),
  })
  reasons!: SpamReasonType[];

  @Field(() => SpamReasonType, {
    nullable: true,
    description: 'The reason with the most points; null where none speaks for spam.',
  })
  heaviest!: SpamReasonType | null;

  @Field(() => Date, { description: 'When it was judged.' })
  judgedAt!: Date;
}

@ObjectType('SpamSettings', { simpleResolvers: true, description: 'How a team wants spam to be handled.' })
export class SpamSettingsType implements SpamSettings {
  @Field(() => ID, { description: 'The team.' })
  teamId!: number;

  @Field(() => FilterName, { description: 'The filter of its forms that have none of their own.' })
  filter!: SpamFilter;

  @Field(() => Int, { description: 'Points from which a submission is spam.' })
  threshold!: number;

  @Field(() => Int, { nullable: true, description: 'Days after which spam is deleted; null: never.' })
  keptDays!: number | null;
}

@InputType({ description: 'Settings to change; omitted ones keep their values.' })
export class UpdateSpamSettingsInput {
  @Field(() => FilterName, { nullable: true, description: 'The filter.' })
  filter?: SpamFilter;

  @Field(() => Int, { nullable: true, description: 'Points from which a submission is spam: 50 to 300.' })
  threshold?: number;

  @Field(() => Int, { nullable: true, description: 'Days after which spam is deleted; null: never.' })
  keptDays?: number | null;
}

@ObjectType('SpamRule', {
  simpleResolvers: true,
  description: 'What a team has decided about a sender or words.',
})
export class SpamRuleType implements ListedRule {
  @Field(() => ID, { description: 'Identifies the rule.' })
  id!: string;

  @Field(() => ID, { description: 'The team.' })
  teamId!: number;

  @Field(() => SpamRuleKind, { description: 'What it does.' })
  kind!: SpamRuleKind;

  @Field(() => String, { description: 'The address, domain or words, in lower case.' })
  value!: string;

  @Field(() => Date, { description: 'When it was made.' })
  createdAt!: Date;
}

export const SpamRuleConnection = connectionOf(SpamRuleType, 'SpamRule');

@ObjectType('SpamTraining', {
  simpleResolvers: true,
  description: "How far the classifier is trained by the staff's verdicts in this installation.",
})
export class SpamTrainingType implements Training {
  @Field(() => Int, { description: 'Submissions that were marked as spam.' })
  spam!: number;

  @Field(() => Int, { description: 'Submissions that were handled, or taken out of the spam.' })
  leads!: number;

  @Field(() => Int, { description: 'Of each kind it needs as many before it has a say.' })
  needed!: number;
}

@ObjectType('SpamEffect', {
  simpleResolvers: true,
  description: 'What a threshold would have done in the last thirty days.',
})
export class SpamEffectType implements Effect {
  @Field(() => Int, { description: "Visitors' submissions of that time." })
  submissions!: number;

  @Field(() => Int, { description: 'Those that would have been spam.' })
  spam!: number;

  @Field(() => Int, { description: 'Of these, the submissions whose state is another than `spam` now.' })
  notSpam!: number;
}
