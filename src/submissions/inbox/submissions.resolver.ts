import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { type Policy, requireRight } from '../../auth/policy.js';
import type { LocalizedField } from '../../forms/definition/translate.js';
import type { FieldsIn, Forms } from '../../forms/serving/forms.service.js';
import { type Connection, PageArgs, readPage, toConnection } from '../../graphql/connection.js';
import type { PanelContext, ViewerContext } from '../../graphql/context.js';
import { listCost, pageCost } from '../../graphql/cost.js';
import { uuidId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { NotificationType } from '../../notifications/notification.type.js';
import type { Inbox } from './inbox.service.js';
import { type InboxFilter, inboxFilterSchema } from './inbox-filter.schema.js';
import { SubmissionFilter } from './inbox-filter.type.js';
import { type ListedSubmission, readListed } from './listed-submission.js';
import {
  AttributionType,
  SubmissionConnection,
  SubmissionConsentType,
  SubmissionCountsType,
  SubmissionFieldType,
  SubmissionNoteType,
  SubmissionStateChangeType,
  SubmissionType,
} from './submission.type.js';
import { shownConsents, shownFields } from './submission-fields.js';
import type { SubmissionLog } from './submission-log.service.js';

type Services = Readonly<{
  policy: Policy;
  inbox: Inbox;
  submissionLog: SubmissionLog;
  forms: Pick<Forms, 'labels'>;
}>;

const readFilter = (filter: SubmissionFilter | null): InboxFilter =>
  readInput(inboxFilterSchema, filter ?? {}, 'filter');

/** A submission with its form's fields preloaded, so that no item of a list triggers a read of its own. */
type ShownSubmission = ListedSubmission & Readonly<{ formFields: readonly LocalizedField[] }>;

const shown = (submission: ListedSubmission, fieldsOf: ReadonlyMap<number, FieldsIn>): ShownSubmission => ({
  ...submission,
  formFields: fieldsOf.get(submission.formId)!(submission.locale),
});

@Resolver(() => SubmissionType)
export class SubmissionsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => SubmissionConnection, {
    description: 'The inbox: the submissions that a viewer sees, newest first.',
    complexity: pageCost,
  })
  async submissions(
    @Arg('filter', () => SubmissionFilter, { nullable: true, description: 'What to narrow it by.' })
    filter: SubmissionFilter | null,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<ShownSubmission>> {
    const { policy, inbox } = this.services;
    const page = readPage(args, ['instant', 'uuid']);
    const read = readFilter(filter);
    const position = page.cursor && { at: String(page.cursor[0]), id: String(page.cursor[1]) };
    const request = { position, direction: page.direction, limit: page.limit + 1 };
    const rows = await inbox.page(await policy.scope(viewer, read), read, request);
    const fieldsOf = await this.fieldsOf(rows);
    return toConnection(
      rows,
      page,
      ({ at, id }) => [at, id],
      ({ json }) => shown(readListed(json), fieldsOf),
    );
  }

  @Authorized()
  @Query(() => SubmissionCountsType, {
    description: 'How many submissions of the inbox a filter finds, in all and by state.',
    complexity: 50,
  })
  async submissionCounts(
    @Arg('filter', () => SubmissionFilter, { nullable: true, description: 'What to narrow it by.' })
    filter: SubmissionFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SubmissionCountsType> {
    const { policy, inbox } = this.services;
    const read = readFilter(filter);
    const counts = await inbox.counts(await policy.scope(viewer, read), read);
    const byState = [...counts].map(([state, count]) => ({ state, ...count }));
    return {
      total: byState.reduce((sum, { count }) => sum + count, 0),
      isExact: byState.every(({ isExact }) => isExact),
      byState,
    };
  }

  @Authorized()
  @Query(() => SubmissionType, { description: 'One submission.' })
  async submission(
    @Arg('id', () => ID, { description: 'Its `lead_id`.' }) id: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<ShownSubmission> {
    const one = await this.services.inbox.find(uuidId(id, 'Submission'));
    const found = requireRight(viewer, one, 'read', 'Submission');
    return shown(found, await this.fieldsOf([found]));
  }

  @FieldResolver(() => [SubmissionFieldType], {
    description: 'The recorded values in the order of the form; last those whose fields it no longer has.',
    complexity: listCost(15),
  })
  fields(@Root() root: ShownSubmission): SubmissionFieldType[] {
    return shownFields(root, root.formFields);
  }

  @FieldResolver(() => [SubmissionConsentType], {
    description: 'The consents with the texts that the visitor saw.',
    complexity: listCost(2),
  })
  consents(@Root() root: ListedSubmission): SubmissionConsentType[] {
    return shownConsents(root);
  }

  @FieldResolver(() => AttributionType, {
    nullable: true,
    description: 'Where the visitor came from; null when the visitor is not known.',
  })
  attribution(@Root() { attribution }: ListedSubmission): AttributionType | null {
    if (attribution === null) return null;
    const first = attribution as Record<string, string | undefined>;
    return {
      referrer: first.referrer ?? null,
      utmSource: first.utm_source ?? null,
      utmMedium: first.utm_medium ?? null,
      utmCampaign: first.utm_campaign ?? null,
      utmTerm: first.utm_term ?? null,
      utmContent: first.utm_content ?? null,
    };
  }

  @FieldResolver(() => NotificationType, { nullable: true, description: 'The e-mail about it.' })
  notification(@Root() { notification }: ListedSubmission): NotificationType | null {
    return notification;
  }

  @FieldResolver(() => [SubmissionNoteType], {
    description: 'The notes, the oldest first.',
    complexity: listCost(5),
  })
  notes(@Root() { id }: ListedSubmission, @Ctx() { load }: PanelContext): Promise<SubmissionNoteType[]> {
    return load(this.services.submissionLog.notes, id);
  }

  @FieldResolver(() => [SubmissionStateChangeType], {
    description: 'Who gave it which state, the oldest change first.',
    complexity: listCost(5),
  })
  stateHistory(
    @Root() { id }: ListedSubmission,
    @Ctx() { load }: PanelContext,
  ): Promise<SubmissionStateChangeType[]> {
    return load(this.services.submissionLog.stateChanges, id);
  }

  /** Reads the fields of the submissions' forms, by the forms' ids. */
  private async fieldsOf(submissions: readonly { formId: number }[]): Promise<ReadonlyMap<number, FieldsIn>> {
    const formIds = [...new Set(submissions.map(({ formId }) => formId))];
    const fields = await this.services.forms.labels(formIds);
    return new Map(formIds.map((id, i) => [id, fields[i]!]));
  }
}
