import { Arg, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { Policy, Scope } from '../../auth/policy.js';
import { readCursor } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { SubmissionCountsType, SubmissionCountType, UnsentCountType } from './counts.type.js';
import type { Inbox } from './inbox.service.js';
import type { InboxFilter } from './inbox-filter.schema.js';
import { readFilter, SubmissionFilter } from './inbox-filter.type.js';

type Services = Readonly<{ policy: Policy; inbox: Inbox }>;

/** The counts of a filter, and what else is counted of it where it is asked for. */
type Counted = SubmissionCountsType & Readonly<{ scope: Scope; filter: InboxFilter }>;

const FILTER = { nullable: true, description: 'What to narrow it by.' };

@Resolver(() => SubmissionCountsType)
export class CountsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => SubmissionCountsType, {
    description: 'How many submissions of the inbox a filter finds, in all and by state.',
    complexity: 50,
  })
  async submissionCounts(
    @Arg('filter', () => SubmissionFilter, FILTER) filter: SubmissionFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Counted> {
    const { policy, inbox } = this.services;
    const read = readFilter(filter);
    const scope = await policy.scope(viewer, read);
    const counts = await inbox.counts(scope, read);
    const byState = [...counts].map(([state, count]) => ({ state, ...count }));
    return {
      total: byState.reduce((sum, { count }) => sum + count, 0),
      isExact: byState.every(({ isExact }) => isExact),
      byState,
      scope,
      filter: read,
    };
  }

  @FieldResolver(() => [UnsentCountType], {
    description:
      'How many of the submissions have an e-mail that failed, bounced for every recipient, was held back by the ' +
      'quota, or has no recipient. Of each state the latest 5,000 e-mails of the installation are looked through.',
    complexity: 50,
  })
  async unsent(@Root() { scope, filter }: Counted): Promise<UnsentCountType[]> {
    const counts = await this.services.inbox.unsent(scope, filter);
    return [...counts].map(([state, count]) => ({ state, ...count }));
  }

  @Authorized()
  @Query(() => SubmissionCountType, {
    description:
      'How many submissions have come since a page of the inbox was read, up to 100: cheap enough to poll.',
    complexity: 10,
  })
  async newSubmissions(
    @Arg('filter', () => SubmissionFilter, FILTER) filter: SubmissionFilter | null,
    @Arg('since', () => String, {
      nullable: true,
      description: 'The `startCursor` of the first page; null when the page was empty.',
    })
    since: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SubmissionCountType> {
    const { policy, inbox } = this.services;
    const read = readFilter(filter);
    const cursor = since == null ? null : readCursor(since, ['instant', 'uuid'], 'since');
    const position = cursor && { at: String(cursor[0]), id: String(cursor[1]) };
    return inbox.newer(await policy.scope(viewer, read), read, position);
  }
}
