import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { AuditChannel } from '../../generated/prisma/enums.js';
import { connectionOf } from '../../graphql/connection.js';
import { listCost } from '../../graphql/cost.js';
import { enumOf } from '../../graphql/enum-of.js';
import { FormFieldType, FormTranslationType } from '../editing/form.type.js';
import { RecipientRuleType } from '../recipients/recipient-rule.type.js';
import { CHANGE_KINDS, type ChangeKind, type FormChange } from './form-changes.js';
import type { KeptVersion } from './form-versions.queries.js';

const ChangeKindEnum = enumOf(CHANGE_KINDS);

registerEnumType(ChangeKindEnum, {
  name: 'FormChangeKind',
  description: 'What differs between two versions of a form.',
  valuesConfig: {
    setting_changed: { description: 'A setting or a text of the form itself.' },
    language_added: {
      description: 'A language that it now offers; its texts follow as changes of their own.',
    },
    language_removed: { description: 'A language that it no longer offers.' },
    field_added: { description: 'A field; `after` is all of it, with its `position`.' },
    field_removed: { description: 'A field; `before` is all of it.' },
    field_moved: { description: 'A field; `before` and `after` are its positions, from 1.' },
    field_changed: { description: 'A setting or text of a field.' },
    attribute_changed: { description: 'An HTML attribute of a field.' },
    condition_changed: { description: 'When a field is shown.' },
    option_added: { description: 'An option; `after` is `{position, label, translations}`.' },
    option_removed: { description: 'An option; `before` is `{label, translations}`.' },
    option_moved: { description: 'An option; `before` and `after` are its positions, from 1.' },
    option_changed: { description: 'The label of an option.' },
    translation_changed: { description: 'A text in another language; null: not translated.' },
  },
});

@ObjectType('FormChange', {
  simpleResolvers: true,
  description: 'A difference between two versions of a form. Fields are matched by name, options by value.',
})
export class FormChangeType implements FormChange {
  @Field(() => ChangeKindEnum, { description: 'What differs.' })
  kind!: ChangeKind;

  @Field(() => String, { nullable: true, description: 'Name of its field; null: of the form itself.' })
  field!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Label of that field, the later one, in the source language.',
  })
  fieldLabel!: string | null;

  @Field(() => String, { nullable: true, description: 'Value of its option; null: of the field itself.' })
  option!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Label of that option, the later one, in the source language.',
  })
  optionLabel!: string | null;

  @Field(() => String, { nullable: true, description: 'The language; null: that of the source.' })
  locale!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Which setting, text or attribute, as in `submitButtonText`, `label` or `maxlength`.',
  })
  key!: string | null;

  @Field(() => GraphQLJSON, { nullable: true, description: 'What it was; null: nothing.' })
  before!: unknown;

  @Field(() => GraphQLJSON, { nullable: true, description: 'What it is since then; null: nothing.' })
  after!: unknown;
}

@ObjectType('FormDefinition', { description: 'All that a form was in a version.' })
export class FormDefinitionType {
  @Field(() => String, { description: 'Its name in the panel.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether websites showed it.' })
  active!: boolean;

  @Field(() => String, { description: 'The language of its own texts.' })
  sourceLocale!: string;

  @Field(() => String, { description: 'The text of the button.' })
  submitButtonText!: string;

  @Field(() => String, { description: 'What a visitor read after submitting.' })
  confirmationMessage!: string;

  @Field(() => String, { nullable: true, description: 'The privacy notice.' })
  privacyNoticeText!: string | null;

  @Field(() => String, { nullable: true, description: 'The address that the privacy notice linked to.' })
  privacyNoticeUrl!: string | null;

  @Field(() => [String], { description: 'Where notifications went unless a placement named its own.' })
  recipients!: string[];

  @Field(() => [RecipientRuleType], {
    description: 'Recipients by answer, unless a placement had rules of its own.',
    complexity: listCost(5),
  })
  recipientRules!: RecipientRuleType[];

  @Field(() => [FormFieldType], { description: 'Its fields, in order.', complexity: listCost(15) })
  fields!: FormFieldType[];

  @Field(() => [FormTranslationType], {
    description: 'Its own texts in the other languages that it offered.',
    complexity: listCost(5),
  })
  translations!: FormTranslationType[];
}

@ObjectType('FormVersion', { description: 'A version of a form that is kept.' })
export class FormVersionType implements Omit<KeptVersion, 'savedById'> {
  savedById!: number | null;

  @Field(() => ID, { description: 'The form.' })
  formId!: number;

  @Field(() => Int, { description: 'The version.' })
  version!: number;

  @Field(() => Date, { description: 'When it was saved.' })
  savedAt!: Date;

  @Field(() => AuditChannel, {
    nullable: true,
    description: 'The channel through which it came; null when that is no longer known.',
  })
  channel!: AuditChannel | null;

  @Field(() => Int, { nullable: true, description: 'The version kept before it; null: none.' })
  previousVersion!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The latest version before it with the same definition, as after a restore; null: none.',
  })
  sameAs!: number | null;
}

export const FormVersionConnection = connectionOf(FormVersionType, 'FormVersion');
