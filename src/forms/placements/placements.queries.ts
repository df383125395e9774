import type { Db } from '../../db/client.js';
import { MAX_LOADED } from '../../db/paging.js';
import { type Placement, Prisma } from '../../generated/prisma/client.js';

const { sql } = Prisma;

/** Reads rows straight from the driver, because a form may have thousands of placements. */
const readPlacements = (db: Db, condition: Prisma.Sql, order: Prisma.Sql): Promise<Placement[]> =>
  db.sql(sql`
    SELECT website_id AS "websiteId", form_id AS "formId", team_id AS "teamId", enabled,
           css_selector AS "cssSelector", injection_position AS "injectionPosition", html_wrapper AS "htmlWrapper",
           appearance, confirmation_message AS "confirmationMessage", recipients,
           recipient_rules AS "recipientRules"
      FROM form_links WHERE ${condition} ORDER BY ${order} LIMIT ${MAX_LOADED}`);

/** Reads the placements of websites, sorted by form id. */
export const readPlacementsOfWebsites = (db: Db, ids: readonly string[]): Promise<Placement[]> =>
  readPlacements(db, sql`website_id = ANY (${[...ids]}::uuid[])`, sql`form_id`);

/** Reads the placements of forms, sorted by website id. */
export const readPlacementsOfForms = (db: Db, ids: readonly number[]): Promise<Placement[]> =>
  readPlacements(db, sql`form_id = ANY (${[...ids]}::int[])`, sql`website_id`);
