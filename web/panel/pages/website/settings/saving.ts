import { request } from '../../../graphql.js';
import { changesOf } from '../../../parts/merge/changes-of.js';
import { merge, type Shape, type Sides } from '../../../parts/merge/merge.js';
import { type Base, type Saving, saveMerged } from '../../../parts/merge/save-merged.js';
import { TEXT_SETTINGS, type TextSetting, type WebsiteDraft } from '../../../website-settings/draft.js';
import { readSettings, type Settings, UPDATE } from '../queries.js';

/** Starts to edit the settings as they are stored. */
export const baseOf = (stored: Settings): Base<WebsiteDraft> => ({
  version: stored.version,
  draft: {
    ...(Object.fromEntries(TEXT_SETTINGS.map((setting) => [setting, stored[setting]])) as Record<
      TextSetting,
      string
    >),
    locale: stored.locale,
    timeZone: stored.timeZone,
    departments: stored.departments.map(({ code }) => code),
  },
});

/** Each setting is changed as a whole. */
const WEBSITE: Shape = { kind: 'record', parts: {} };

/** Merges two changes of the settings. */
export function mergeDrafts(sides: Sides<WebsiteDraft>) {
  const { merged, collisions } = merge(WEBSITE, sides);
  return { draft: merged, collisions };
}

/** Saves what a draft changes; other changes that another account has saved meanwhile stay. */
export const saveSettings = (
  id: string,
  base: Base<WebsiteDraft>,
  draft: WebsiteDraft,
): Promise<Saving<WebsiteDraft>> =>
  saveMerged(draft, base, {
    send: (sent, { draft: before, version }) =>
      request(UPDATE, { id, input: changesOf(before, sent), version }),
    read: async () => baseOf(await readSettings(id)),
    merge: mergeDrafts,
  });
