import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { InjectionPosition, type Placement } from '../../generated/prisma/client.js';
import { listCost } from '../../graphql/cost.js';
import { RecipientRuleInput, RecipientRuleType } from '../recipients/recipient-rule.type.js';

registerEnumType(InjectionPosition, {
  name: 'InjectionPosition',
  description: 'Where a form is put in relation to the element that its selector finds.',
});

@ObjectType('FormLink', { description: 'A form on a website, with the settings that belong to the pair.' })
export class PlacementType implements Omit<Placement, 'appearance' | 'teamId' | 'recipientRules'> {
  @Field(() => ID, { description: 'UUID of the website.' })
  websiteId!: string;

  @Field(() => ID, { description: 'The form.' })
  formId!: number;

  @Field(() => Boolean, { description: 'Whether the website shows the form.' })
  enabled!: boolean;

  @Field(() => String, { nullable: true, description: 'CSS selector of the element that takes the form.' })
  cssSelector!: string | null;

  @Field(() => InjectionPosition, { description: 'Where the form goes in relation to that element.' })
  injectionPosition!: InjectionPosition;

  @Field(() => String, { nullable: true, description: 'Markup around the form: structure only.' })
  htmlWrapper!: string | null;

  @Field(() => GraphQLJSONObject, { description: 'CSS custom properties to their values.' })
  appearance!: unknown;

  @Field(() => String, {
    nullable: true,
    description: "Replaces the form's confirmation message, in the language of the website only.",
  })
  confirmationMessage!: string | null;

  @Field(() => [String], { description: "Replace the form's recipients; empty: the form's." })
  recipients!: string[];

  @Field(() => [RecipientRuleType], {
    description: "Replace the form's recipients by answer; empty: the form's.",
    complexity: listCost(5),
  })
  recipientRules!: unknown;
}

@InputType('FormLinkInput', { description: 'The settings of a form on a website as a whole.' })
export class PlacementInput {
  @Field(() => Boolean, { defaultValue: true, description: 'Whether the website shows the form.' })
  enabled!: boolean;

  @Field(() => String, { nullable: true, description: 'CSS selector of the element that takes the form.' })
  cssSelector?: string | null;

  @Field(() => InjectionPosition, {
    defaultValue: InjectionPosition.inside,
    description: 'Where the form goes in relation to that element.',
  })
  injectionPosition!: InjectionPosition;

  @Field(() => String, {
    nullable: true,
    description: 'Markup around the form: grouping elements with plain attributes and nothing else.',
  })
  htmlWrapper?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'CSS custom properties to their values, such as `{"--accent": "#036"}`.',
  })
  appearance?: Record<string, unknown> | null;

  @Field(() => String, {
    nullable: true,
    description: "Replaces the form's confirmation message, in the language of the website only.",
  })
  confirmationMessage?: string | null;

  @Field(() => [String], {
    defaultValue: [],
    description: "Replace the form's recipients; empty: the form's.",
  })
  recipients!: string[];

  @Field(() => [RecipientRuleInput], {
    defaultValue: [],
    description: "Replace the form's recipients by answer, 20 at most; empty: the form's.",
  })
  recipientRules!: RecipientRuleInput[];
}
