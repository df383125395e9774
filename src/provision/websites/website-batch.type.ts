import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { listCost } from '../../graphql/cost.js';
import { PostalAddress } from '../../websites/editing/postal-address.type.js';
import type { ImportedSettings, ImportFault, ImportReason, ImportRow } from './import-rows.js';

@InputType({ description: 'What many websites are to have in common: what is left out stays.' })
export class WebsitesEditInput {
  @Field(() => String, { nullable: true, description: 'One of the languages of the platform.' })
  locale?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Codes of the departments that they serve; they replace those that they have.',
  })
  departments?: string[] | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The website whose captcha chain they get, secrets included; the viewer must manage it.',
  })
  captchaChainOf?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether their captcha chains are deleted, so that they have the default of the platform.',
  })
  clearCaptchaChain?: boolean | null;
}

/** As `ImportReason`. */
enum WebsiteImportReason {
  unreadable = 'unreadable',
  too_many = 'too_many',
  unknown_column = 'unknown_column',
  missing = 'missing',
  invalid = 'invalid',
  repeated = 'repeated',
  taken = 'taken',
}

registerEnumType(WebsiteImportReason, {
  name: 'WebsiteImportReason',
  description: 'Why a cell cannot be imported.',
  valuesConfig: {
    unreadable: { description: 'It is not CSV, or a row has more cells than there are headings.' },
    too_many: { description: 'There are more than 500 websites, or the team would have more than 5,000.' },
    unknown_column: { description: 'No setting has this name.' },
    missing: { description: 'The setting is required.' },
    invalid: { description: 'The setting does not accept the value.' },
    repeated: { description: 'An earlier row or column has the same.' },
    taken: { description: 'Another website of the team has this host.' },
  },
});

@ObjectType('WebsiteImportFault', { description: 'What is wrong with a cell of an import.' })
class WebsiteImportFaultType implements ImportFault {
  @Field(() => Int, { description: 'The row as spreadsheets count it: the headings are row 1.' })
  row!: number;

  @Field(() => String, { nullable: true, description: 'The heading; null: the row as a whole.' })
  column!: string | null;

  @Field(() => WebsiteImportReason, { description: 'Why.' })
  reason!: ImportReason;

  @Field(() => String, { description: 'The rule that is broken, to be read after the heading.' })
  message!: string;
}

@ObjectType('WebsiteImportSettings', {
  description: 'A website as an import would create it: a setting for each column.',
})
class WebsiteImportSettingsType extends PostalAddress implements ImportedSettings {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its host, in lower-case ASCII.' })
  host!: string;

  @Field(() => String, { description: 'Absolute address.' })
  url!: string;

  @Field(() => String, { description: 'Its language.' })
  locale!: string;

  @Field(() => String, { description: 'IANA time zone; `UTC` without a cell.' })
  timeZone!: string;

  @Field(() => String, { description: "The client's contact." })
  email!: string;

  @Field(() => String, { description: 'Telephone number.' })
  phone!: string;

  @Field(() => String, { description: 'Address of the logo.' })
  logo!: string;

  @Field(() => [String], {
    description: 'Codes of the departments that it serves.',
    complexity: listCost(5),
  })
  departments!: string[];
}

@ObjectType('WebsiteImportRow', { description: 'A website of an import, as it was written.' })
class WebsiteImportRowType implements ImportRow {
  @Field(() => Int, { description: 'The row as spreadsheets count it: the headings are row 1.' })
  row!: number;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its host.' })
  host!: string;

  @Field(() => WebsiteImportSettingsType, {
    nullable: true,
    description: 'The website as it would be created; null when its cells make none.',
  })
  settings!: ImportedSettings | null;
}

@ObjectType('WebsiteImport', { description: 'What an import has found and done.' })
export class WebsiteImportType {
  @Field(() => [WebsiteImportRowType], {
    description: 'The websites, in their order.',
    complexity: listCost(100),
  })
  rows!: readonly WebsiteImportRowType[];

  @Field(() => [WebsiteImportFaultType], {
    description: 'What is wrong, by row, the first 500; nothing is created while there is any.',
    complexity: listCost(100),
  })
  faults!: readonly WebsiteImportFaultType[];

  @Field(() => Int, { description: 'How many faults there are.' })
  faultCount!: number;

  @Field(() => Int, { description: 'How many websites were created.' })
  created!: number;
}
