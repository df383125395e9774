import { Prisma } from '../generated/prisma/client.js';

/**
 * Returns the first instant of a day in a time zone, in terms of SQL.
 *
 * Where clocks are put back over midnight, as on the Azores, 0:00 comes twice, and PostgreSQL takes the later one. An
 * hour after 23:00 is the first.
 */
export const dayBegins = (day: Prisma.Sql, timeZone: Prisma.Sql): Prisma.Sql => Prisma.sql`
  least((${day})::timestamp AT TIME ZONE ${timeZone},
        ((${day})::timestamp - interval '1 hour') AT TIME ZONE ${timeZone} + interval '1 hour')`;
