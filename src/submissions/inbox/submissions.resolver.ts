import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { Accounts } from '../../accounts/accounts.service.js';
import { type Policy, requireRight } from '../../auth/policy.js';
import { formNotFound, websiteNotFound } from '../../errors.js';
import type { LocalizedField } from '../../forms/definition/translate.js';
import { FormType } from '../../forms/editing/form.type.js';
import type { ManagedForms } from '../../forms/editing/managed-forms.service.js';
import type { FormVersions } from '../../forms/history/form-versions.service.js';
import type { FieldsIn, Forms } from '../../forms/serving/forms.service.js';
import { type Connection, PageArgs, readPage, toConnectionById } from '../../graphql/connection.js';
import type { PanelContext, ViewerContext } from '../../graphql/context.js';
import { listCost, pageCost } from '../../graphql/cost.js';
import { uuidId } from '../../graphql/ids.js';
import { NotificationType } from '../../notifications/notification.type.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import type { Inbox } from './inbox.service.js';
import { readFilter, SubmissionFilter } from './inbox-filter.type.js';
import { type ListedSubmission, readListed } from './listed-submission.js';
import {
  AttributionType,
  LegalHoldChangeType,
  LegalHoldType,
  SubmissionConnection,
  SubmissionConsentType,
  SubmissionFieldType,
  SubmissionNoteType,
  SubmissionStateChangeType,
  SubmissionSummaryType,
  SubmissionType,
} from './submission.type.js';
import { shownConsents, shownFields } from './submission-fields.js';
import type { SubmissionLog } from './submission-log.service.js';
import { summaryOf } from './submission-summary.js';

type Services = Readonly<{
  policy: Policy;
  inbox: Inbox;
  submissionLog: SubmissionLog;
  forms: Pick<Forms, 'labels'>;
  managedForms: Pick<ManagedForms, 'findMany'>;
  formVersions: Pick<FormVersions, 'keptOf'>;
  managedWebsites: Pick<ManagedWebsites, 'findMany'>;
  accounts: Pick<Accounts, 'byIds'>;
}>;

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
    const { positions, submissions } = await inbox.page(await policy.scope(viewer, read), read, request);
    const fieldsOf = await this.fieldsOf(submissions);
    const byId = new Map(submissions.map((submission) => [submission.id, submission]));
    return toConnectionById(
      positions,
      page,
      ({ at, id }) => [at, id],
      byId,
      ({ json }) => shown(readListed(json), fieldsOf),
    );
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

  @FieldResolver(() => WebsiteType, { description: 'The website that it came from.' })
  async website(
    @Root() { websiteId }: ListedSubmission,
    @Ctx() { load }: PanelContext,
  ): Promise<WebsiteType> {
    const website = await load(this.services.managedWebsites.findMany, websiteId);
    if (!website) throw websiteNotFound();
    return website;
  }

  @FieldResolver(() => FormType, { description: 'The form that was sent.' })
  async form(@Root() { formId }: ListedSubmission, @Ctx() { load }: PanelContext): Promise<FormType> {
    const form = await load(this.services.managedForms.findMany, formId);
    if (!form) throw formNotFound();
    return form;
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether `formVersion` tells what the form was then; the latest 500 versions are kept.',
  })
  async isFormVersionKept(
    @Root() { formId, formVersion }: ListedSubmission,
    @Ctx() { load }: PanelContext,
  ): Promise<boolean> {
    return (await load(this.services.formVersions.keptOf, formId)).has(formVersion);
  }

  @FieldResolver(() => SubmissionSummaryType, { description: 'Who sent it and what it is about, in short.' })
  summary(@Root() root: ShownSubmission): SubmissionSummaryType {
    return summaryOf(root, root.formFields);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of who gave it its state; null when it has its first one, or the account is gone.',
  })
  async stateChangedByName(
    @Root() { stateChangedById }: ListedSubmission,
    @Ctx() { load }: PanelContext,
  ): Promise<string | null> {
    if (stateChangedById === null) return null;
    return (await load(this.services.accounts.byIds, stateChangedById))?.name || null;
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

  @FieldResolver(() => LegalHoldType, { nullable: true, description: 'Its legal hold; null: it has none.' })
  legalHold(@Root() { legalHoldAt, legalHoldReason }: ListedSubmission): LegalHoldType | null {
    return legalHoldAt && { since: legalHoldAt, reason: legalHoldReason ?? '' };
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

  @FieldResolver(() => [LegalHoldChangeType], {
    description: 'Who put it under legal hold and released it, the oldest change first.',
    complexity: listCost(5),
  })
  legalHoldHistory(
    @Root() { id }: ListedSubmission,
    @Ctx() { load }: PanelContext,
  ): Promise<LegalHoldChangeType[]> {
    return load(this.services.submissionLog.legalHoldChanges, id);
  }

  /** Reads the fields of the submissions' forms, by the forms' ids. */
  private async fieldsOf(submissions: readonly { formId: number }[]): Promise<ReadonlyMap<number, FieldsIn>> {
    const formIds = [...new Set(submissions.map(({ formId }) => formId))];
    const fields = await this.services.forms.labels(formIds);
    return new Map(formIds.map((id, i) => [id, fields[i]!]));
  }
}
