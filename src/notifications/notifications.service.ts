import type { Forms, LinkedForm } from '../forms/forms.service.js';
import { localizeForm } from '../forms/translate.js';
import type { AttemptOutcome, NotificationState, Prisma } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { Database } from '../lib/prisma.js';
import type { Mailer } from '../mail/mailer.js';
import { claimQuota, quotaMonth } from '../plans/quota.js';
import type { Queues } from '../queue/queues.js';
import { nextAttempt } from './retry.js';
import { submissionEmailJob } from './submission-email.job.js';
import { renderSubmissionEmail, type SubmissionEmailField } from './submission-email.template.js';

/** How long a claim holds; longer than the mailer ever takes for one attempt. */
const LEASE_S = 45;

/** A queue that is away is told in the log at most this often. */
const HAND_OVER_WARNING_EVERY_MS = 10_000;

const submissionInclude = {
  website: true,
  team: { include: { plan: true } },
  notification: true,
} satisfies Prisma.SubmissionInclude;

type Submission = Prisma.SubmissionGetPayload<{ include: typeof submissionInclude }>;

type Services = {
  db: Database;
  queues: Pick<Queues, 'enqueue'>;
  mailer: Pick<Mailer, 'send'>;
  forms: Pick<Forms, 'findForEmail'>;
  clock: Clock;
  log: Logger;
};

/** The recorded values with the labels of the website's language, in the order of the form. */
function emailFields(submission: Submission, { definition }: LinkedForm): SubmissionEmailField[] {
  const values = submission.values as Record<string, SubmissionEmailField['value']>;
  return localizeForm(definition, submission.website.locale).fields.flatMap((field) => {
    if (!Object.hasOwn(values, field.name)) return [];
    const labels = new Map(field.options.map((option) => [option.value, option.label]));
    const labelled = (value: string) => labels.get(value) ?? value;
    const value = values[field.name]!;
    return {
      label: field.label,
      type: field.type,
      value: typeof value === 'string' ? labelled(value) : Array.isArray(value) ? value.map(labelled) : value,
    };
  });
}

export type Notifications = ReturnType<typeof createNotifications>;

export function createNotifications({ db, queues, mailer, forms, clock, log }: Services) {
  const handingOver = new Set<Promise<void>>();
  let lastWarningAt = 0;

  function warnNotHandedOver(error: Error): void {
    if (Date.now() - lastWarningAt < HAND_OVER_WARNING_EVERY_MS) return;
    lastWarningAt = Date.now();
    log.warn({ reason: error.message }, 'Queue is away; the reconciler will hand notifications over');
  }

  /** Takes a due notification for one attempt. Null when it is finished, not due, or taken. */
  async function claim(submissionId: string): Promise<{ attempt: number } | null> {
    const [row] = await db.$queryRaw<{ attempt: number }[]>`
      UPDATE notifications
         SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_S})
       WHERE submission_id = ${submissionId}::uuid AND state = 'pending' AND next_attempt_at <= now()
      RETURNING attempts AS attempt`;
    return row ?? null;
  }

  function finish(submissionId: string, state: NotificationState): Prisma.PrismaPromise<unknown> {
    return db.notification.update({
      where: { submissionId },
      data: { state, ...(state === 'sent' && { sentAt: clock() }) },
    });
  }

  async function attemptDelivery(
    submission: Submission,
    form: LinkedForm,
    recipients: string[],
    attempt: number,
  ) {
    const startedAt = clock();
    const message = renderSubmissionEmail({
      leadId: submission.id,
      createdAt: submission.createdAt,
      website: submission.website,
      form,
      fields: emailFields(submission, form),
      undeclared: submission.undeclared as Record<string, unknown>,
      page: { url: submission.pageUrl, title: submission.pageTitle },
      needsReview: submission.needsReview,
      recipients,
    });
    const delivery = await mailer.send(message);
    const finishedAt = clock();
    const retryAt =
      delivery.outcome === 'deferred'
        ? nextAttempt(attempt, submission.createdAt, finishedAt, Math.random())
        : null;
    const outcome: AttemptOutcome = delivery.outcome;
    await db.$transaction([
      db.notificationAttempt.create({
        data: {
          ...{ submissionId: submission.id, number: attempt, outcome, recipients, startedAt, finishedAt },
          smtpCode: delivery.smtpCode,
          detail: delivery.detail,
        },
      }),
      retryAt
        ? db.notification.update({ where: { submissionId: submission.id }, data: { nextAttemptAt: retryAt } })
        : finish(submission.id, outcome === 'sent' ? 'sent' : 'failed'),
    ]);
    log.info(
      { leadId: submission.id, attempt, outcome, smtpCode: delivery.smtpCode, retryAt },
      'Notification attempted',
    );
  }

  return {
    /**
     * Hands a recorded submission to the worker. Returns at once and never fails: what cannot be handed
     * over now is found by the reconciler.
     */
    handOver(submissionId: string): void {
      const handing = queues
        .enqueue(submissionEmailJob, [{ id: submissionId, payload: { submissionId } }])
        .catch(warnNotHandedOver)
        .finally(() => handingOver.delete(handing));
      handingOver.add(handing);
    },

    /** Resolves when every hand-over begun has ended. */
    async settled(): Promise<void> {
      await Promise.all(handingOver);
    },

    /**
     * Makes one attempt to send the e-mail about a submission, if it is due and within the plan's quota,
     * and records how it ended. Does nothing for a notification that another worker has taken.
     */
    async send(submissionId: string): Promise<void> {
      const claimed = await claim(submissionId);
      if (!claimed) return;
      const submission = await db.submission.findUniqueOrThrow({
        where: { id: submissionId },
        include: submissionInclude,
      });
      const form = await forms.findForEmail(submission.websiteId, submission.formId);
      const recipients = form.recipients.length > 0 ? [...form.recipients] : [submission.website.email];
      if (recipients.every((address) => address.trim() === '')) {
        await finish(submissionId, 'no_recipient');
        return;
      }
      const quota = await claimQuota(db, {
        submissionId,
        teamId: submission.teamId,
        month: quotaMonth(submission.createdAt),
        limit: submission.team.plan.notificationsPerMonth,
      });
      if (quota === 'exceeded') {
        await finish(submissionId, 'skipped_quota');
        log.info({ leadId: submissionId }, 'Notification skipped: quota reached');
        return;
      }
      await attemptDelivery(submission, form, recipients, claimed.attempt);
    },
  };
}
