import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { z } from 'zod';
import { PanelLanguage, PanelTheme } from '../generated/prisma/enums.js';
import { connectionOf } from '../graphql/connection.js';
import { email, label } from '../lib/schemas.js';
import type { Account } from './accounts.queries.js';

registerEnumType(PanelLanguage, {
  name: 'PanelLanguage',
  description: 'A language of the panel’s pages.',
  valuesConfig: { en: { description: 'English.' }, fr: { description: 'French.' } },
});

registerEnumType(PanelTheme, {
  name: 'PanelTheme',
  description: 'Colours of the panel’s pages.',
  valuesConfig: {
    light: { description: 'Dark on light.' },
    dark: { description: 'Light on dark.' },
  },
});

@ObjectType('Viewer', { description: 'The account that is logged in.' })
export class ViewerType {
  @Field(() => ID, { description: 'Identifies the account.' })
  userId!: number;

  @Field(() => String, { description: 'The login name.' })
  email!: string;

  @Field(() => String, { description: 'Name of the person.' })
  name!: string;

  @Field(() => Boolean, { description: 'Agency staff see and manage every team.' })
  staff!: boolean;

  @Field(() => PanelLanguage, {
    nullable: true,
    description: 'Language of the panel’s pages; null: that of the browser.',
  })
  language!: PanelLanguage | null;

  @Field(() => PanelTheme, {
    nullable: true,
    description: 'Colours of the panel’s pages; null: those of the system.',
  })
  theme!: PanelTheme | null;
}

@InputType({ description: 'What changes of the viewer’s own account; what is left out stays.' })
export class UpdateViewerInput {
  @Field(() => String, { nullable: true, description: 'Name of the person.' })
  name?: string;

  @Field(() => PanelLanguage, {
    nullable: true,
    description: 'Language of the panel’s pages; null: that of the browser.',
  })
  language?: PanelLanguage | null;

  @Field(() => PanelTheme, {
    nullable: true,
    description: 'Colours of the panel’s pages; null: those of the system.',
  })
  theme?: PanelTheme | null;
}

@ObjectType('Account', { description: 'An account of the panel.' })
export class AccountType implements Account {
  @Field(() => ID, { description: 'Identifies the account.' })
  id!: number;

  @Field(() => String, { description: 'The login name.' })
  email!: string;

  @Field(() => String, { description: 'Name of the person.' })
  name!: string;

  @Field(() => Boolean, { description: 'Agency staff see and manage every team.' })
  staff!: boolean;

  @Field(() => Boolean, { description: 'Whether it has a password.' })
  canLogIn!: boolean;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;
}

export const AccountConnection = connectionOf(AccountType, 'Account');

@ObjectType('AccountPassword', { description: 'A password that was drawn for an account.' })
export class AccountPasswordType {
  @Field(() => AccountType, { description: 'The account.' })
  account!: AccountType;

  @Field(() => String, { description: 'The password. It is shown now and never again.' })
  password!: string;
}

@InputType({ description: 'A new account.' })
export class CreateUserInput {
  @Field(() => String, { description: 'E-mail address, which is the login name; unique.' })
  email!: string;

  @Field(() => String, { description: 'Name of the person.' })
  name!: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether it is agency staff.' })
  staff!: boolean;
}

@InputType({ description: 'What changes of an account; what is left out stays.' })
export class UpdateUserInput {
  @Field(() => String, { nullable: true, description: 'Name of the person.' })
  name?: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether it is agency staff.' })
  staff?: boolean;
}

/** Schema of a login name: an e-mail address, in lower case. */
export const loginName = email.toLowerCase();

export const newUser = z.object({ email: loginName, name: label, staff: z.boolean() });

export const userSettings = z.object({ name: label.optional(), staff: z.boolean().optional() });

export const viewerSettings = z.object({
  name: label.optional(),
  language: z.enum(PanelLanguage).nullish(),
  theme: z.enum(PanelTheme).nullish(),
});
