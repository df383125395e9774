import { groupBy } from '../../../../../src/lib/group-by.js';
import type { VariablesOf } from '../../../graphql.js';
import type { Count } from '../count.js';
import type { Filter, LeadState } from '../search.js';
import type { SEND_AGAIN } from './change-mutations.js';

type Selection = VariablesOf<typeof SEND_AGAIN>['selection'];

/** A lead, with the state that it is shown to have. */
export type Shown = Readonly<{ id: string; state: LeadState }>;

/** What a change is about: leads that are shown, or all that a filter finds. */
export type Chosen =
  | Readonly<{ leads: readonly Shown[] }>
  | Readonly<{ filter: Filter; createdBefore?: string; total: Count }>;

/** The gateway takes as many ids in a call. */
export const PORTION = 500;

/** Splits a choice into what the gateway takes in a call: portions of ids, or a filter that it goes on with itself. */
function selectionsOf(chosen: Chosen): Selection[] {
  if ('filter' in chosen) return [{ filter: chosen.filter, createdBefore: chosen.createdBefore ?? null }];
  const ids = chosen.leads.map(({ id }) => id);
  return Array.from({ length: Math.ceil(ids.length / PORTION) }, (_, portion) => ({
    ids: ids.slice(portion * PORTION, (portion + 1) * PORTION),
  }));
}

/** How many leads of a call are no longer there. */
export const goneOf = ({ ids }: Selection, { matched }: { matched: number }): number =>
  ids ? ids.length - matched : 0;

/** Makes one call of a change, and shows how many leads are done then. */
export type Step = <Answer extends { matched: number }>(call: () => Promise<Answer>) => Promise<Answer>;

/** Calls until nothing of a choice is left. */
export async function forAll<Answer extends { matched: number; next: string | null }>(
  chosen: Chosen,
  call: (selection: Selection) => Promise<Answer>,
  step: Step,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const selection of selectionsOf(chosen)) {
    let after: string | null = null;
    do {
      const portion: Selection = { ...selection, after };
      const answer = await step(() => call(portion));
      answers.push(answer);
      after = answer.next;
    } while (after !== null);
  }
  return answers;
}

/** Splits a choice by the state that its leads must still be in: the one that they are shown to have; null: any. */
export function byShownState(chosen: Chosen): [LeadState | null, Chosen][] {
  if ('filter' in chosen) return [[null, chosen]];
  const groups = groupBy(chosen.leads, ({ state }) => state);
  return [...groups].map(([state, leads]) => [state, { leads }]);
}

/** How many leads a choice has: exactly, or at least. */
export const totalOf = (chosen: Chosen): Count =>
  'filter' in chosen ? chosen.total : { count: chosen.leads.length, isExact: true };
