import { isConflict, request } from '../../../graphql.js';
import {
  type Choices,
  type Collision,
  merge,
  pathKey,
  type Shape,
  type Sides,
} from '../../../parts/merge.js';
import { NO_PLACEMENT, type Placement, readPlacements, SAVE } from '../../../placements.js';
import { draftOf, inputOf, type PlacementDraft } from './draft.js';

/** What a draft is a change of; the version is `NO_PLACEMENT` when the form has been taken off the website. */
export type Base = Readonly<{ draft: PlacementDraft; version: string }>;

/**
 * A draft over what another account has saved meanwhile, with what both have changed, each in its way.
 *
 * `before` is what both were changes of.
 */
export type SaveConflict = Readonly<{
  before: PlacementDraft;
  base: Base;
  draft: PlacementDraft;
  collisions: readonly Collision[];
}>;

type Pair = Readonly<{ websiteId: string; formId: string }>;

/** Maximum number of saves of a draft, each merged with newer settings, before it gives up. */
const MAX_ATTEMPTS = 3;

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
 * Saves a draft. What another account has saved meanwhile is merged into it, and it is sent again, unless both have
 * changed the same setting or the form has been taken off the website.
 *
 * @returns null once it is saved.
 */
export async function savePlacement(
  pair: Pair,
  base: Base,
  draft: PlacementDraft,
): Promise<SaveConflict | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await request(SAVE, { ...pair, input: inputOf(draft), version: base.version });
      return null;
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
    }
    const stored = (await readPlacements(pair.websiteId)).find(({ form }) => form.id === pair.formId);
    if (!stored) {
      return { before: base.draft, base: { ...base, version: NO_PLACEMENT }, draft, collisions: [] };
    }
    const before = base.draft;
    base = baseOf(stored);
    const merged = mergeDrafts({ base: before, mine: draft, theirs: base.draft });
    draft = merged.draft;
    if (merged.collisions.length > 0) return { before, base, ...merged };
  }
}
