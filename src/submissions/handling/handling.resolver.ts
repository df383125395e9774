import { Arg, Authorized, Ctx, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import { type Policy, requireRight } from '../../auth/policy.js';
import { forbidden, notFound, submissionNotFound } from '../../errors.js';
import { SubmissionState } from '../../generated/prisma/enums.js';
import type { ViewerContext } from '../../graphql/context.js';
import type { Estimate } from '../../graphql/cost.js';
import { uuidId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';
import { SubmissionNoteType } from '../inbox/submission.type.js';
import { CHANGE_LIMIT, limitChanges } from './change-limit.js';
import { noteText } from './handling.schema.js';
import type { Handling } from './handling.service.js';
import { idList } from './selection.schema.js';
import { SendAgainOutcome } from './selection.type.js';

type Services = Readonly<{ policy: Policy; handling: Handling; limiter: Pick<Limiter, 'consume'> }>;

const readIds = (ids: string[]): string[] => [
  ...new Set(readInput(idList, ids, 'ids').map((id) => uuidId(id, 'Submission'))),
];

@ObjectType('SendAgainResult', { description: 'What became of asking for the e-mail of a submission again.' })
class SendAgainResultType {
  @Field(() => ID, { description: 'The submission.' })
  submissionId!: string;

  @Field(() => SendAgainOutcome, { description: 'What became of it.' })
  outcome!: SendAgainOutcome;
}

const IDS = { description: 'Submissions of teams that the viewer manages, 500 at most.' };

@Resolver()
export class HandlingResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Mutation(() => Int, {
    description: `Gives submissions a state, all or none. The answer is how many had another one before. ${CHANGE_LIMIT}`,
    deprecationReason: 'Use setStateOfSelected.',
  })
  async setSubmissionState(
    @Arg('ids', () => [ID], IDS) ids: string[],
    @Arg('state', () => SubmissionState, { description: 'The state they are to have.' })
    state: SubmissionState,
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    const managed = await this.requireManaged(context, ids);
    await limitChanges(this.services.limiter, context.viewer, managed);
    return (await this.services.handling.setState(managed, state, panelActor(context))).changed.length;
  }

  @Authorized()
  @Mutation(() => SubmissionNoteType, {
    description: 'Writes a note about a submission. 60 times a minute for each account.',
  })
  async addSubmissionNote(
    @Arg('submissionId', () => ID, { description: 'The submission it is about.' }) submissionId: string,
    @Arg('text', () => String, { description: 'The note: 1 to 5,000 characters.' }) text: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SubmissionNoteType> {
    const id = uuidId(submissionId, 'Submission');
    const written = readInput(noteText(5_000), text, 'text');
    const { policy, limiter, handling } = this.services;
    await policy.requireManagedSubmissions(viewer, [id]);
    requirePassing(await limiter.consume({ limit: 'notes', key: String(viewer.userId) }));
    const note = await handling.addNote(id, viewer, written);
    if (!note) throw submissionNotFound();
    return note;
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Deletes a note that the viewer has written.' })
  async deleteSubmissionNote(
    @Arg('id', () => ID, { description: 'The note.' }) id: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<boolean> {
    const { handling } = this.services;
    const found = await handling.findNote(uuidId(id, 'Note'));
    const note = requireRight(viewer, found, 'manage', 'Note');
    if (note.authorId !== viewer.userId) throw forbidden('Only the author of a note can delete it.');
    if (!(await handling.deleteNote(id))) throw notFound('Note not found.');
    return true;
  }

  @Authorized()
  @Mutation(() => [SendAgainResultType], {
    description:
      'Sends the e-mails about submissions again that ended without one: failed, past the quota (which takes a ' +
      `unit of the submission's month, if there is one by now) or without a recipient. ${CHANGE_LIMIT}`,
    complexity: ({ args, childComplexity }: Estimate<{ ids?: string[] }>) =>
      50 + (args.ids?.length ?? 0) * childComplexity,
    deprecationReason: 'Use sendSelectedAgain.',
  })
  async sendAgain(
    @Arg('ids', () => [ID], IDS) ids: string[],
    @Ctx() context: ViewerContext,
  ): Promise<SendAgainResultType[]> {
    const managed = await this.requireManaged(context, ids);
    await limitChanges(this.services.limiter, context.viewer, managed);
    return this.services.handling.sendAgain(managed, panelActor(context));
  }

  @Authorized()
  @Mutation(() => Int, {
    description:
      'Deletes submissions for good, with their e-mails and notes, but for those under legal hold. The answer is how many.',
    deprecationReason: 'Use deleteSelected.',
  })
  async deleteSubmissions(
    @Arg('ids', () => [ID], IDS) ids: string[],
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    const managed = await this.requireManaged(context, ids);
    return this.services.handling.delete(managed, panelActor(context));
  }

  /** Reads the ids of submissions that the viewer may manage. @throws 404, 403. */
  private async requireManaged({ viewer }: ViewerContext, ids: string[]): Promise<string[]> {
    const read = readIds(ids);
    await this.services.policy.requireManagedSubmissions(viewer, read);
    return read;
  }
}
