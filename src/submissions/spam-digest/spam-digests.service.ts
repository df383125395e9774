import { z } from 'zod';
import type { Config } from '../../config.js';
import type { Db } from '../../db/client.js';
import { claimScheduledTask } from '../../db/daily-tasks.queries.js';
import type { Forms } from '../../forms/serving/forms.service.js';
import { NotificationState } from '../../generated/prisma/client.js';
import type { Background } from '../../lib/background.js';
import type { Clock } from '../../lib/clock.js';
import { DAY_MS } from '../../lib/durations.js';
import { daysBefore, type LocalTime, localDate, MONDAY, nextTime } from '../../lib/local-time.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { sendUnbatched } from '../../notifications/unbatched-attempt.js';
import { defineJob } from '../../queue/define-job.js';
import type { SpamVerdicts } from '../../spam/verdicts.service.js';
import { summaryOf } from '../inbox/submission-summary.js';
import { type DigestEntry, renderSpamDigest, spamDigestId } from './spam-digest.template.js';
import {
  deleteOldDigests,
  findDueDigests,
  isSettled,
  readWithheld,
  recordSpamDigests,
  type SpamDigestKey,
  takeSpamDigest,
  type WithheldSubmission,
} from './spam-digests.queries.js';

/** The job that records the digests of a week when it has ended, and sends those that are due. */
export const spamDigestsJob = defineJob('spam-digests', z.object({}));

const TASK = 'spam-digest';

const DAYS = 7;
/** Submissions that a digest lists; the others are counted. */
const LISTED = 10;

/** Reasons that it gives for each. */
const REASONS = 3;

type Services = {
  db: Db;
  clock: Clock;
  dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains' | 'isStopping'>;
  background: Background;
  forms: Pick<Forms, 'labels'>;
  spamVerdicts: SpamVerdicts;
  publicUrl: Config['publicUrl'];
  time: LocalTime;
  log: Logger;
};

/** Names the sender of a submission by name and address, as far as they are given. */
function senderOf(name: string | null, [email]: readonly string[]): string | null {
  if (name === null || email === undefined || name.toLowerCase() === email) return name ?? email ?? null;
  return `${name} (${email})`;
}

/** Tells the owners of a team once a week what was withheld as spam, if anything was. It takes no unit of the quota. */
export function createSpamDigests(services: Services) {
  const { db, clock, dispatch, background, forms, spamVerdicts, publicUrl, time, log } = services;

  /** Records the digests of the week that has ended, once in the installation. */
  async function record(): Promise<void> {
    const now = clock();
    const due = await db.orm.dailyTask.findUnique({ where: { name: TASK } });
    if (due && due.dueAt > now) return;
    const next = nextTime(now, time, MONDAY);
    const until = daysBefore(next, DAYS, time.timeZone);
    // The digests before end a week before these were due, which is longer ago when no worker was there.
    const since = daysBefore(due?.dueAt ?? next, DAYS, time.timeZone);
    // DIGEST_AT was made later: they wait for the later time of the day, and tell of the hours in between as well.
    if (due && until.getTime() - since.getTime() < DAY_MS) return;
    if (!(await isSettled(db, until))) return;
    await db.orm.$transaction(async (tx) => {
      if (!(await claimScheduledTask(tx, TASK, { now, first: next, next }))) return;
      const count = await recordSpamDigests(tx, { week: localDate(until, time.timeZone), since, until });
      await deleteOldDigests(tx, now);
      log.info({ count }, 'Spam digests recorded');
    });
  }

  async function entriesOf(submissions: readonly WithheldSubmission[]): Promise<DigestEntry[]> {
    const formIds = [...new Set(submissions.map(({ formId }) => formId))];
    const [labels, verdicts] = await Promise.all([
      forms.labels(formIds),
      spamVerdicts.bySubmissions(submissions.map(({ id }) => id)),
    ]);
    const fieldsOf = new Map(formIds.map((id, index) => [id, labels[index]]));
    return submissions.map((submission, index) => {
      const fields = fieldsOf.get(submission.formId)?.(submission.locale) ?? [];
      const reasons = (verdicts[index]?.reasons ?? []).filter(({ points }) => points > 0);
      const sender = senderOf(summaryOf(submission, fields).title, submission.emails);
      return { ...submission, sender, reasons: reasons.slice(0, REASONS) };
    });
  }

  function send(key: SpamDigestKey, onSlow: () => void): Promise<void> {
    const { teamId, week, userId } = key;
    const where = { teamId, week: new Date(week), userId, state: NotificationState.pending };
    return sendUnbatched({
      name: 'Spam digest',
      ids: { digest: spamDigestId(key) },
      dispatch,
      log,
      onSlow,
      take: () => takeSpamDigest(db, key),
      update: (data, held) => db.orm.spamDigest.updateMany({ where: { ...where, ...held }, data }),
      async prepare(claim) {
        const { total, newest } = await readWithheld(db, teamId, { ...claim, limit: LISTED });
        const { recipient } = claim;
        // Meanwhile all of it was released or deleted, or no recipient is left.
        if (recipient === null || total === 0) return 'no_recipient';
        const message = renderSpamDigest({
          key,
          recipient,
          total,
          newest: await entriesOf(newest),
          panelUrl: `${publicUrl}/panel`,
          createdAt: claim.createdAt,
          since: claim.since,
          until: claim.until,
          teamName: claim.teamName,
          locale: claim.locale,
        });
        return { message };
      },
    });
  }

  return {
    /** Records the digests of a week that has ended, and sends those that are due. */
    async run(): Promise<void> {
      await record();
      for (const key of await findDueDigests(db)) {
        if (dispatch.isStopping()) return;
        await background.run((detach) => send(key, detach));
      }
    },
  };
}
