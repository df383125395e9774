import type { Actor } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { sum } from '../../lib/sum.js';
import { monthText, unitsLeft } from '../../plans/quota.queries.js';
import type { Notifications } from '../notifications.service.js';
import { findHeld, type MonthQuota, readMonths } from './held-emails.queries.js';

/** Held e-mails that are counted exactly. */
const COUNTED_EXACTLY = 10_000;

/** Maximum number of held e-mails that one call sends. */
const MAX_PER_CALL = 500;

/** The e-mails of a team that are held, of whichever month, and how its quota of the present month stands. */
export type QuotaHeld = Readonly<{
  /** The present month, as in 2026-11. */
  month: string;
  held: number;
  isExact: boolean;
  /** Held e-mails for which the month of their submission has a unit left. */
  sendable: number;
  used: number;
  limit: number | null;
  /** E-mails of the present month for which there is room; null: any number. */
  room: number | null;
}>;

type Services = { db: Db; notifications: Pick<Notifications, 'sendAgain'>; clock: Clock };

export type HeldEmails = ReturnType<typeof createHeldEmails>;

const roomIn = ({ used, asking, limit }: MonthQuota): number => unitsLeft({ used: used + asking, limit });

const sendableIn = (month: MonthQuota): number => Math.min(month.held, roomIn(month));

/** Finds and sends the e-mails that the quota has held back. */
export function createHeldEmails({ db, notifications, clock }: Services) {
  const presentMonth = () => monthText(clock());

  const read = (teamId: number, present: string): Promise<MonthQuota[]> =>
    readMonths(db, teamId, { present, most: COUNTED_EXACTLY + 1 });

  async function readHeld(teamId: number): Promise<QuotaHeld> {
    const month = presentMonth();
    const months = await read(teamId, month);
    const held = sum(months.map((one) => one.held));
    const present = months.find((one) => one.month === month)!;
    const { used, limit } = present;
    return {
      month,
      held: Math.min(held, COUNTED_EXACTLY),
      isExact: held <= COUNTED_EXACTLY,
      sendable: Math.min(sum(months.map(sendableIn)), COUNTED_EXACTLY),
      used,
      limit,
      room: limit === null ? null : roomIn(present),
    };
  }

  return {
    /** Reads how many e-mails are held, and how many of them can be sent. */
    readHeld,

    /**
     * Sends the oldest held e-mails for which the months of their submissions have room, up to `MAX_PER_CALL`.
     *
     * Each takes its unit when a worker claims it, as always. One that finds none is held again.
     *
     * @returns how many were handed over, and how the quota stands then.
     */
    async send(teamId: number, actor: Actor): Promise<QuotaHeld & { handedOver: number }> {
      const ids: string[] = [];
      for (const one of await read(teamId, presentMonth())) {
        const units = Math.min(sendableIn(one), MAX_PER_CALL - ids.length);
        if (units > 0) ids.push(...(await findHeld(db, teamId, one.month, units)));
      }
      const { reopened } = await notifications.sendAgain(ids, actor);
      return { handedOver: reopened.size, ...(await readHeld(teamId)) };
    },
  };
}
