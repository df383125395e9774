import { ArgsType, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { z } from 'zod';
import { PanelLanguage, PanelTheme } from '../generated/prisma/enums.js';
import { connectionOf, PageArgs } from '../graphql/connection.js';
import { email, personName } from '../lib/input.schema.js';
import type { Account } from './accounts.queries.js';
import type { AccountAccess } from './accounts.service.js';

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

  @Field(() => ID, {
    nullable: true,
    description:
      'The team as whose owner staff see the panel, without changing anything; null: as themselves.',
  })
  viewAsTeamId!: number | null;

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

  @Field(() => Boolean, { description: 'Whether it has a password and is not disabled.' })
  canLogIn!: boolean;

  @Field(() => Boolean, {
    description:
      'Whether it is deleted. It then has no name any more, and stands for its actor in the audit trail.',
  })
  deleted!: boolean;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;
}

@ObjectType('AccountAccess', { description: 'How an account is let in.' })
export class AccountAccessType implements AccountAccess {
  @Field(() => Date, {
    nullable: true,
    description: 'When it last logged in; null: never, or not since an upgrade.',
  })
  lastLoginAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when it is disabled: it cannot log in and its tokens are refused; null: it is not.',
  })
  disabledAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when its logins need a second factor; null: they need none.',
  })
  secondFactorAt!: Date | null;
}

@ArgsType()
export class AccountArgs extends PageArgs {
  @Field(() => String, { defaultValue: '', description: 'Part of the address or the name, in any case.' })
  search!: string;

  @Field(() => Boolean, { nullable: true, description: 'Only staff; false: only others.' })
  staff?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Only disabled accounts; false: only others.' })
  disabled?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Only accounts with a second factor; false: without.',
  })
  secondFactor?: boolean | null;

  @Field(() => ID, { nullable: true, description: 'Only members of this team.' })
  teamId?: string | null;
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

export const newUser = z.object({ email: loginName, name: personName, staff: z.boolean() });

export const userSettings = z.object({ name: personName.optional(), staff: z.boolean().optional() });

export const viewerSettings = z.object({
  name: personName.optional(),
  language: z.enum(PanelLanguage).nullish(),
  theme: z.enum(PanelTheme).nullish(),
});
