import { untilAborted, withDeadline } from '../lib/deadline.js';
import type { Dispatch } from './dispatch.js';
import { verifyMailServer } from './verify-server.js';

/**
 * For how long an attempt to send tells how the mail server is. It is longer than the longest pause of the server's
 * circuit: while messages wait, their attempts alone tell, also of a server that takes logins and refuses messages.
 */
const TRIED_FOR_MS = 45_000;

/** For how long a check tells how the mail server is. */
const CHECKED_FOR_MS = 20_000;

/** Timeout of each phase of a check. */
const CHECK_TIMEOUT_MS = 10_000;

/** How long an answer waits for a check, which goes on without it. */
const ANSWER_WITHIN_MS = 2_000;

/**
 * Creates the check whether a worker reaches its mail server. Where no attempt to send has told lately, it connects and
 * logs in, one check at a time, and opens or closes the server's circuit by what it finds.
 *
 * @param now Milliseconds of a monotonic clock, that of the attempts.
 */
export function createServerCheck({
  dispatch,
  smtpUrl,
  now = () => performance.now(),
}: {
  dispatch: Pick<Dispatch, 'isServerAway' | 'serverTriedAt' | 'recordServerCheck'>;
  smtpUrl: string;
  now?: () => number;
}) {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  const isKnown = (): boolean =>
    now() - dispatch.serverTriedAt() < TRIED_FOR_MS || now() - checkedAt < CHECKED_FOR_MS;

  async function check(): Promise<void> {
    const startedAt = now();
    const error = await verifyMailServer(smtpUrl, CHECK_TIMEOUT_MS).then(
      () => null,
      (reason: unknown) => reason,
    );
    checkedAt = now();
    dispatch.recordServerCheck(error, startedAt);
  }

  function checkOnce(): Promise<void> {
    checking ??= check().finally(() => {
      checking = null;
    });
    return checking;
  }

  /**
   * Tells whether the mail server takes connection and login, within two seconds. A check that takes longer leaves the
   * answer to what was known before; when nothing was, the server counts as away.
   */
  return async (): Promise<'ok' | 'away'> => {
    if (!isKnown()) {
      await withDeadline(ANSWER_WITHIN_MS, undefined, (signal) => untilAborted(signal, checkOnce)).catch(
        () => undefined,
      );
    }
    const isKnownAtAll = Math.max(checkedAt, dispatch.serverTriedAt()) > Number.NEGATIVE_INFINITY;
    return isKnownAtAll && !dispatch.isServerAway() ? 'ok' : 'away';
  };
}
