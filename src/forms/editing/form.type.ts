import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { type Form, FieldType as Type } from '../../generated/prisma/client.js';
import { connectionOf } from '../../graphql/connection.js';
import type { Condition } from '../definition/conditions.js';

registerEnumType(Type, { name: 'FieldType', description: 'What a field of a form can be.' });

@ObjectType('OptionTranslation', { description: 'The label of an option in another language.' })
class OptionTranslationType {
  @Field(() => String, { description: 'The language.' })
  locale!: string;

  @Field(() => String, { description: 'The label.' })
  label!: string;
}

@ObjectType('FieldOption', { description: 'A choice of a select, radio or checkbox field.' })
class FieldOptionType {
  @Field(() => String, { description: 'What is recorded, whatever the language.' })
  value!: string;

  @Field(() => String, { description: 'What is shown, in the source language.' })
  label!: string;

  @Field(() => [OptionTranslationType], { description: 'The label in other languages.' })
  translations!: OptionTranslationType[];
}

@ObjectType('FieldTranslation', {
  description: 'Texts of a field in another language; null falls back on the source language.',
})
class FieldTranslationType {
  @Field(() => String, { description: 'The language.' })
  locale!: string;

  @Field(() => String, { nullable: true, description: 'The label.' })
  label!: string | null;

  @Field(() => String, { nullable: true, description: 'The text inside the empty field.' })
  placeholder!: string | null;

  @Field(() => String, { nullable: true, description: 'The text beside the field.' })
  helpText!: string | null;

  @Field(() => String, { nullable: true, description: 'The address that the label links to.' })
  linkUrl!: string | null;
}

@ObjectType('FormField', { description: 'A field of a form, with its texts in the source language.' })
export class FormFieldType {
  @Field(() => String, { description: 'Its key in the body of a submission.' })
  name!: string;

  @Field(() => Type, { description: 'What it is.' })
  type!: Type;

  @Field(() => String, { description: 'The label.' })
  label!: string;

  @Field(() => Boolean, { description: 'Whether it must be filled in.' })
  isRequired!: boolean;

  @Field(() => Boolean, { description: 'Whether the label is shown.' })
  showLabel!: boolean;

  @Field(() => Boolean, { description: 'Whether it takes several values.' })
  isMultiple!: boolean;

  @Field(() => String, { nullable: true, description: 'The text inside the empty field.' })
  placeholder!: string | null;

  @Field(() => String, { nullable: true, description: 'The text beside the field.' })
  helpText!: string | null;

  @Field(() => String, { nullable: true, description: 'The address that the label links to.' })
  linkUrl!: string | null;

  @Field(() => [FieldOptionType], { description: 'Its choices; empty for a field that has none.' })
  options!: FieldOptionType[];

  @Field(() => GraphQLJSONObject, { description: 'HTML attributes to their values, both text.' })
  attributes!: Record<string, string>;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'When it is shown: `{match, rules}`, a rule being `{field, operator, value}`; null: always.',
  })
  visibility!: Condition | null;

  @Field(() => [FieldTranslationType], { description: 'Its texts in other languages.' })
  translations!: FieldTranslationType[];
}

@ObjectType('FormTranslation', {
  description: 'The texts of the form itself in another language; null falls back on the source language.',
})
export class FormTranslationType {
  @Field(() => String, { description: 'The language.' })
  locale!: string;

  @Field(() => String, { nullable: true, description: 'The text of the button.' })
  submitButtonText!: string | null;

  @Field(() => String, { nullable: true, description: 'What a visitor reads after submitting.' })
  confirmationMessage!: string | null;

  @Field(() => String, { nullable: true, description: 'The privacy notice.' })
  privacyNoticeText!: string | null;

  @Field(() => String, { nullable: true, description: 'The address that the privacy notice links to.' })
  privacyNoticeUrl!: string | null;
}

@ObjectType('MissingText', { description: 'A text that is read in the source language.' })
class MissingTextType {
  @Field(() => String, { nullable: true, description: 'Name of its field; null: of the form itself.' })
  field!: string | null;

  @Field(() => String, { nullable: true, description: 'Value of its option; null: of the field itself.' })
  option!: string | null;

  @Field(() => String, { description: 'Which text it is, as in `submitButtonText` or `label`.' })
  text!: string;

  @Field(() => String, { description: 'The text shown instead, in the source language.' })
  source!: string;
}

@ObjectType('MissingTranslations', { description: 'What a form lacks in one language.' })
export class MissingTranslationsType {
  @Field(() => String, { description: 'The language.' })
  locale!: string;

  @Field(() => [MissingTextType], { description: 'The texts that it lacks, at least one.' })
  texts!: MissingTextType[];
}

@ObjectType('UnenforcedPattern', {
  description: 'A pattern that was stored once and that the gateway does not enforce; browsers may.',
})
export class UnenforcedPatternType {
  @Field(() => String, { description: 'Name of its field.' })
  field!: string;

  @Field(() => String, { description: 'The pattern.' })
  pattern!: string;

  @Field(() => String, {
    description: 'Why it is not enforced: a sentence for the person who edits the form.',
  })
  reason!: string;
}

@ObjectType('Form', { description: 'A form of a team, with its texts in the source language.' })
export class FormType implements Omit<Form, 'recipientRules' | 'spamFilter'> {
  @Field(() => ID, { description: 'Identifies the form in the panel.' })
  id!: number;

  @Field(() => ID, { description: 'The team that it belongs to.' })
  teamId!: number;

  @Field(() => String, { description: 'As pages name it to the gateway; unique in the team.' })
  slug!: string;

  @Field(() => String, { description: 'Its name in the panel; visitors never see it.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether websites show it.' })
  active!: boolean;

  @Field(() => Int, {
    description: 'Grows with each change; what is edited is saved over this version and no other.',
  })
  version!: number;

  @Field(() => String, { description: 'The language of its own texts.' })
  sourceLocale!: string;

  @Field(() => String, { description: 'The text of the button.' })
  submitButtonText!: string;

  @Field(() => String, { description: 'What a visitor reads after submitting.' })
  confirmationMessage!: string;

  @Field(() => String, { nullable: true, description: 'The privacy notice.' })
  privacyNoticeText!: string | null;

  @Field(() => String, { nullable: true, description: 'The address that the privacy notice links to.' })
  privacyNoticeUrl!: string | null;

  @Field(() => [String], {
    description: "Where notifications go unless a placement names its own; empty: the website's e-mail.",
  })
  recipients!: string[];

  @Field(() => Int, {
    nullable: true,
    description: "Months for which its submissions are kept, in place of its team's; null: the team's.",
  })
  retentionMonths!: number | null;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => Date, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

@ObjectType('IncompleteForm', { description: 'A form that lacks translations.' })
export class IncompleteFormType {
  @Field(() => FormType, { description: 'The form.' })
  form!: FormType;

  @Field(() => [MissingTranslationsType], { description: 'What it lacks, by language.' })
  missing!: MissingTranslationsType[];
}

export const FormConnection = connectionOf(FormType, 'Form');
