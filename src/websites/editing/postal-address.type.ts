import { Field, ObjectType } from 'type-graphql';

/** The client's company and where it is; empty texts where they are not known. */
@ObjectType()
export abstract class PostalAddress {
  @Field(() => String, { description: 'Name of the company; may be empty, like all that follows.' })
  company!: string;

  @Field(() => String, { description: 'Street and number.' })
  address!: string;

  @Field(() => String, { description: 'Postal code.' })
  zipcode!: string;

  @Field(() => String, { description: 'Town.' })
  city!: string;

  @Field(() => String, { description: 'Country.' })
  country!: string;
}
