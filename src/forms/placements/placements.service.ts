import type { Actor } from '../../audit/audit.js';
import { type Database, isReferenceViolation, panelRows } from '../../db/client.js';
import { MAX_LOADED } from '../../db/paging.js';
import { type Placement, Prisma } from '../../generated/prisma/client.js';
import { groupBy } from '../../lib/group-by.js';
import { lockWebsite } from '../../websites/save-website.js';
import { type PlacementSettings, removePlacement, savePlacement } from './save-placements.js';

const { sql } = Prisma;

type OfTeam<Id> = Readonly<{ id: Id; teamId: number }>;

export type Placements = ReturnType<typeof createPlacements>;

/** Which forms stand on which websites, as the panel sees and changes it. */
export function createPlacements({ db }: { db: Database }) {
  /** Straight from the driver: a form may be on thousands of websites. */
  const rowsOf = (condition: Prisma.Sql, order: Prisma.Sql) =>
    panelRows<Placement>(
      db,
      sql`
      SELECT website_id AS "websiteId", form_id AS "formId", team_id AS "teamId", enabled,
             css_selector AS "cssSelector", injection_position AS "injectionPosition", html_wrapper AS "htmlWrapper",
             appearance, confirmation_message AS "confirmationMessage", recipients
        FROM form_links WHERE ${condition} ORDER BY ${order} LIMIT ${MAX_LOADED}`,
    );

  return {
    /** The links of websites, each list in the order of the forms' ids. */
    async ofWebsites(websiteIds: readonly string[]): Promise<Placement[][]> {
      const rows = await rowsOf(sql`website_id = ANY (${[...websiteIds]}::uuid[])`, sql`form_id`);
      const byWebsite = groupBy(rows, ({ websiteId }) => websiteId);
      return websiteIds.map((id) => byWebsite.get(id) ?? []);
    },

    /** The links of forms, each list in the order of the websites' ids. */
    async ofForms(formIds: readonly number[]): Promise<Placement[][]> {
      const rows = await rowsOf(sql`form_id = ANY (${[...formIds]}::int[])`, sql`website_id`);
      const byForm = groupBy(rows, ({ formId }) => formId);
      return formIds.map((id) => byForm.get(id) ?? []);
    },

    /**
     * Puts a form on a website of its team, or changes how it stands there.
     *
     * @returns null when one of the two has gone meanwhile.
     */
    async save(
      website: OfTeam<string>,
      settings: PlacementSettings,
      actor: Actor,
    ): Promise<Placement | null> {
      const { formId } = settings;
      try {
        return await db.$transaction(async (tx) => {
          if (!(await lockWebsite(tx, website.id))) return null;
          await savePlacement(tx, website, settings, actor);
          return tx.placement.findUnique({
            where: { websiteId_formId: { websiteId: website.id, formId } },
          });
        });
      } catch (error) {
        if (isReferenceViolation(error)) return null;
        throw error;
      }
    },

    /** Takes a form off a website. @returns false when it was not on it. */
    remove(website: OfTeam<string>, formId: number, actor: Actor): Promise<boolean> {
      return db.$transaction((tx) => removePlacement(tx, website, formId, actor));
    },
  };
}
