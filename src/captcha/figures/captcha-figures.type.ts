import { Field, ID, Int, ObjectType } from 'type-graphql';
import { CaptchaType } from '../../generated/prisma/enums.js';
import type {
  CaptchaPeriod,
  CaptchaTrouble,
  DayOfVerdicts,
  ProviderState,
  ProviderVerdicts,
  RefusalCount,
  VerdictTotals,
  WebsiteVerdicts,
} from './captcha-figures.queries.js';

@ObjectType()
abstract class VerdictTotalsType implements VerdictTotals {
  @Field(() => Int, { description: 'Submissions whose token was right.' })
  accepted!: number;

  @Field(() => Int, { description: 'Tokens that were wrong.' })
  refused!: number;

  @Field(() => Int, { description: 'Failures of the provider.' })
  unavailable!: number;

  @Field(() => Int, { description: 'Visitors who were referred to the next step after a failure.' })
  fallback!: number;

  @Field(() => Int, { description: 'Submissions that were accepted without a verdict.' })
  passThrough!: number;
}

@ObjectType('DayOfVerdicts', { description: 'What captcha steps have said on a day.' })
export class DayOfVerdictsType extends VerdictTotalsType implements DayOfVerdicts {
  @Field(() => String, { description: 'The day (UTC), as in `2026-11-21`.' })
  day!: string;
}

@ObjectType('ProviderVerdicts', { description: 'What the steps of a provider have said.' })
export class ProviderVerdictsType extends VerdictTotalsType implements ProviderVerdicts {
  @Field(() => CaptchaType, { description: 'The provider.' })
  type!: CaptchaType;
}

@ObjectType('WebsiteVerdicts', { description: 'What the steps of a website have said.' })
export class WebsiteVerdictsType extends VerdictTotalsType implements WebsiteVerdicts {
  @Field(() => ID, { description: 'UUID of the website.' })
  websiteId!: string;
}

@ObjectType('CaptchaRefusalCount', { description: 'How often a captcha was refused for a reason.' })
export class CaptchaRefusalCountType implements RefusalCount {
  @Field(() => CaptchaType, {
    description: 'The provider; that of the first step where the refusal came before any step.',
  })
  type!: CaptchaType;

  @Field(() => String, {
    description:
      'Why, as a word: before any step `no_token`, `token_too_long`, `step_not_allowed`; a proof of work ' +
      '`proof_invalid`, `proof_used`; a provider `rejected`, `low_score`, `wrong_action`, `wrong_hostname`, ' +
      '`client_error`, `redirected`, `not_json`, `too_large`, `secret_missing`, `secret_refused`.',
  })
  reason!: string;

  @Field(() => Int, { description: 'The count.' })
  count!: number;
}

@ObjectType('CaptchaFigures', { description: 'What captcha steps have said in a period.' })
export class CaptchaFiguresType {
  /** The period of its fields; it is no GraphQL field. */
  period!: CaptchaPeriod;
}

@ObjectType('CaptchaTrouble', {
  description:
    'A failure of a provider, or its refusal of our secrets, that goes on: it has come again within the last 15 minutes.',
})
export class CaptchaTroubleType implements CaptchaTrouble {
  @Field(() => CaptchaType, { description: 'The provider.' })
  type!: CaptchaType;

  @Field(() => String, {
    description:
      'Why, as a word: `timeout`, `network_error`, `server_error`, `secret_missing`, `secret_refused`.',
  })
  reason!: string;

  @Field(() => Date, { description: 'Since when it has come again and again, within the last seven days.' })
  since!: Date;

  @Field(() => Date, { description: 'When it last came.' })
  lastAt!: Date;

  @Field(() => Int, { description: 'The number of websites it happened on.' })
  websites!: number;

  @Field(() => Int, { description: 'How often it has come since then.' })
  count!: number;
}

@ObjectType('CaptchaProvider', { description: 'What is recorded of a provider that captcha chains ask.' })
export class CaptchaProviderType implements ProviderState {
  @Field(() => CaptchaType, { description: 'The provider.' })
  type!: CaptchaType;

  @Field(() => Int, { description: 'The number of websites whose chains ask it.' })
  websites!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'The last day (UTC) on which it accepted or refused a visitor, as in `2026-11-21`; null: none of the last 30 days.',
  })
  lastAnsweredOn!: string | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When it last failed, or refused our secret; null: not within the last 30 days.',
  })
  lastIncidentAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why it last failed, as `CaptchaTrouble.reason` has it.',
  })
  lastReason!: string | null;
}
