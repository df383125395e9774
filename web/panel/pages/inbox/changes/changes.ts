import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type IntlShape, useIntl } from 'react-intl';
import { GatewayError, type ResultOf, request } from '../../../graphql.js';
import { useText } from '../../../language.js';
import { describeError } from '../../../parts/feedback/error-words.js';
import { countUnsaved } from '../../../parts/form/unsaved.js';
import { keepUndo, say } from '../../../parts/overlays/toasts.js';
import { monthName } from '../list/lead-time.js';
import type { LeadState } from '../search.js';
import { invalidateLeads, patchStates } from './cache.js';
import { SEND_AGAIN, SET_STATE } from './change-mutations.js';
import {
  byShownState,
  type Chosen,
  forAll,
  goneOf,
  PORTION,
  type Shown,
  type Step,
  totalOf,
} from './chosen.js';
import { createPauses } from './pauses.js';
import { waitOut } from './wait-out.js';

type Previous = ResultOf<typeof SET_STATE>['setStateOfSelected']['previous'];

const statesOf = (previous: Previous): Map<string, LeadState> =>
  new Map(previous.flatMap(({ ids, state }) => ids.map((id) => [id, state] as const)));

/** A change of many leads on its way. */
export type Progress = Readonly<{
  done: number;
  total: number;
  /** When it goes on, after a limit of the gateway or while it is not available; null: it does not wait. */
  pausedUntil: Date | null;
  /** Ends it before its next call, and a pause at once. */
  cancel(): void;
}>;

const isPassing = (error: unknown): boolean => error instanceof GatewayError && error.isPassing;

/** The end of a change that the viewer has cancelled: what is done stays so. */
export class Cancelled extends Error {}

type Dependencies = Readonly<{
  client: QueryClient;
  intl: IntlShape;
  t: ReturnType<typeof useText>;
  setProgress(progress: Progress | null): void;
}>;

