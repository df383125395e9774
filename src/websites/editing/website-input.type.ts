import { Field, InputType } from 'type-graphql';

/** Settings that both a new and an existing website accept. */
@InputType({ description: 'What every website may be given.' })
class WebsiteDetailsInput {
  @Field(() => String, { nullable: true, description: 'IANA time zone such as `Europe/Paris`.' })
  timeZone?: string;

  @Field(() => String, { nullable: true, description: 'Name of the company.' })
  company?: string;

  @Field(() => String, { nullable: true, description: 'Street and number.' })
  address?: string;

  @Field(() => String, { nullable: true, description: 'Postal code.' })
  zipcode?: string;

  @Field(() => String, { nullable: true, description: 'Town.' })
  city?: string;

  @Field(() => String, { nullable: true, description: 'Country.' })
  country?: string;

  @Field(() => String, { nullable: true, description: 'Telephone number.' })
  phone?: string;

  @Field(() => String, { nullable: true, description: 'http or https address of the logo, or empty.' })
  logo?: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether its visitors are refused; staff decide.' })
  disabled?: boolean;

  @Field(() => [String], {
    nullable: true,
    description: 'Codes of the departments that it serves; they replace those it has.',
  })
  departments?: string[];
}

@InputType({ description: 'What is to change of a website: what is left out stays.' })
export class WebsiteChangesInput extends WebsiteDetailsInput {
  @Field(() => String, { nullable: true, description: 'Its name, 255 characters at most.' })
  name?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Host name, with a port only if the Origin carries one; unique in the team.',
  })
  host?: string;

  @Field(() => String, { nullable: true, description: 'Absolute http or https address.' })
  url?: string;

  @Field(() => String, { nullable: true, description: 'One of the languages of the platform.' })
  locale?: string;

  @Field(() => String, { nullable: true, description: "The client's contact." })
  email?: string;
}

@InputType({ description: 'A new website. What is left out takes its default.' })
export class NewWebsiteInput extends WebsiteDetailsInput {
  @Field(() => String, { description: 'Its name, 255 characters at most.' })
  name!: string;

  @Field(() => String, {
    description: 'Host name, with a port only if the Origin carries one; unique in the team.',
  })
  host!: string;

  @Field(() => String, { description: 'Absolute http or https address.' })
  url!: string;

  @Field(() => String, { description: 'One of the languages of the platform.' })
  locale!: string;

  @Field(() => String, { description: "The client's contact." })
  email!: string;
}
