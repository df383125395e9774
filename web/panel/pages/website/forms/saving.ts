import { request } from '../../../graphql.js';
import {
  type Choices,
  type Collision,
  merge,
  pathKey,
  type Shape,
  type Sides,
} from '../../../parts/merge/merge.js';
import {
  type SaveConflict as Conflict,
  type Base as Edited,
  saveMerged,
} from '../../../parts/merge/save-merged.js';
import { NO_PLACEMENT, type Placement, readPlacements, SAVE } from '../../../placements.js';
import { draftOf, inputOf, type PlacementDraft } from './draft.js';

/** What a draft is a change of; the version is `NO_PLACEMENT` when the form has been taken off the website. */
export type Base = Edited<PlacementDraft>;
export type SaveConflict = Conflict<PlacementDraft>;

type Pair = Readonly<{ websiteId: string; formId: string }>;

export const baseOf = (placement: Placement): Base => ({
  draft: draftOf(placement),
  version: placement.version,
});

/** Each setting is changed as a whole, but for the properties of the appearance. */
const PLACEMENT: Shape = { kind: 'record', parts: { appearance: { kind: 'record', parts: {} } } };

/** Merges two changes of a draft as they would be saved, so that a space at an end is no difference. */
export function mergeDrafts(
  { base, mine, theirs }: Sides<PlacementDraft>,
  choices?: Choices,
): { draft: PlacementDraft; collisions: readonly Collision[] } {
  const sides = { base: inputOf(base), mine: inputOf(mine), theirs: inputOf(theirs) };
  const { merged, collisions } = merge(PLACEMENT, sides, choices);
  return { draft: draftOf(merged), collisions };
}

/** Returns a draft with what another account has saved wherever both collided. */
export const takeTheirs = (
  draft: PlacementDraft,
  { before, base, collisions }: SaveConflict,
): PlacementDraft =>
  mergeDrafts(
    { base: before, mine: draft, theirs: base.draft },
    Object.fromEntries(collisions.map(({ path }) => [pathKey(path), 'theirs'])),
  ).draft;

/**
 * Saves a draft. What another account has saved meanwhile is merged into it, unless both have changed the same setting
 * or the form has been taken off the website.
 *
 * @returns null once it is saved.
 */
export async function savePlacement(
  pair: Pair,
  base: Base,
  draft: PlacementDraft,
): Promise<SaveConflict | null> {
  const saving = await saveMerged(draft, base, {
    send: (sent, { version }) => request(SAVE, { ...pair, input: inputOf(sent), version }),
    async read() {
      const stored = (await readPlacements(pair.websiteId)).find(({ form }) => form.id === pair.formId);
      return stored ? baseOf(stored) : null;
    },
    merge: mergeDrafts,
  });
  if (saving === 'saved') return null;
  if (saving !== 'gone') return saving;
  return { before: base.draft, base: { ...base, version: NO_PLACEMENT }, draft, collisions: [] };
}
