import type { Actor } from '../../audit/audit.js';
import { type Db, isReferenceViolation } from '../../db/client.js';
import { MAX_LOADED } from '../../db/paging.js';
import { type Placement, Prisma } from '../../generated/prisma/client.js';
import { groupBy } from '../../lib/group-by.js';
import { lockWebsite } from '../../websites/save-website.js';
import { type PlacementSettings, removePlacement, savePlacement } from './save-placements.js';

const { sql } = Prisma;

type OfTeam<Id> = Readonly<{ id: Id; teamId: number }>;

export type Placements = ReturnType<typeof createPlacements>;

/** Manages placements, the forms on websites, for the panel. */
export function createPlacements({ db }: { db: Db }) {
  /** Reads rows straight from the driver, because a form may have thousands of placements. */
  const rowsOf = (condition: Prisma.Sql, order: Prisma.Sql) =>
    db.sql<Placement>(sql`
      SELECT website_id AS "websiteId", form_id AS "formId", team_id AS "teamId", enabled,
             css_selector AS "cssSelector", injection_position AS "injectionPosition", html_wrapper AS "htmlWrapper",
             appearance, confirmation_message AS "confirmationMessage", recipients
        FROM form_links WHERE ${condition} ORDER BY ${order} LIMIT ${MAX_LOADED}`);

  return {
    /** Lists the placements of websites, each list sorted by form id. */
    async ofWebsites(websiteIds: readonly string[]): Promise<Placement[][]> {
      const rows = await rowsOf(sql`website_id = ANY (${[...websiteIds]}::uuid[])`, sql`form_id`);
      const byWebsite = groupBy(rows, ({ websiteId }) => websiteId);
      return websiteIds.map((id) => byWebsite.get(id) ?? []);
    },

    /** Lists the placements of forms, each list sorted by website id. */
    async ofForms(formIds: readonly number[]): Promise<Placement[][]> {
      const rows = await rowsOf(sql`form_id = ANY (${[...formIds]}::int[])`, sql`website_id`);
      const byForm = groupBy(rows, ({ formId }) => formId);
      return formIds.map((id) => byForm.get(id) ?? []);
    },

    /**
     * Creates or changes the placement of a form on a website of its team.
     *
     * @returns null when the form or the website no longer exists.
     */
    async save(
      website: OfTeam<string>,
      settings: PlacementSettings,
      actor: Actor,
    ): Promise<Placement | null> {
      const { formId } = settings;
      try {
        return await db.orm.$transaction(async (tx) => {
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

    /** Removes a placement. @returns false when it did not exist. */
    remove(website: OfTeam<string>, formId: number, actor: Actor): Promise<boolean> {
      return db.orm.$transaction((tx) => removePlacement(tx, website, formId, actor));
    },
  };
}
