import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { readTeamsOf, type TeamOfPerson } from './person.queries.js';

const READ_AT_ONCE = 200;

/** Submissions that the list of a person's teams counts exactly. */
const COUNTED_EXACTLY = 10_000;

const EVERYTHING = {
  website: { select: { host: true } },
  form: { select: { slug: true } },
  notes: { orderBy: { createdAt: 'asc' }, include: { author: { select: { name: true } } } },
  notification: { include: { attemptLog: { orderBy: { number: 'asc' } } } },
  requestedEmails: {
    orderBy: { createdAt: 'asc' },
    include: { attemptLog: { orderBy: { number: 'asc' } }, requestedBy: { select: { name: true } } },
  },
} as const satisfies Prisma.SubmissionInclude;

/** A submission with everything that the database keeps about it. */
export type CompleteSubmission = Prisma.SubmissionGetPayload<{ include: typeof EVERYTHING }>;

export type Persons = ReturnType<typeof createPersons>;

/** Reads a team's data about one person, identified by e-mail address (GDPR, article 15). */
export function createPersons({ db }: { db: Db }) {
  return {
    /** Lists the teams within a scope that have submissions with an address, the latest first. */
    teamsOf: (scope: Pick<Scope, 'teamIds'>, email: string): Promise<TeamOfPerson[]> =>
      readTeamsOf(db, scope, { email, limit: COUNTED_EXACTLY }),

    /** Yields a team's submissions that have an address in an e-mail field, oldest first, in batches. */
    async *submissionsOf(teamId: number, email: string): AsyncGenerator<CompleteSubmission[]> {
      let after: string | null = null;
      for (;;) {
        const rows: CompleteSubmission[] = await db.orm.submission.findMany({
          where: { teamId, emails: { has: email.toLowerCase() }, ...(after && { id: { gt: after } }) },
          include: EVERYTHING,
          orderBy: { id: 'asc' },
          take: READ_AT_ONCE,
        });
        if (rows.length > 0) yield rows;
        if (rows.length < READ_AT_ONCE) return;
        after = rows.at(-1)!.id;
      }
    },
  };
}
