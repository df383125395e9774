import { Field, ID, Int, ObjectType } from 'type-graphql';
import { listCost } from '../../graphql/cost.js';
import type { PersonalData, TeamOfPerson, WebsiteCount } from './person.queries.js';

/** What a team has about a person, in its list of teams and in the preview of an erasure. */
@ObjectType()
abstract class PersonalDataType implements PersonalData {
  @Field(() => Int, { description: 'Submissions that an erasure deletes.' })
  submissions!: number;

  @Field(() => Int, { description: 'Submissions under legal hold, which an erasure leaves.' })
  held!: number;

  @Field(() => Int, { description: 'Notes about them.' })
  notes!: number;

  @Field(() => Int, { description: 'E-mails about them that a mail server has accepted.' })
  emails!: number;

  @Field(() => Int, { description: 'Rules about spam that name the address, which an erasure deletes.' })
  spamRules!: number;
}

@ObjectType('PersonInTeam', {
  description: 'A team that has submissions of a person, or a rule about spam that names the person.',
})
export class PersonInTeamType extends PersonalDataType implements TeamOfPerson {
  teamId!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'When the first submission was recorded; null: there is none.',
  })
  firstAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the last one was.' })
  lastAt!: Date | null;

  @Field(() => Boolean, { description: "Whether the viewer may erase the person's data there." })
  mayErase!: boolean;
}

@ObjectType('ErasureOfWebsite', { description: 'What an erasure deletes of one website.' })
export class ErasureOfWebsiteType implements WebsiteCount {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => Int, { description: 'How many submissions.' })
  submissions!: number;
}

@ObjectType('ErasurePreview', { description: 'What `erasePerson` would delete now.' })
export class ErasurePreviewType extends PersonalDataType {
  @Field(() => Boolean, { description: 'Whether the counts are exact: up to 10,000 submissions they are.' })
  isExact!: boolean;

  @Field(() => [ErasureOfWebsiteType], {
    description: 'The websites that they came from, the most first.',
    complexity: listCost(20),
  })
  websites!: ErasureOfWebsiteType[];
}
