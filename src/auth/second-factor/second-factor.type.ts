import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { SecondFactorState } from './second-factors.service.js';
import type { TotpSecret } from './totp.js';

export enum LoginStep {
  CODE = 'CODE',
  ENROLMENT = 'ENROLMENT',
}

registerEnumType(LoginStep, {
  name: 'LoginStep',
  description: 'The second step of a login.',
  valuesConfig: {
    CODE: { description: 'A code of the authenticator app, or a recovery code: `confirmLogin`.' },
    ENROLMENT: {
      description:
        'The account has to set up an authenticator app: `startSecondFactor`, then `confirmSecondFactor`.',
    },
  },
});

@ObjectType('SecondFactor', { description: 'The authenticator app of the viewer’s account.' })
export class SecondFactorType implements SecondFactorState {
  @Field(() => Date, { nullable: true, description: 'Since when a login needs a code; null: it needs none.' })
  enabledAt!: Date | null;

  @Field(() => Int, { description: 'How many recovery codes are unused.' })
  recoveryCodesLeft!: number;

  @Field(() => Boolean, { description: 'Whether the account cannot do without, since staff must have one.' })
  required!: boolean;
}

@ObjectType('SecondFactorSecret', {
  description: 'The secret of an authenticator app that is being set up. It is shown now and never again.',
})
export class SecondFactorSecretType implements TotpSecret {
  @Field(() => String, { description: 'The secret in Base32, to be typed.' })
  secret!: string;

  @Field(() => String, { description: 'The `otpauth:` address for a QR code.' })
  uri!: string;
}
