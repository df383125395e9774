import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import type { Policy } from '../../auth/policy.js';
import { submissionNotFound } from '../../errors.js';
import type { ViewerContext } from '../../graphql/context.js';
import { uuidId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { noteText } from './handling.schema.js';
import type { LegalHolds } from './legal-holds.service.js';

type Services = Readonly<{ policy: Policy; legalHolds: LegalHolds }>;

const SUBMISSION = { description: 'A submission of a team that the viewer manages.' };

@Resolver()
export class LegalHoldsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Mutation(() => Boolean, {
    description:
      'Puts a submission under legal hold: retention, erasure and deletion leave it until the hold is released. False: it ' +
      'has a hold for another reason, which stays.',
  })
  async setLegalHold(
    @Arg('submissionId', () => ID, SUBMISSION) submissionId: string,
    @Arg('reason', () => String, { description: 'Why: 1 to 500 characters.' }) reason: string,
    @Arg('unlessHeld', () => Boolean, {
      defaultValue: false,
      description: 'Whether a hold that it has stays as it is; else it gets this reason.',
    })
    unlessHeld: boolean,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const written = readInput(noteText(500), reason, 'reason');
    const id = await this.requireManaged(context, submissionId);
    const isSet = await this.services.legalHolds.set(id, written, panelActor(context), unlessHeld);
    if (isSet === null) throw submissionNotFound();
    return isSet;
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description: 'Releases the legal hold of a submission, which expires from then on like any other.',
  })
  async releaseLegalHold(
    @Arg('submissionId', () => ID, SUBMISSION) submissionId: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    await this.services.legalHolds.release(
      await this.requireManaged(context, submissionId),
      panelActor(context),
    );
    return true;
  }

  /** Reads the id of a submission that the viewer may manage. @throws 404, 403. */
  private async requireManaged({ viewer }: ViewerContext, submissionId: string): Promise<string> {
    const id = uuidId(submissionId, 'Submission');
    await this.services.policy.requireManagedSubmissions(viewer, [id]);
    return id;
  }
}
