import { Field, ID, ObjectType } from 'type-graphql';
import type { Department } from '../../generated/prisma/client.js';
import { connectionOf } from '../../graphql/connection.js';
import type { ManagedWebsite } from './managed-websites.service.js';
import { PostalAddress } from './postal-address.type.js';

@ObjectType('Department', { description: 'A French department, or an area outside France.' })
export class DepartmentType implements Department {
  @Field(() => String, { description: 'Its code, as in `75`, `2A` or `BEL`.' })
  code!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;
}

@ObjectType('Website', { description: 'A website of a team, with its directory entry.' })
export class WebsiteType extends PostalAddress implements ManagedWebsite {
  @Field(() => ID, { description: 'UUID, as pages name it to the gateway.' })
  id!: string;

  @Field(() => ID, { description: 'The team that it belongs to.' })
  teamId!: number;

  @Field(() => String, { description: 'Its name; lists are sorted by it.' })
  name!: string;

  @Field(() => String, {
    description: 'Host name that the Origin of its visitors is compared with, in lower-case ASCII.',
  })
  host!: string;

  @Field(() => String, { description: 'Absolute address.' })
  url!: string;

  @Field(() => String, { description: 'Its language, one of the platform.' })
  locale!: string;

  @Field(() => String, { description: 'IANA time zone, for the dates in e-mails.' })
  timeZone!: string;

  @Field(() => String, {
    description: "The client's contact, and the last resort for recipients of notifications.",
  })
  email!: string;

  @Field(() => String, { description: 'Telephone number as it was typed.' })
  phone!: string;

  @Field(() => String, { description: 'Address of the logo.' })
  logo!: string;

  @Field(() => Boolean, {
    description:
      'Whether its visitors are refused. A suspended team refuses those of all its websites, whatever this says.',
  })
  disabled!: boolean;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => Date, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

export const WebsiteConnection = connectionOf(WebsiteType, 'Website');
