import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { isForeignKeyViolation } from '../db/database-errors.js';
import type { SetAside } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { AttentionKind } from './attention-item.js';

/** What is set aside: the items of a kind about a website. */
type Target = Readonly<{ kind: AttentionKind; website: Readonly<{ id: string; teamId: number }> }>;

type Details = Readonly<{ until: Date; reason: string; userId: number }>;

/** An entry with the name of the account that made it; null when the account is gone. */
export type ListedSetAside = SetAside & Readonly<{ setByName: string | null }>;

const include = { setBy: { select: { name: true } } } as const;

const listed = ({ setBy, ...entry }: SetAside & { setBy: { name: string } | null }): ListedSetAside => ({
  ...entry,
  setByName: setBy?.name ?? null,
});

export type SetAsides = ReturnType<typeof createSetAsides>;

/** Sets items of websites aside while they are expected. The caller checks the viewer's rights. */
export function createSetAsides({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** Sets a kind of item of a website aside until a moment. @returns null when the website is gone. */
    async set({ kind, website }: Target, details: Details, actor: Actor): Promise<ListedSetAside | null> {
      const { until, reason, userId } = details;
      const values = { until, reason, setById: userId, createdAt: clock() };
      try {
        return await db.orm.$transaction(async (tx) => {
          await recordAudit(tx, actor, {
            teamId: website.teamId,
            action: 'attention.set_aside',
            subject: ['website', website.id],
            detail: { kind, until: until.toISOString(), reason },
          });
          // One statement, which it is only without a relation: concurrent calls may create the same entry.
          const entry = await tx.setAside.upsert({
            where: { websiteId_kind: { websiteId: website.id, kind } },
            create: { websiteId: website.id, kind, ...values },
            update: values,
          });
          const setBy = await tx.user.findUnique({ where: { id: userId }, select: { name: true } });
          return listed({ ...entry, setBy });
        });
      } catch (error) {
        if (isForeignKeyViolation(error)) return null;
        throw error;
      }
    },

    /** Lists a kind of item of a website again. @returns whether it was set aside. */
    async end({ kind, website }: Target, actor: Actor): Promise<boolean> {
      return db.orm.$transaction(async (tx) => {
        const { count } = await tx.setAside.deleteMany({ where: { websiteId: website.id, kind } });
        if (count === 0) return false;
        await recordAudit(tx, actor, {
          teamId: website.teamId,
          action: 'attention.listed_again',
          subject: ['website', website.id],
          detail: { kind },
        });
        return true;
      });
    },

    /** Lists what is set aside of a website now, what ends first at the top. */
    async list(websiteId: string): Promise<ListedSetAside[]> {
      const entries = await db.orm.setAside.findMany({
        where: { websiteId, until: { gt: clock() } },
        orderBy: [{ until: 'asc' }, { kind: 'asc' }],
        include,
      });
      return entries.map(listed);
    },
  };
}
