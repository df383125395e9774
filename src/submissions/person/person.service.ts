import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { countByWebsite, deleteSubmissionsOf, type WebsiteCount } from './person.queries.js';

/** Submissions that one statement deletes, which bounds how long each statement takes. */
const ERASED_AT_ONCE = 500;

const READ_AT_ONCE = 200;

/** Submissions that a preview of an erasure counts exactly. */
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

/** Reads and erases a team's data about one person, identified by e-mail address (GDPR, articles 15 and 17). */
export function createPersons({ db }: { db: Db }) {
  return {
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

    /** Counts the submissions that `erase` would delete, by website. */
    async preview(
      teamId: number,
      email: string,
    ): Promise<{ submissions: number; isExact: boolean; websites: WebsiteCount[] }> {
      const websites = await countByWebsite(db, { teamId, email, limit: COUNTED_EXACTLY + 1 });
      const submissions = websites.reduce((sum, website) => sum + website.submissions, 0);
      return { submissions, isExact: submissions <= COUNTED_EXACTLY, websites };
    },

    /**
     * Deletes a team's submissions that have an address in an e-mail field.
     *
     * Their notifications, notes and idempotency keys go with them. One transaction deletes each batch and records
     * it in the audit trail. The entry has the number of submissions but not the address, which would outlive its
     * own erasure there.
     *
     * @returns the number of deleted submissions.
     */
    async erase(teamId: number, email: string, actor: Actor): Promise<number> {
      let erased = 0;
      for (;;) {
        const batch = await db.orm.$transaction(async (tx) => {
          const count = await deleteSubmissionsOf(tx, { teamId, email, limit: ERASED_AT_ONCE });
          if (count > 0 || erased === 0) {
            const subject = ['team', teamId] as const;
            await recordAudit(tx, actor, {
              ...{ teamId, action: 'address.erased', subject, detail: { submissions: count } },
            });
          }
          return count;
        });
        erased += batch;
        if (batch < ERASED_AT_ONCE) return erased;
      }
    },
  };
}
