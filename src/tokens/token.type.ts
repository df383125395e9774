import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { z } from 'zod';
import { orNull } from '../lib/input.schema.js';
import { ABILITIES, type Ability } from './access.js';
import { nameFault } from './token-name.js';
import type { TeamToken } from './tokens.service.js';

/** Enum values cannot carry a colon, so the panel says `team_read` where a token has `team:read`. */
const AbilityName = { team_read: 'team:read', team_submit: 'team:submit' } as const satisfies Record<
  string,
  Ability
>;

registerEnumType(AbilityName, {
  name: 'Ability',
  description: 'What a token opens beside the token endpoints.',
  valuesConfig: {
    team_read: { description: '`team:read`: the website directory.' },
    team_submit: { description: '`team:submit`: submitting without a signature.' },
  },
});

@ObjectType('Token', { description: 'An integration token, without its value.' })
export class TokenType implements TeamToken {
  @Field(() => ID, { description: 'Identifies the token; its value begins with it.' })
  id!: number;

  @Field(() => ID, { description: 'The team that it is for.' })
  teamId!: number;

  userId!: number;

  @Field(() => String, { description: 'What it is used for.' })
  name!: string;

  @Field(() => [AbilityName], { description: 'What it opens.' })
  abilities!: Ability[];

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it was last used, to the minute; null: never.' })
  lastUsedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it ends by itself; null: never.' })
  expiresAt!: Date | null;
}

@ObjectType('CreatedToken', { description: 'A token that has just been created.' })
export class CreatedTokenType {
  @Field(() => TokenType, { description: 'The token.' })
  token!: TokenType;

  @Field(() => String, { description: 'Its value, `<id>|<secret>`. It is shown now and never again.' })
  value!: string;
}

@InputType({ description: 'A new token, whose bearer is the viewer.' })
export class CreateTokenInput {
  @Field(() => String, { description: 'What it will be used for; 255 characters at most.' })
  name!: string;

  @Field(() => [AbilityName], { description: 'What it opens; none: the token endpoints alone.' })
  abilities!: Ability[];

  @Field(() => Date, { nullable: true, description: 'When it ends by itself; null: never.' })
  expiresAt?: Date | null;
}

/**
 * Creates the schema of a new token.
 *
 * @param now An expiry must be later.
 */
export const newToken = (now: Date) =>
  z.object({
    name: z
      .string()
      .trim()
      .superRefine((name, context) => {
        const message = nameFault(name);
        if (message) context.addIssue({ code: 'custom', message });
      }),
    abilities: z.array(z.enum(ABILITIES)).transform((abilities) => [...new Set(abilities)]),
    expiresAt: orNull(z.date().refine((date) => date > now, { error: 'must be in the future' })),
  });
