import { Prisma } from '../generated/prisma/client.js';

/**
 * Returns the condition that a submission is a lead: one that no probe has sent as a test. It is for statements that
 * list or count submissions by an index; one that reads their rows anyway has `test_recipient IS NULL`.
 *
 * There are as many test leads as probes run at the moment. The condition compares ids, which every index of
 * submissions has, so that a count reads no rows for it.
 */
export const isLead = (alias: string): Prisma.Sql =>
  Prisma.raw(`${alias}.id <> ALL (ARRAY(SELECT id FROM submissions WHERE test_recipient IS NOT NULL))`);

/** Returns the condition that a submission is a lead and no spam, as every figure of leads counts them. */
export const isGenuineLead = (alias: string): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(alias)}.state <> 'spam' AND ${isLead(alias)}`;

/**
 * Returns the condition that a submission is neither spam nor archived: only then is a fault of its e-mail reported.
 */
export const isNeitherSpamNorArchived = (alias: string): Prisma.Sql =>
  Prisma.raw(`${alias}.state IN ('new', 'in_progress', 'done')`);
