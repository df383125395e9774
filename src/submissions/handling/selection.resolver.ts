import { Arg, Authorized, Ctx, Mutation, Resolver } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import type { Policy } from '../../auth/policy.js';
import { SubmissionState } from '../../generated/prisma/enums.js';
import { readCursor, writeCursor } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import type { Estimate } from '../../graphql/cost.js';
import { uuidId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import type { Limiter } from '../../http/limits/rate-limit.js';
import { groupBy } from '../../lib/group-by.js';
import { type Inbox, UNSENT_STATES } from '../inbox/inbox.service.js';
import type { InboxFilter } from '../inbox/inbox-filter.schema.js';
import { CHANGE_LIMIT, limitChanges } from './change-limit.js';
import type { StateOf } from './handling.queries.js';
import type { Handling } from './handling.service.js';
import { chosenRecipients, MAX_SELECTED, selectionSchema } from './selection.schema.js';
import {
  SelectedDeletedType,
  SelectedSentAgainType,
  SelectedStateSetType,
  SubmissionSelection,
  type SubmissionsOfStateType,
} from './selection.type.js';

type Services = Readonly<{
  policy: Policy;
  inbox: Pick<Inbox, 'positions'>;
  handling: Handling;
  limiter: Pick<Limiter, 'consume'>;
}>;

/** The submissions that one call is about, and the cursor at which the next one goes on. */
type Portion = Readonly<{ ids: string[]; next: string | null }>;

type SelectOptions = Readonly<{
  /** Leaves those out of a filter that the change cannot be about. */
  narrow?: (filter: InboxFilter) => InboxFilter;
}>;

const SELECTION = { description: 'The submissions.' };

/** What a change of up to 500 submissions costs, beside its answer. */
const changeCost = ({ childComplexity }: Pick<Estimate, 'childComplexity'>): number => 500 + childComplexity;

const byState = (submissions: readonly StateOf[]): SubmissionsOfStateType[] =>
  [...groupBy(submissions, ({ state }) => state)].map(([state, of]) => ({
    state,
    ids: of.map(({ id }) => id),
  }));

@Resolver()
export class SelectionResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Mutation(() => SelectedStateSetType, {
    description: `Gives submissions a state. ${CHANGE_LIMIT}`,
    complexity: changeCost,
  })
  async setStateOfSelected(
    @Arg('selection', () => SubmissionSelection, SELECTION) selection: SubmissionSelection,
    @Arg('state', () => SubmissionState, { description: 'The state they are to have.' })
    state: SubmissionState,
    @Arg('expectedState', () => SubmissionState, {
      nullable: true,
      description: 'The state that they must still be in, or they are skipped; null: any.',
    })
    expectedState: SubmissionState | null,
    @Ctx() context: ViewerContext,
  ): Promise<SelectedStateSetType> {
    const { ids, next } = await this.select(context, selection);
    await limitChanges(this.services.limiter, context.viewer, ids);
    const { handling } = this.services;
    const { found, changed, skipped } = await handling.setState(
      ids,
      state,
      panelActor(context),
      expectedState,
    );
    return {
      matched: found,
      next,
      changed: changed.length,
      previous: byState(changed.map(({ id, from }) => ({ id, state: from }))),
      skipped: byState(skipped),
    };
  }

  @Authorized()
  @Mutation(() => SelectedSentAgainType, {
    description:
      'Sends the e-mails about submissions again that ended without one: failed, bounced for every recipient, past the ' +
      "quota (which takes a unit of the submission's month, if there is one by now) or without a recipient. With " +
      '`includeSent` also those that were sent: as a new message, which takes a unit of the present month. The same ' +
      `again within five minutes sends nothing twice. ${CHANGE_LIMIT}`,
    complexity: changeCost,
  })
  async sendSelectedAgain(
    @Arg('selection', () => SubmissionSelection, SELECTION) selection: SubmissionSelection,
    @Arg('includeSent', () => Boolean, {
      defaultValue: false,
      description: 'Whether e-mails that were sent are sent again.',
    })
    includeSent: boolean,
    @Arg('recipients', () => [String], {
      nullable: true,
      description: 'Of those that had the sent e-mail, only these; null: all.',
    })
    recipients: string[] | null,
    @Ctx() context: ViewerContext,
  ): Promise<SelectedSentAgainType> {
    const chosen = readInput(chosenRecipients, recipients, 'recipients');
    const states = includeSent ? [...UNSENT_STATES, 'sent' as const] : UNSENT_STATES;
    const narrow = ({ notificationStates, ...filter }: InboxFilter) => ({
      ...filter,
      notificationStates: states.filter((state) => notificationStates?.includes(state) ?? true),
    });
    const { ids, next } = await this.select(context, selection, { narrow });
    await limitChanges(this.services.limiter, context.viewer, ids);
    const asSent = includeSent ? { recipients: chosen ?? null } : null;
    const sent = await this.services.handling.sendAgain(ids, panelActor(context), asSent);
    const outcomes = groupBy(sent, ({ outcome }) => outcome);
    return {
      matched: ids.length,
      next,
      outcomes: [...outcomes].map(([outcome, rows]) => ({
        outcome,
        ids: rows.map(({ submissionId }) => submissionId),
        months: [...new Set(rows.flatMap(({ month }) => month ?? []))].sort(),
      })),
    };
  }

  @Authorized()
  @Mutation(() => SelectedDeletedType, {
    description:
      'Deletes submissions for good, with their e-mails and notes, but for those under legal hold.',
    complexity: changeCost,
  })
  async deleteSelected(
    @Arg('selection', () => SubmissionSelection, SELECTION) selection: SubmissionSelection,
    @Ctx() context: ViewerContext,
  ): Promise<SelectedDeletedType> {
    const { ids, next } = await this.select(context, selection);
    const deleted = await this.services.handling.delete(ids, panelActor(context));
    return { matched: ids.length, next, deleted };
  }

  /**
   * Finds the submissions of a call, all of teams that the viewer manages. Ids without a submission in view are
   * skipped: a colleague, or the call whose answer was lost, may have deleted it.
   *
   * @throws 422, 403; 404 for a filter's team.
   */
  private async select(
    { viewer }: ViewerContext,
    selection: SubmissionSelection,
    { narrow = (filter) => filter }: SelectOptions = {},
  ): Promise<Portion> {
    const { policy, inbox } = this.services;
    const { ids, filter, createdBefore, after } = readInput(selectionSchema, selection, 'selection');
    if (!filter) {
      const read = [...new Set((ids ?? []).map((id) => uuidId(id, 'Submission')))];
      const managed = new Set(await policy.managedSubmissions(viewer, read));
      return { ids: read.filter((id) => managed.has(id)), next: null };
    }
    const cursor = after === undefined ? null : readCursor(after, ['instant', 'uuid'], 'selection.after');
    const ends = [filter.to, createdBefore].filter((end) => end !== undefined);
    const to = ends.length > 0 ? new Date(Math.min(...ends.map(Number))) : undefined;
    const scope = await policy.scope(viewer, filter, 'manage');
    const found = await inbox.positions(scope, narrow({ ...filter, to }), {
      position: cursor && { at: String(cursor[0]), id: String(cursor[1]) },
      direction: 'forward',
      limit: MAX_SELECTED + 1,
    });
    const portion = found.slice(0, MAX_SELECTED);
    const last = portion.at(-1);
    return {
      ids: portion.map(({ id }) => id),
      next: last && found.length > MAX_SELECTED ? writeCursor([last.at, last.id]) : null,
    };
  }
}
