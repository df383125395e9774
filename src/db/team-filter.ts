import { Prisma } from '../generated/prisma/client.js';

/**
 * Writes the condition that a row belongs to one of the teams.
 *
 * @param teamIds Null means every team.
 * @param column The team's id, by a name that the code writes: it becomes SQL as it is.
 */
export const inTeams = (teamIds: readonly number[] | null, column: string): Prisma.Sql =>
  teamIds ? Prisma.sql`${Prisma.raw(column)} = ANY (${[...teamIds]}::int[])` : Prisma.sql`TRUE`;
