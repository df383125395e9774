import { Prisma } from '../generated/prisma/client.js';

/**
 * Returns the condition that leaves test leads out, for what lists or counts submissions by an index. A statement that
 * reads their rows anyway has `test_recipient IS NULL`.
 *
 * There are as many test leads as probes run at the moment. The condition compares ids, which every index of
 * submissions has, so that a count reads no rows for it.
 */
export const isLead = (alias: string): Prisma.Sql =>
  Prisma.raw(`${alias}.id <> ALL (ARRAY(SELECT id FROM submissions WHERE test_recipient IS NOT NULL))`);

/** Returns the condition that a lead is neither spam nor archived, so that what is wrong with its e-mail is told. */
export const isOpen = (alias: string): Prisma.Sql =>
  Prisma.raw(`${alias}.state IN ('new', 'in_progress', 'done')`);