/** Creates what changes leads. A change shows at once, is taken back when it is refused, and can be undone. */
function createChanges({ client, intl, t, setProgress }: Dependencies) {
  /**
   * Runs a change of a choice. When that has more leads than the gateway takes in a call, its progress shows, it waits
   * for the limits of the gateway and for its return, and it can be cancelled.
   *
   * @throws Cancelled once it is.
   */
  async function run<Result>(
    chosen: Chosen,
    change: (step: Step) => Promise<Result>,
    refresh = invalidateLeads,
  ) {
    const { count: total } = totalOf(chosen);
    const isMany = total > PORTION;
    let done = 0;
    const controller = new AbortController();
    const { signal } = controller;
    const cancel = () => controller.abort();
    const show = (pausedUntil: Date | null) => {
      if (isMany) setProgress({ done, total: Math.max(done, total), pausedUntil, cancel });
    };
    show(null);
    const takeBack = isMany ? countUnsaved() : null;
    try {
      return await change(async (call) => {
        const next = () => {
          if (signal.aborted) throw new Cancelled();
          return call();
        };
        const answer = await (isMany
          ? waitOut(next, { pauseOf: createPauses(), onPause: show, signal })
          : next());
        done += answer.matched;
        show(null);
        return answer;
      });
    } finally {
      // A change of one lead may end while one of many goes on.
      if (isMany) setProgress(null);
      takeBack?.();
      refresh(client);
    }
  }

  const readAgain = () => void client.refetchQueries({ queryKey: ['leads'], type: 'active' });

  const fail = (error: unknown) => {
    if (!(error instanceof Cancelled)) say(describeError(error as Error, t).text);
  };

  /** Tells of leads that were left out, since a colleague has deleted them. */
  const tellGone = (count: number) => {
    if (count === 0) return;
    say(t('inbox.gone', { count }));
    readAgain();
  };

  /** The latest change of each lead that has not ended, with the states that it leaves, as far as the viewer knows. */
  const latest = new Map<string, Promise<ReadonlyMap<string, LeadState>>>();

  /**
   * Shows states at once, and begins a change once the earlier ones of its leads have ended: it expects the states that
   * those leave, such as the former ones after a failure.
   *
   * @param change Returns the states of the leads that a failure left as they were.
   */
  function inTurn(
    leads: readonly Shown[],
    states: ReadonlyMap<string, LeadState>,
    change: (expected: readonly Shown[]) => Promise<ReadonlyMap<string, LeadState>>,
  ): Promise<void> {
    patchStates(client, states);
    const earlier = leads.map(({ id }) => latest.get(id));
    const turn = Promise.all(earlier).then(async (left) => {
      // The end of an earlier one shows what that led to.
      patchStates(client, states);
      const expected = leads.map(({ id, state }, at) => ({ id, state: left[at]?.get(id) ?? state }));
      return new Map([...states, ...(await change(expected))]);
    });
    for (const { id } of leads) latest.set(id, turn);
    return turn.then(() => {
      for (const { id } of leads) if (latest.get(id) === turn) latest.delete(id);
    });
  }

  /**
   * Gives leads a state. Of those that are shown, what a colleague or the spam filter has changed since they were read
   * is left as it is: the e-mail about a lead that has become spam would go out. All that a filter finds get the state.
   */
  async function setState(chosen: Chosen, state: LeadState): Promise<void> {
    const leads = 'leads' in chosen ? chosen.leads : [];
    const states = new Map(leads.map(({ id }) => [id, state]));
    const since = performance.now();
    await inTurn(leads, states, (expected) =>
      changeStates('leads' in chosen ? { leads: expected } : chosen, state, since),
    );
  }

  async function changeStates(
    chosen: Chosen,
    state: LeadState,
    since: number,
  ): Promise<ReadonlyMap<string, LeadState>> {
    const previous: Previous = [];
    const skipped: Previous = [];
    let gone = 0;
    let failure: unknown = null;
    // Whether the last call may have made its change, though no answer came.
    let isLost = false;
    try {
      await run(chosen, async (step) => {
        for (const [expectedState, group] of byShownState(chosen)) {
          await forAll(
            group,
            async (selection) => {
              const variables = { selection, state, expectedState };
              const { setStateOfSelected } = await request(SET_STATE, variables).catch((error) => {
                isLost ||= isPassing(error);
                throw error;
              });
              isLost = false;
              previous.push(...setStateOfSelected.previous);
              skipped.push(...setStateOfSelected.skipped);
              gone += goneOf(selection, setStateOfSelected);
              return setStateOfSelected;
            },
            step,
          );
        }
      });
    } catch (error) {
      failure = error;
    }
    // A change that failed half way has changed what came before.
    const changed = statesOf(previous);
    const kept = statesOf(skipped);
    const before = failure && 'leads' in chosen ? chosen.leads : [];
    const unchanged = new Map(
      before.filter(({ id }) => !changed.has(id) && !kept.has(id)).map(({ id, state: had }) => [id, had]),
    );
    const now = [...changed.keys()].map((id) => [id, state] as const);
    patchStates(client, new Map([...kept, ...unchanged, ...now]));
    if (failure) fail(failure);
    if (isLost) readAgain();
    const count = changed.size;
    if (count > 0) say(t(`inbox.moved.${state}`, { count }), () => void undo(previous, state), since);
    if (kept.size > 0) say(t('inbox.skipped', { count: kept.size }));
    tellGone(gone);
    if (count + kept.size + gone === 0 && !failure) say(t('inbox.unchanged'));
    const total = totalOf(chosen);
    const left = total.isExact ? total.count - count - kept.size - gone : PORTION;
    if (isLost && (count > 0 || total.count > PORTION))
      say(t('inbox.unanswered', { count: Math.min(PORTION, left) }));
    else if (failure && left > 1 && count > 0) say(t('inbox.brokenOff'));
    return unchanged;
  }

  /**
   * Gives leads that still are in `state` their former states back. Others, which a colleague has changed meanwhile,
   * are left as they are.
   */
  async function undo(previous: Previous, state: LeadState): Promise<void> {
    const former = statesOf(previous);
    const leads = [...former.keys()].map((id) => ({ id, state }));
    await inTurn(leads, former, () => giveBack(leads, previous, state));
  }

  async function giveBack(
    leads: readonly Shown[],
    previous: Previous,
    state: LeadState,
  ): Promise<ReadonlyMap<string, LeadState>> {
    const left = new Map(leads.map(({ id }) => [id, state]));
    let skippedCount = 0;
    let gone = 0;
    try {
      await run({ leads }, async (step) => {
        for (const { ids, state: had } of previous) {
          const given = { selection: { ids }, state: had, expectedState: state };
          const answer = await step(async () => (await request(SET_STATE, given)).setStateOfSelected);
          for (const id of ids) left.delete(id);
          gone += goneOf(given.selection, answer);
          const kept = statesOf(answer.skipped);
          patchStates(client, kept);
          skippedCount += kept.size;
        }
      });
      if (skippedCount > 0) say(t('inbox.skipped', { count: skippedCount }));
      tellGone(gone);
    } catch (error) {
      patchStates(client, left);
      fail(error);
      readAgain();
    }
    return left;
  }

  /**
   * Sends the e-mails again that did not go out; with `includeSent` also one that did, as another message.
   *
   * @param recipients Of those that had a sent e-mail, only these; all without it.
   */
  async function sendAgain(chosen: Chosen, includeSent = false, recipients?: string[]): Promise<void> {
    let gone = 0;
    try {
      const answers = await run(chosen, (step) =>
        forAll(
          chosen,
          async (selection) => {
            const given = { selection, includeSent, ...(recipients && { recipients }) };
            const { sendSelectedAgain } = await request(SEND_AGAIN, given);
            gone += goneOf(selection, sendSelectedAgain);
            return sendSelectedAgain;
          },
          step,
        ),
      );
      const outcomes = answers.flatMap((answer) => answer.outcomes);
      const countOf = (wanted: string) =>
        outcomes.reduce((sum, { outcome, ids }) => sum + (outcome === wanted ? ids.length : 0), 0);
      const [sent, refused] = [countOf('handed_over'), countOf('quota_used_up')];
      if (sent > 0) say(t('inbox.sentAgain', { count: sent }));
      if (refused > 0) {
        const months = new Set(outcomes.flatMap((one) => one.months));
        const names = [...months].sort().map((month) => monthName(intl.formatDate, `${month}-01`));
        say(t('inbox.quotaOfMonths', { count: refused, months: intl.formatList(names) }));
      }
      tellGone(gone);
      if (sent + refused + gone === 0) say(t('inbox.nothingToSend'));
    } catch (error) {
      fail(error);
    }
  }

  return {
    setState: (chosen: Chosen, state: LeadState) => keepUndo(setState(chosen, state)),
    sendAgain,
    run,
  };
}

/** Returns what changes leads, with the progress of a change of many. Another object only when that goes on. */
export function useChanges() {
  const t = useText();
  const client = useQueryClient();
  const intl = useIntl();
  const [progress, setProgress] = useState<Progress | null>(null);
  const changes = useMemo(() => createChanges({ client, intl, t, setProgress }), [client, intl, t]);
  return useMemo(() => ({ progress, ...changes }), [progress, changes]);
}

export type Changes = ReturnType<typeof useChanges>;
