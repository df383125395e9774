import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../db/client.js';
import { firstIdFrom } from '../db/first-id.js';
import { DAY_MS, MINUTE_MS } from '../lib/durations.js';
import { isServerAway } from '../mail/server-away.js';
import { ProbeFailure } from './probe-step.js';

const LOOK_EVERY_MS = 200;

/** How long an attempt tells how the mail server is: longer than the longest pause between two while it is away. */
const RECENT_MS = 2 * MINUTE_MS;

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

/** Reads what the last attempt at any recent e-mail said, when it found the mail server away; else null. */
async function readServerAway(db: Db): Promise<string | null> {
  const now = Date.now();
  const last = await db.orm.notificationAttempt.findFirst({
    where: {
      submissionId: { gte: firstIdFrom(new Date(now - DAY_MS)) },
      finishedAt: { gte: new Date(now - RECENT_MS) },
    },
    orderBy: { finishedAt: 'desc' },
    select: { detail: true },
  });
  return last?.detail && isServerAway(last.detail) ? last.detail : null;
}

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
    if (last?.outcome === 'deferred') {
      throw new ProbeFailure(
        said !== null && isServerAway(said) ? 'mail_server_away' : 'mail_deferred',
        said,
      );
    }
    if (last?.outcome === 'unknown') throw new ProbeFailure('mail_unconfirmed', said);
    if (signal.aborted) {
      // While the server is away one e-mail at a time attempts it, and all others wait.
      const away = await readServerAway(db);
      if (away !== null) throw new ProbeFailure('mail_server_away', away);
      throw new ProbeFailure(email?.attempts ? 'mail_unconfirmed' : 'mail_waiting');
    }
    await pause(LOOK_EVERY_MS);
  }
}
