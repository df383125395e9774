import type { Actor } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import { isForeignKeyViolation } from '../../db/database-errors.js';
import { conflict } from '../../errors.js';
import type { Placement } from '../../generated/prisma/client.js';
import type { Fault } from '../../lib/faults.js';
import { groupsOf } from '../../lib/group-by.js';
import { lockWebsite } from '../../websites/editing/save-website.js';
import type { RecipientRule } from '../recipients/recipient-rules.js';
import { placementRuleFaults } from './placement-rules.js';
import { readPlacementsOfForms, readPlacementsOfWebsites } from './placements.queries.js';
import {
  type PlacementSettings,
  placementVersion,
  removePlacement,
  savePlacement,
} from './save-placements.js';

type OfTeam<Id> = Readonly<{ id: Id; teamId: number }>;

export type Placements = ReturnType<typeof createPlacements>;

/** Manages placements, the forms on websites, for the panel. */
export function createPlacements({ db }: { db: Db }) {
  return {
    /** Lists the placements of websites, each list sorted by form id. */
    async ofWebsites(websiteIds: readonly string[]): Promise<Placement[][]> {
      const rows = await readPlacementsOfWebsites(db, websiteIds);
      return groupsOf(websiteIds, rows, ({ websiteId }) => websiteId);
    },

    /** Lists the placements of forms, each list sorted by website id. */
    async ofForms(formIds: readonly number[]): Promise<Placement[][]> {
      const rows = await readPlacementsOfForms(db, formIds);
      return groupsOf(formIds, rows, ({ formId }) => formId);
    },

    /** Checks recipient rules against the fields of their form. @returns faults, their paths starting at the list. */
    ruleFaults: (formId: number, rules: readonly RecipientRule[]): Promise<Fault[]> =>
      placementRuleFaults(db.orm, formId, rules),

    /**
     * Creates or changes the placement of a form on a website of its team.
     *
     * @param version the version that the settings are a change of, empty for a placement that is to be new; null
     * replaces whatever is stored.
     * @returns null when the form or the website no longer exists.
     * @throws 409 when the placement has changed since, is no more, or is there by now.
     */
    async save(
      website: OfTeam<string>,
      settings: PlacementSettings,
      actor: Actor,
      version: string | null = null,
    ): Promise<Placement | null> {
      const where = { websiteId_formId: { websiteId: website.id, formId: settings.formId } };
      try {
        return await db.orm.$transaction(async (tx) => {
          if (!(await lockWebsite(tx, website.id))) return null;
          if (version !== null) {
            const stored = await tx.placement.findUnique({ where });
            if ((stored ? placementVersion(stored) : '') !== version)
              throw conflict('The placement has changed since it was read.');
          }
          await savePlacement(tx, website, settings, actor);
          return tx.placement.findUnique({ where });
        });
      } catch (error) {
        if (isForeignKeyViolation(error)) return null;
        throw error;
      }
    },

    /** Removes a placement. @returns false when it did not exist. */
    remove(website: OfTeam<string>, formId: number, actor: Actor): Promise<boolean> {
      return db.orm.$transaction(async (tx) => {
        await lockWebsite(tx, website.id);
        return removePlacement(tx, website, formId, actor);
      });
    },
  };
}
