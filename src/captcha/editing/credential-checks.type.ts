import { Field, ID, Int, ObjectType } from 'type-graphql';
import { listCost } from '../../graphql/cost.js';
import type { CredentialsVerdict } from '../providers/check-credentials.js';
import { CredentialsOutcome } from './chain.type.js';

@ObjectType('CheckedCaptchaLink', { description: 'A captcha step whose credentials were checked.' })
export class CheckedStepType {
  @Field(() => ID, { description: 'UUID of the website.' })
  websiteId!: string;

  @Field(() => String, { name: 'linkKey', description: 'Key of the step, as in `turnstile:main`.' })
  stepKey!: string;

  @Field(() => CredentialsOutcome, { description: "The provider's verdict." })
  outcome!: CredentialsVerdict;
}

@ObjectType('CheckedCaptchaPage', { description: 'Up to 40 captcha steps whose credentials were checked.' })
export class CheckedPageType {
  @Field(() => [CheckedStepType], { description: 'The steps with their verdicts.', complexity: listCost(40) })
  checked!: CheckedStepType[];

  @Field(() => Int, { description: 'The number of steps that have credentials, on all pages together.' })
  total!: number;

  @Field(() => String, { nullable: true, description: 'The `after` of the next page; null: there is none.' })
  next!: string | null;
}
