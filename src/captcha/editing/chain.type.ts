import { Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { CaptchaType } from '../../generated/prisma/client.js';
import type { CredentialsVerdict } from '../providers/check-credentials.js';
import type { ListedStep } from './chains.service.js';

registerEnumType(CaptchaType, { name: 'CaptchaType', description: 'The type of a captcha step.' });

export const CredentialsOutcome = {
  ACCEPTED: 'accepted',
  REFUSED: 'refused',
  UNREACHABLE: 'unreachable',
  ACCEPTS_ANYTHING: 'accepts_anything',
  UNCLEAR: 'unclear',
} as const satisfies { [Each in CredentialsVerdict as Uppercase<Each>]: Each };

registerEnumType(CredentialsOutcome, {
  name: 'CredentialsOutcome',
  description: "A provider's verdict on the credentials of a step.",
  valuesConfig: {
    ACCEPTED: { description: 'They are right: the provider blamed the token, which was wrong on purpose.' },
    REFUSED: { description: 'They are wrong, or some are missing.' },
    UNREACHABLE: { description: 'No proper answer within three seconds.' },
    ACCEPTS_ANYTHING: { description: 'They are test credentials, which let every token pass.' },
    UNCLEAR: { description: 'The provider answered, but blamed neither them nor the token.' },
  },
});

@ObjectType('CaptchaLink', { description: 'A captcha step, of a chain. No API returns its secrets.' })
export class CaptchaStepType implements ListedStep {
  @Field(() => String, { description: 'Its key, as in `turnstile:main`, or `altcha`.' })
  key!: string;

  @Field(() => CaptchaType, { description: 'What it is.' })
  type!: CaptchaType;

  @Field(() => Int, { description: 'Its position in the chain, from 0.' })
  position!: number;

  @Field(() => String, { nullable: true, description: 'The public key that pages send to the provider.' })
  siteKey!: string | null;

  @Field(() => Boolean, { description: 'Whether a secret is stored.' })
  hasSecret!: boolean;

  @Field(() => String, { nullable: true, description: 'Project, of reCAPTCHA Enterprise only.' })
  projectId!: string | null;

  @Field(() => Boolean, { description: 'Whether an API key is stored, of reCAPTCHA Enterprise only.' })
  hasApiKey!: boolean;

  @Field(() => Float, {
    nullable: true,
    description: 'Score from 0 to 1 below which a token is refused, of scored steps only; null: 0.5.',
  })
  minScore!: number | null;
}

@InputType('CaptchaLinkInput', { description: 'A step of a captcha chain.' })
export class CaptchaStepInput {
  @Field(() => String, { description: 'Its key, as in `turnstile:main`, or `altcha`.' })
  key!: string;

  @Field(() => String, { nullable: true, description: 'The public key that pages send to the provider.' })
  siteKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Its secret; null keeps the one that is stored.' })
  secret?: string | null;

  @Field(() => String, { nullable: true, description: 'Project, of reCAPTCHA Enterprise only.' })
  projectId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'API key, of reCAPTCHA Enterprise only; null keeps the one that is stored.',
  })
  apiKey?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Score from 0 to 1 below which a token is refused, of scored steps only; null: 0.5.',
  })
  minScore?: number | null;
}
