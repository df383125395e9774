import { Authorized, Field, FieldResolver, ObjectType, Query, Resolver } from 'type-graphql';
import { isDemo } from '../audit/demo-mark.js';
import { isSecondFactorRequired } from '../auth/second-factor/second-factor-setting.js';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { ViewerType } from './account.type.js';

@ObjectType('Installation', { description: 'The installation of Formgate that answers.' })
class InstallationType {
  @Field(() => Boolean, {
    description: 'Whether it was filled with made-up data to try it, as a bare `npm start` does.',
  })
  demo!: boolean;

  @Field(() => [String], { description: 'The languages of the platform, in which forms may be written.' })
  locales!: readonly string[];

  @Field(() => Boolean, {
    description:
      'Whether the visitors of a website without a captcha chain solve a proof of work, unless `CAPTCHA_DEFAULT=off`.',
  })
  captchaByDefault!: boolean;

  @Field(() => String, {
    description: 'Address at which visitors’ pages reach the gateway, without a slash at its end.',
  })
  publicUrl!: string;
}

type Settings = Readonly<{ config: Pick<Config, 'captchaDefault' | 'locales' | 'publicUrl'> }>;

const readInstallation = ({ config: { locales, publicUrl } }: Settings): object => ({ locales, publicUrl });

/** Lets a page ask for the installation together with its viewer, of which strangers are told nothing. */
@Resolver(() => ViewerType)
export class ViewerInstallationResolver {
  constructor(private readonly services: Settings) {}

  @FieldResolver(() => InstallationType, { description: 'The installation in which the account is.' })
  installation(): object {
    return readInstallation(this.services);
  }
}

@Resolver(() => InstallationType)
export class InstallationResolver {
  constructor(private readonly services: Readonly<{ db: Db }> & Settings) {}

  @Authorized()
  @Query(() => InstallationType, { description: 'What is known about the whole installation.' })
  installation(): object {
    return readInstallation(this.services);
  }

  @FieldResolver(() => Boolean)
  demo(): Promise<boolean> {
    return isDemo(this.services.db);
  }

  @FieldResolver(() => Boolean, { description: 'Whether staff need a second factor to log in.' })
  staffSecondFactor(): Promise<boolean> {
    return isSecondFactorRequired(this.services.db.orm);
  }

  @FieldResolver(() => Boolean)
  captchaByDefault(): boolean {
    return this.services.config.captchaDefault === 'altcha';
  }
}
