import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../db/client.js';
import { ProbeFailure } from './probe-step.js';

const LOOK_EVERY_MS = 200;

/** Reads how far the e-mail of a submission is, with its last attempt. */
const readEmail = (db: Db, submissionId: string) =>
  db.orm.notification.findUnique({
    where: { submissionId },
    select: {
      state: true,
      attempts: true,
      attemptLog: {
        orderBy: { number: 'desc' },
        take: 1,
        select: { outcome: true, smtpCode: true, detail: true },
      },
    },
  });

/**
 * Waits until the mail server has answered to the e-mail of a submission.
 *
 * A probe does not wait for a retry: the first answer tells what a client would have to wait for.
 *
 * @returns the mail server's words.
 * @throws ProbeFailure when it is not accepted, or the signal is aborted before.
 */
export async function waitForEmail(
  db: Db,
  submissionId: string,
  signal: AbortSignal,
): Promise<string | null> {
  for (;;) {
    const email = await readEmail(db, submissionId);
    const [last] = email?.attemptLog ?? [];
    const said = last?.detail ?? null;
    if (email?.state === 'sent') return said;
    if (email?.state === 'failed') throw new ProbeFailure('mail_refused', said);
    if (last?.outcome === 'deferred') throw new ProbeFailure('mail_deferred', said);
    if (last?.outcome === 'unknown') throw new ProbeFailure('mail_unconfirmed', said);
    if (signal.aborted) throw new ProbeFailure(email?.attempts ? 'mail_unconfirmed' : 'mail_waiting');
    await pause(LOOK_EVERY_MS);
  }
}
