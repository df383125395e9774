import { recordAudit } from '../audit/audit.js';
import type { Transaction } from '../db/client.js';
import type { Challenges } from './second-factor/challenges.service.js';
import { isSecondFactorRequired } from './second-factor/second-factor-setting.js';
import type { CodeKind } from './second-factor/second-factors.service.js';
import type { Client, Sessions } from './sessions.service.js';

/** What a right password or one-time link gives: the secret of a session, or of a challenge before it. */
export type IssuedLogin = Readonly<{ session: string } | { challenge: string }>;

type Services = { sessions: Pick<Sessions, 'open'>; challenges: Pick<Challenges, 'issue'> };

export type SessionIssuer = ReturnType<typeof createSessionIssuer>;

/** Issues the sessions of all logins, by a first factor alone or by the second step, and records each. */
export function createSessionIssuer({ sessions, challenges }: Services) {
  /** Opens a session and records it. @param code What the code of the second step was; null without one. */
  async function openWithin(
    tx: Transaction,
    userId: number,
    client: Client,
    code: CodeKind | null,
  ): Promise<string> {
    await recordAudit(
      tx,
      { userId, channel: 'panel', ip: client.ip },
      {
        teamId: null,
        action: 'session.opened',
        subject: ['user', userId],
        ...(code && { detail: { secondFactor: code } }),
      },
    );
    return sessions.open(tx, userId, client);
  }

  return {
    openWithin,

    /**
     * Issues a session, or a challenge to an account that has a second factor or must have one.
     *
     * @returns null for a disabled account.
     */
    async issueWithin(tx: Transaction, userId: number, client: Client): Promise<IssuedLogin | null> {
      const { staff, disabledAt, secondFactor } = await tx.user.findUniqueOrThrow({
        where: { id: userId },
        select: { staff: true, disabledAt: true, secondFactor: { select: { confirmedAt: true } } },
      });
      if (disabledAt) return null;
      const needsStep = secondFactor?.confirmedAt != null || (staff && (await isSecondFactorRequired(tx)));
      return needsStep
        ? { challenge: await challenges.issue(tx, userId) }
        : { session: await openWithin(tx, userId, client, null) };
    },
  };
}
