import { NIL } from 'uuid';
import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import type { Prisma, SpamRule } from '../../generated/prisma/client.js';
import { inWords, type ListedVerdict } from '../../spam/verdicts.service.js';
import { nextIdsOf, readTeamsOf, type TeamOfPerson } from './person.queries.js';

/** Submissions that are in memory together, each with up to thousands of attempts to tell webhooks of it. */
const BATCH_SIZE = 20;

/** Submissions whose notes and e-mails the list of a person's teams counts. */
const MAX_COUNTED = 10_000;

const EVERYTHING = {
  website: { select: { host: true } },
  form: { select: { slug: true } },
  notes: { orderBy: { createdAt: 'asc' }, include: { author: { select: { name: true } } } },
  bounces: { orderBy: [{ reportedAt: 'asc' }, { address: 'asc' }] },
  spamVerdict: true,
  spamSample: { select: { isSpam: true, taughtAt: true } },
  notification: { include: { attemptLog: { orderBy: { number: 'asc' } } } },
  webhookDeliveries: {
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    include: { attemptLog: { orderBy: { number: 'asc' } } },
  },
  requestedEmails: {
    orderBy: { createdAt: 'asc' },
    include: { attemptLog: { orderBy: { number: 'asc' } }, requestedBy: { select: { name: true } } },
  },
} as const satisfies Prisma.SubmissionInclude;

type Row = Prisma.SubmissionGetPayload<{ include: typeof EVERYTHING }>;

/** A delivery of a webhook, with the host that was told; null when the webhook is deleted. */
type ToldWebhook = Row['webhookDeliveries'][number] & Readonly<{ host: string | null }>;

/** A submission with everything that the database keeps about it. */
export type CompleteSubmission = Omit<Row, 'webhookDeliveries' | 'spamVerdict'> &
  Readonly<{ webhookDeliveries: readonly ToldWebhook[]; spamVerdict: ListedVerdict | null }>;

export type Persons = ReturnType<typeof createPersons>;

/** Reads a team's data about one person, identified by e-mail address (GDPR, article 15). */
export function createPersons({ db }: { db: Db }) {
  return {
    /**
     * Lists the teams within a scope that have submissions with an address, the latest first, or rules that name it.
     */
    teamsOf: (scope: Pick<Scope, 'teamIds'>, email: string): Promise<TeamOfPerson[]> =>
      readTeamsOf(db, scope, { email, limit: MAX_COUNTED }),

    /** Reads a team's rules about spam that name an address. */
    spamRulesOf: (teamId: number, email: string): Promise<SpamRule[]> =>
      db.orm.spamRule.findMany({ where: { teamId, value: email.toLowerCase() }, orderBy: { id: 'asc' } }),

    /** Yields a team's submissions that have an address in an e-mail field, oldest first, in batches. */
    async *submissionsOf(teamId: number, email: string): AsyncGenerator<CompleteSubmission[]> {
      const webhooks = await db.orm.webhook.findMany({ where: { teamId }, select: { id: true, url: true } });
      const hosts = new Map(webhooks.map(({ id, url }) => [id, new URL(url).host]));
      let after: string = NIL;
      for (;;) {
        const ids = await nextIdsOf(db, { teamId, email, limit: BATCH_SIZE }, after);
        const rows: Row[] = await db.orm.submission.findMany({
          where: { teamId, id: { in: ids } },
          include: EVERYTHING,
          orderBy: { id: 'asc' },
        });
        if (rows.length > 0) {
          yield rows.map(({ spamVerdict, ...row }) => ({
            ...row,
            spamVerdict: spamVerdict && inWords(spamVerdict),
            webhookDeliveries: row.webhookDeliveries.map((one) => ({
              ...one,
              host: hosts.get(one.webhookId) ?? null,
            })),
          }));
        }
        if (ids.length < BATCH_SIZE) return;
        after = ids.at(-1)!;
      }
    },
  };
}
