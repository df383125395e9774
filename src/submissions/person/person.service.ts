import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { Prisma } from '../../generated/prisma/client.js';

/** Submissions that one statement deletes, which bounds how long each statement takes. */
const ERASED_AT_ONCE = 500;

const READ_AT_ONCE = 200;

const EVERYTHING = {
  website: { select: { host: true } },
  form: { select: { slug: true } },
  notes: { orderBy: { createdAt: 'asc' }, include: { author: { select: { name: true } } } },
  notification: { include: { attemptLog: { orderBy: { number: 'asc' } } } },
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
      const address = [email.toLowerCase()];
      let erased = 0;
      for (;;) {
        const batch = await db.orm.$transaction(async (tx) => {
          const count = await tx.$executeRaw`
            DELETE FROM submissions WHERE id IN (
              SELECT id FROM submissions WHERE team_id = ${teamId} AND emails @> ${address}::text[]
               ORDER BY id LIMIT ${ERASED_AT_ONCE} FOR UPDATE)`;
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
