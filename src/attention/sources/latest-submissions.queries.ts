import { Prisma } from '../../generated/prisma/client.js';

/** Submissions among which a source looks for one that ends an item. */
const LOOKED_THROUGH = 2_000;

/**
 * Selects the latest submissions of a website that meet a condition, as a subquery.
 *
 * Where none ends an item, a look-up without this bound reads every submission since: a second and more on a website of
 * a million.
 */
export const latestSubmissions = (condition: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  SELECT id, form_id, created_at, test_recipient, captcha_key, captcha_ground FROM submissions
   WHERE ${condition} ORDER BY created_at DESC LIMIT ${LOOKED_THROUGH})`;
