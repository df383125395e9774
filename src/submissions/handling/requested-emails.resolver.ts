import {
  Arg,
  Authorized,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { z } from 'zod';
import { panelActor } from '../../auth/panel-actor.js';
import { type Policy, requireRight } from '../../auth/policy.js';
import { submissionNotFound } from '../../errors.js';
import type { PanelContext, ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { uuidId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';
import { email } from '../../lib/input.schema.js';
import { RequestedEmailType } from '../../notifications/requested/requested-email.type.js';
import type { RequestedEmails } from '../../notifications/requested/requested-emails.service.js';
import type { Inbox } from '../inbox/inbox.service.js';
import { SubmissionType } from '../inbox/submission.type.js';
import type { SubmissionLog } from '../inbox/submission-log.service.js';
import { noteText } from './handling.schema.js';
import { SendAgainOutcome } from './selection.type.js';

type Services = Readonly<{
  policy: Policy;
  inbox: Pick<Inbox, 'find'>;
  submissionLog: SubmissionLog;
  requestedEmails: RequestedEmails;
  limiter: Limiter;
}>;

/** Maximum number of addresses that a submission is forwarded to at once. */
const MAX_RECIPIENTS = 5;

const forwarding = z.object({
  recipients: z
    .array(z.string().trim().pipe(email))
    .min(1, { error: 'must not be empty' })
    .max(MAX_RECIPIENTS, { error: `holds ${MAX_RECIPIENTS} at most` })
    .transform((addresses) => [...new Map(addresses.map((each) => [each.toLowerCase(), each])).values()]),
  note: noteText(2_000).nullish(),
});

@ObjectType('ForwardResult', { description: 'What became of forwarding a submission.' })
class ForwardResultType {
  @Field(() => SendAgainOutcome, { description: 'The outcome.' })
  outcome!: SendAgainOutcome;

  @Field(() => RequestedEmailType, { nullable: true, description: 'The e-mail; null when there is none.' })
  email!: RequestedEmailType | null;
}

@Resolver(() => SubmissionType)
export class RequestedEmailsResolver {
  constructor(private readonly services: Services) {}

  @FieldResolver(() => [RequestedEmailType], {
    description: 'The e-mails about it that were requested beside the notification, the oldest first.',
    complexity: listCost(2),
  })
  requestedEmails(
    @Root() { id }: Pick<SubmissionType, 'id'>,
    @Ctx() { load }: PanelContext,
  ): Promise<RequestedEmailType[]> {
    return load(this.services.submissionLog.requestedEmails, id);
  }

  @Authorized()
  @Mutation(() => ForwardResultType, {
    description:
      'Forwards a submission by e-mail to up to five addresses, which takes a unit of the quota of the present month. ' +
      'An account may forward to 60 addresses an hour, and a team 20 times an hour to the same address. The same again ' +
      'within five minutes sends nothing twice.',
    complexity: 100,
  })
  async forwardSubmission(
    @Arg('submissionId', () => ID, { description: 'The submission.' }) submissionId: string,
    @Arg('recipients', () => [String], { description: 'E-mail addresses, five at most.' })
    recipients: string[],
    @Arg('note', () => String, {
      nullable: true,
      description: 'What the e-mail says above the submission, as text: 2,000 characters at most.',
    })
    note: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<ForwardResultType> {
    const { inbox, requestedEmails, submissionLog } = this.services;
    const found = await inbox.find(uuidId(submissionId, 'Submission'));
    const submission = requireRight(context.viewer, found, 'manage', 'Submission');
    const read = {
      recipients: readInput(forwarding.shape.recipients, recipients, 'recipients'),
      note: readInput(forwarding.shape.note, note, 'note') ?? null,
    };
    await this.limit(context, submission.teamId, read.recipients);
    const forwarded = await requestedEmails.forward(submission, read, panelActor(context));
    if (!forwarded) throw submissionNotFound();
    if (forwarded.outcome !== 'handed_over') return { outcome: forwarded.outcome, email: null };
    const [emails] = await submissionLog.requestedEmails([submission.id]);
    return { outcome: forwarded.outcome, email: emails?.find(({ id }) => id === forwarded.id) ?? null };
  }

  /**
   * Counts each recipient for the account, and for the team and address: no team uses up or sees what another forwards.
   *
   * @throws 429.
   */
  private async limit(
    { viewer }: ViewerContext,
    teamId: number,
    recipients: readonly string[],
  ): Promise<void> {
    const hits = recipients.flatMap(
      (address) =>
        [
          { limit: 'forwards', key: String(viewer.userId) },
          { limit: 'forwards-address', key: `${teamId} ${address.toLowerCase()}` },
        ] as const,
    );
    requirePassing(await this.services.limiter.consume(...hits));
  }
}
