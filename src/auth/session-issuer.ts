import type { Transaction } from '../../db/client.js';
import type { Client, Sessions } from '../sessions.service.js';
import type { Challenges } from './challenges.service.js';
import { isSecondFactorRequired } from './second-factor-setting.js';

/** What a right password or one-time link gives: the secret of a session, or of a challenge before it. */
export type Opened = Readonly<{ session: string } | { challenge: string }>;

type Services = { sessions: Pick<Sessions, 'open'>; challenges: Pick<Challenges, 'issue'> };

export type Opening = ReturnType<typeof createOpening>;

/** Opens sessions by a first factor: every way in but the second step itself goes through here. */
export function createOpening({ sessions, challenges }: Services) {
  return {
    /**
     * Opens a session, or issues a challenge to an account that has a second factor or must have one.
     *
     * @returns null for a disabled account.
     */
    async openWithin(tx: Transaction, userId: number, client: Client): Promise<Opened | null> {
      const { staff, disabledAt, secondFactor } = await tx.user.findUniqueOrThrow({
        where: { id: userId },
        select: { staff: true, disabledAt: true, secondFactor: { select: { confirmedAt: true } } },
      });
      if (disabledAt) return null;
      const needsStep = secondFactor?.confirmedAt != null || (staff && (await isSecondFactorRequired(tx)));
      return needsStep
        ? { challenge: await challenges.issue(tx, userId) }
        : { session: await sessions.open(tx, userId, client) };
    },
  };
}
