import { GatewayError, request } from '../../../graphql.js';
import { type Placement, readPlacements, SAVE } from '../../../placements.js';
import { draftOf, inputOf, type PlacementDraft } from './draft.js';

/** What a draft is a change of; the version is null when the form has been taken off the website. */
export type Base = Readonly<{ draft: PlacementDraft; version: string | null }>;

/** A setting of a placement, or a custom property of its appearance by its own name. */
export type Setting = Exclude<keyof PlacementDraft, 'appearance'> | `--${string}`;

/** A draft over what another account has saved meanwhile, with the settings that both have changed, each in its way. */
export type SaveConflict = Readonly<{ base: Base; draft: PlacementDraft; collisions: readonly Setting[] }>;

type Pair = Readonly<{ websiteId: string; formId: string }>;

/** Maximum number of saves of a draft, each merged with newer settings, before it gives up. */
const MAX_ATTEMPTS = 3;

export const baseOf = (placement: Placement): Base => ({
  draft: draftOf(placement),
  version: placement.version,
});

/** Texts to compare settings by: as they would be saved, so that a space at an end is no difference. */
function textsOf(draft: PlacementDraft): Readonly<Record<string, string>> {
  const { appearance, ...settings } = inputOf(draft);
  return Object.fromEntries(
    Object.entries({ ...settings, ...appearance }).map(([setting, value]) => [
      setting,
      JSON.stringify(value),
    ]),
  );
}

/** Returns a draft with some settings of another one. */
export function withSettings(
  draft: PlacementDraft,
  from: PlacementDraft,
  settings: readonly Setting[],
): PlacementDraft {
  const appearance = { ...draft.appearance };
  const result = { ...draft, appearance };
  for (const setting of settings) {
    if (isProperty(setting)) appearance[setting] = from.appearance[setting] ?? '';
    else Object.assign(result, { [setting]: from[setting] });
  }
  return result;
}

export const isProperty = (setting: Setting): setting is `--${string}` => setting.startsWith('--');

/** Keeps what was changed here over what another account has saved; the rest is that account's. */
export function mergeDrafts(
  before: PlacementDraft,
  mine: PlacementDraft,
  theirs: PlacementDraft,
): { merged: PlacementDraft; collisions: Setting[] } {
  const [was, own, other] = [textsOf(before), textsOf(mine), textsOf(theirs)];
  const settings = [...new Set([...Object.keys(was), ...Object.keys(own)])] as Setting[];
  const changed = settings.filter((setting) => own[setting] !== was[setting]);
  return {
    merged: withSettings(theirs, mine, changed),
    collisions: changed.filter((setting) => ![was[setting], own[setting]].includes(other[setting])),
  };
}

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
      const isConflict = error instanceof GatewayError && error.code === 'CONFLICT';
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
    const stored = (await readPlacements(pair.websiteId)).find(({ form }) => form.id === pair.formId);
    if (!stored) return { base: { ...base, version: null }, draft, collisions: [] };
    const theirs = baseOf(stored);
    const { merged, collisions } = mergeDrafts(base.draft, draft, theirs.draft);
    base = theirs;
    draft = merged;
    if (collisions.length > 0) return { base, draft, collisions };
  }
}
