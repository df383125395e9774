import type { Db } from '../../db/client.js';
import { NotificationState } from '../../generated/prisma/client.js';
import type { Clock } from '../../lib/clock.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { DEFAULT_LOCALE } from '../notice-team.js';
import { sendUnbatched } from '../unbatched-attempt.js';
import { takeTokenNotice } from '../unbatched-claims.queries.js';
import { type TokenNoticeKey, tokenNoticeId } from './token-notice.job.js';
import { renderTokenNotice } from './token-notice.template.js';
import { recordTokenNotices } from './token-notices.queries.js';

type Services = {
  db: Db;
  clock: Clock;
  dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains'>;
  log: Logger;
  /** Address of the gateway, without a slash at its end. */
  publicUrl: string;
};

/** Sends the notices about tokens that are not used or end soon to their bearers: one for each token and reason. */
export function createTokenNotices({ db, clock, dispatch, log, publicUrl }: Services) {
  return {
    /** Records the notices that have become due. @returns how many. */
    record: (): Promise<number> => recordTokenNotices(db, clock()),

    /**
     * Makes one attempt to send a notice, if it is due, and records the outcome.
     *
     * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
     */
    send: (key: TokenNoticeKey, onSlow: () => void): Promise<void> =>
      sendUnbatched({
        name: 'Token notice',
        ids: { notice: tokenNoticeId(key) },
        dispatch,
        log,
        onSlow,
        take: () => takeTokenNotice(db, key),
        update: (data, held) =>
          db.orm.tokenNotice.updateMany({
            where: { ...key, state: NotificationState.pending, ...held },
            data,
          }),
        async prepare({ createdAt }) {
          const token = await db.orm.token.findUniqueOrThrow({
            where: { id: key.tokenId },
            include: {
              user: { select: { email: true, language: true, disabledAt: true } },
              team: { include: { websites: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: 1 } } },
            },
          });
          if (token.revokedAt || token.user.disabledAt) return 'no_recipient';
          const message = renderTokenNotice({
            key,
            createdAt,
            teamName: token.team.name,
            tokenName: token.name,
            lastUsedAt: token.lastUsedAt,
            expiresAt: token.expiresAt,
            locale: token.user.language ?? token.team.websites[0]?.locale ?? DEFAULT_LOCALE,
            url: `${publicUrl}/panel/teams/${token.teamId}?tab=tokens`,
            recipient: token.user.email,
          });
          return { message };
        },
      }),
  };
}
