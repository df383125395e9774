import type { Actor } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { quotaMonth, unitsLeft } from '../../plans/quota.queries.js';
import type { Notifications } from '../notifications.service.js';
import { findHeld, readStanding, type TeamMonth } from './held-emails.queries.js';

/** Held e-mails that are counted exactly. */
const COUNTED_EXACTLY = 10_000;

/** Maximum number of held e-mails that one call sends. */
const MAX_AT_ONCE = 500;

/** How a team's quota of the present month stands. */
export type HeldEmails = Readonly<{
  /** The month, as in 2026-11. */
  month: string;
  held: number;
  isExact: boolean;
  used: number;
  limit: number | null;
  /** E-mails for which there is room; null: any number. */
  room: number | null;
}>;

type Services = { db: Db; notifications: Pick<Notifications, 'sendAgain'>; clock: Clock };

export type HeldEmailsService = ReturnType<typeof createHeldEmails>;

/** Finds and sends the e-mails of the present month that the quota has held back. */
export function createHeldEmails({ db, notifications, clock }: Services) {
  function presentMonth(teamId: number): TeamMonth {
    const from = quotaMonth(clock());
    return { teamId, from, to: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1)) };
  }

  async function standing(month: TeamMonth): Promise<HeldEmails> {
    const { held, used, asking, limit } = await readStanding(db, month, COUNTED_EXACTLY + 1);
    return {
      month: month.from.toISOString().slice(0, 7),
      ...{ held: Math.min(held, COUNTED_EXACTLY), isExact: held <= COUNTED_EXACTLY, used, limit },
      room: limit === null ? null : unitsLeft({ used: used + asking, limit }),
    };
  }

  return {
    /** Reads how many e-mails are held, and for how many there is room. */
    standing: (teamId: number): Promise<HeldEmails> => standing(presentMonth(teamId)),

    /**
     * Sends the oldest held e-mails, as many as there is room for, up to `MAX_AT_ONCE`.
     *
     * Each takes its unit when a worker claims it, as always. One that finds none is held again.
     *
     * @returns how many were handed over, and how the quota stands then.
     */
    async send(teamId: number, actor: Actor): Promise<HeldEmails & { handedOver: number }> {
      const month = presentMonth(teamId);
      const { room } = await standing(month);
      const ids = await findHeld(db, month, Math.min(room ?? MAX_AT_ONCE, MAX_AT_ONCE));
      const again = await notifications.sendAgain(ids, actor);
      return { handedOver: again.size, ...(await standing(month)) };
    },
  };
}
