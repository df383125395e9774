import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { Page } from '../../db/paging.js';
import { lockRow } from '../../db/row-lock.js';
import { conflict } from '../../errors.js';
import type { SpamRule, SpamRuleKind } from '../../generated/prisma/client.js';
import { MAX_SPAM_RULES } from './spam-rule.schema.js';

/** A rule as it is listed. */
export type ListedRule = Pick<SpamRule, 'id' | 'teamId' | 'kind' | 'value' | 'createdAt'>;

const SHOWN = { id: true, teamId: true, kind: true, value: true, createdAt: true } as const;

export type SpamRules = ReturnType<typeof createSpamRules>;

/** Keeps what teams have decided about senders and words. */
export function createSpamRules({ db }: { db: Db }) {
  return {
    /** Lists a page of a team's rules in the order in which they were made. */
    list: (teamId: number, { direction, cursor, limit }: Page): Promise<ListedRule[]> =>
      db.orm.spamRule.findMany({
        where: {
          teamId,
          ...(cursor && { id: { [direction === 'forward' ? 'gt' : 'lt']: String(cursor[0]) } }),
        },
        orderBy: { id: direction === 'forward' ? 'asc' : 'desc' },
        take: limit + 1,
        select: SHOWN,
      }),

    /** Adds a rule; one that the team has already stays as it is. @throws 409 beyond 500 rules. */
    add(teamId: number, kind: SpamRuleKind, value: string, actor: Actor): Promise<ListedRule> {
      const key = { teamId, kind, value };
      return db.orm.$transaction(async (tx) => {
        // Concurrent calls for the team are counted one after the other.
        await lockRow(tx, 'teams', teamId, 'NO KEY UPDATE');
        const where = { teamId_kind_value: key };
        const found = await tx.spamRule.findUnique({ where, select: SHOWN });
        if (found) return found;
        const count = await tx.spamRule.count({ where: { teamId } });
        if (count >= MAX_SPAM_RULES) throw conflict(`A team has ${MAX_SPAM_RULES} rules at most.`);
        const rule = await tx.spamRule.create({
          data: { ...key, createdById: actor.userId },
          select: SHOWN,
        });
        await recordAudit(tx, actor, {
          teamId,
          action: 'spam_rule.added',
          subject: ['spam_rule', rule.id],
          detail: { kind },
        });
        return rule;
      });
    },

    find: (id: string): Promise<ListedRule | null> =>
      db.orm.spamRule.findUnique({ where: { id }, select: SHOWN }),

    /** Deletes a rule. @returns false when there is none. */
    delete: ({ id, teamId, kind }: ListedRule, actor: Actor): Promise<boolean> =>
      db.orm.$transaction(async (tx) => {
        const { count } = await tx.spamRule.deleteMany({ where: { id } });
        if (count === 0) return false;
        await recordAudit(tx, actor, {
          teamId,
          action: 'spam_rule.deleted',
          subject: ['spam_rule', id],
          detail: { kind },
        });
        return true;
      }),
  };
}
