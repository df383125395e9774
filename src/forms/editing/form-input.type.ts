import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Extensions, Field, InputType } from 'type-graphql';
import { FieldType } from '../../generated/prisma/client.js';
import { maxValues } from '../../graphql/cost.js';
import { RecipientRuleInput } from '../recipients/recipient-rule.type.js';

@InputType({ description: 'The label of an option in another language.' })
class OptionTranslationInput {
  @Field(() => String, { description: 'The language, one that the form is translated into.' })
  locale!: string;

  @Field(() => String, { nullable: true, description: 'The label; null or empty: not translated.' })
  label?: string | null;
}

@InputType({ description: 'A choice of a select, radio or checkbox field.' })
class FieldOptionInput {
  @Field(() => String, { description: 'What is recorded; unique in the field.' })
  value!: string;

  @Field(() => String, { description: 'What is shown, in the source language.' })
  label!: string;

  @Field(() => [OptionTranslationInput], { defaultValue: [], description: 'The label in other languages.' })
  translations!: OptionTranslationInput[];
}

@InputType({ description: 'Texts of a field in another language; null or empty: not translated.' })
class FieldTranslationInput {
  @Field(() => String, { description: 'The language, one that the form is translated into.' })
  locale!: string;

  @Field(() => String, { nullable: true, description: 'The label.' })
  label?: string | null;

  @Field(() => String, { nullable: true, description: 'The text inside the empty field.' })
  placeholder?: string | null;

  @Field(() => String, { nullable: true, description: 'The text beside the field.' })
  helpText?: string | null;

  @Field(() => String, { nullable: true, description: 'http or https address that the label links to.' })
  linkUrl?: string | null;
}

@InputType({ description: 'A field, with its texts in the source language.' })
export class FormFieldInput {
  @Field(() => String, { description: 'Its key in the body of a submission; unique in the form.' })
  name!: string;

  @Field(() => FieldType, { description: 'What it is.' })
  type!: FieldType;

  @Field(() => String, { description: 'The label.' })
  label!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether it must be filled in.' })
  isRequired!: boolean;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether the label is shown.' })
  showLabel!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether it takes several values.' })
  isMultiple!: boolean;

  @Field(() => String, { nullable: true, description: 'The text inside the empty field.' })
  placeholder?: string | null;

  @Field(() => String, { nullable: true, description: 'The text beside the field.' })
  helpText?: string | null;

  @Field(() => String, { nullable: true, description: 'http or https address that the label links to.' })
  linkUrl?: string | null;

  @Field(() => [FieldOptionInput], {
    defaultValue: [],
    description: 'Its choices, in order: required for select and radio, possible for checkbox.',
  })
  options!: FieldOptionInput[];

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'HTML attributes to their values, both text, such as `{"maxlength": "40"}`.',
  })
  attributes?: Record<string, unknown> | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'When it is shown: `{match, rules}`, a rule being `{field, operator, value}`; null: always.',
  })
  visibility?: unknown;

  @Field(() => [FieldTranslationInput], {
    defaultValue: [],
    description: 'Its texts in other languages, one entry for each.',
  })
  translations!: FieldTranslationInput[];
}

@InputType({
  description: 'The texts of the form itself in another language; null or empty: not translated.',
})
class FormTranslationInput {
  @Field(() => String, { description: 'The language, one of the platform and not the source.' })
  locale!: string;

  @Field(() => String, { nullable: true, description: 'The text of the button.' })
  submitButtonText?: string | null;

  @Field(() => String, { nullable: true, description: 'What a visitor reads after submitting.' })
  confirmationMessage?: string | null;

  @Field(() => String, { nullable: true, description: 'The privacy notice.' })
  privacyNoticeText?: string | null;

  @Field(() => String, { nullable: true, description: 'http or https address of the privacy notice.' })
  privacyNoticeUrl?: string | null;
}

/** Maximum values of a form in one operation: those of 40 fields with ten options each, in seven languages. */
const MAX_VALUES = 12_500;

@Extensions(maxValues(MAX_VALUES))
@InputType({ description: 'A whole form: what is left out takes its default.' })
export class FormInput {
  @Field(() => String, { description: 'Its name in the panel; visitors never see it.' })
  name!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether websites show it.' })
  active!: boolean;

  @Field(() => String, { description: 'The language of its own texts, one of the platform.' })
  sourceLocale!: string;

  @Field(() => String, { description: 'The text of the button.' })
  submitButtonText!: string;

  @Field(() => String, { description: 'What a visitor reads after submitting.' })
  confirmationMessage!: string;

  @Field(() => String, { nullable: true, description: 'The privacy notice.' })
  privacyNoticeText?: string | null;

  @Field(() => String, { nullable: true, description: 'http or https address of the privacy notice.' })
  privacyNoticeUrl?: string | null;

  @Field(() => [String], {
    defaultValue: [],
    description: "Where notifications go unless a placement names its own; empty: the website's e-mail.",
  })
  recipients!: string[];

  @Field(() => [RecipientRuleInput], {
    defaultValue: [],
    description: 'Recipients by answer, 20 at most, unless a placement has rules of its own.',
  })
  recipientRules!: RecipientRuleInput[];

  @Field(() => [FormFieldInput], { description: 'Its fields, in order.' })
  fields!: FormFieldInput[];

  @Field(() => [FormTranslationInput], {
    defaultValue: [],
    description: 'The languages that it offers beside its source, one entry for each.',
  })
  translations!: FormTranslationInput[];
}
