import { Field, InputType } from 'type-graphql';

@InputType({ description: 'Settings of a website. What is left out stays, or takes its default when new.' })
export class WebsiteChangesInput {
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

  @Field(() => String, { nullable: true, description: 'IANA time zone such as `Europe/Paris`.' })
  timeZone?: string;

  @Field(() => String, { nullable: true, description: "The client's contact." })
  email?: string;

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

  @Field(() => Boolean, { nullable: true, description: 'Whether its visitors are refused.' })
  disabled?: boolean;

  @Field(() => [String], {
    nullable: true,
    description: 'Codes of the departments that it serves; they replace those it has.',
  })
  departments?: string[];
}

@InputType({ description: 'A new website. What is left out takes its default.' })
export class NewWebsiteInput extends WebsiteChangesInput {
  @Field(() => String, { description: 'Its name, 255 characters at most.' })
  override name!: string;

  @Field(() => String, {
    description: 'Host name, with a port only if the Origin carries one; unique in the team.',
  })
  override host!: string;

  @Field(() => String, { description: 'Absolute http or https address.' })
  override url!: string;

  @Field(() => String, { description: 'One of the languages of the platform.' })
  override locale!: string;

  @Field(() => String, { description: "The client's contact." })
  override email!: string;
}
