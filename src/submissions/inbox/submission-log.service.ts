import { LEGAL_HOLD_RELEASED, LEGAL_HOLD_SET, STATE_CHANGED } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import { MAX_LOADED } from '../../db/paging.js';
import type {
  AuditChannel,
  Bounce,
  NotificationAttempt,
  RequestedEmail,
  SubmissionState,
  WebhookDeliveryState,
} from '../../generated/prisma/client.js';
import { groupBy, groupsOf } from '../../lib/group-by.js';
import { type Recipient, recipientStates } from '../../notifications/recipients.js';
import { readAddressed } from './inbox-reads.queries.js';

export type ListedNote = Readonly<{
  id: string;
  submissionId: string;
  authorId: number | null;
  authorName: string | null;
  text: string;
  createdAt: Date;
}>;

type Change = Readonly<{
  changedAt: Date;
  changedById: number | null;
  changedByName: string | null;
  channel: AuditChannel;
}>;

export type StateChange = Change & Readonly<{ from: SubmissionState; to: SubmissionState }>;

export type LegalHoldChange = Change & Readonly<{ step: 'set' | 'reason_changed' | 'released' }>;

type ListedRequestedEmail = Omit<RequestedEmail, 'recipients' | 'attempts'> &
  Readonly<{
    requestedByName: string | null;
    recipients: Recipient[];
    attempts: Omit<NotificationAttempt, 'submissionId'>[];
  }>;

/** A webhook that was told of a submission, and with what result; without its address, whose path may be a secret. */
export type ToldWebhook = Readonly<{
  id: string;
  submissionId: string | null;
  type: string;
  /** Null: the webhook is deleted. */
  host: string | null;
  state: WebhookDeliveryState;
  createdAt: Date;
  /** Of the last attempt that has ended. */
  status: number | null;
  attemptedAt: Date | null;
}>;

export type SubmissionLog = ReturnType<typeof createSubmissionLog>;

/**
 * Reads what belongs to submissions beside their own row, for many at once, in the order of the ids.
 *
 * The caller has checked that the viewer may see the submissions.
 */
export function createSubmissionLog({ db }: { db: Db }) {
  async function attempts(ids: readonly string[]): Promise<NotificationAttempt[][]> {
    const rows = await db.orm.notificationAttempt.findMany({
      where: { submissionId: { in: [...ids] } },
      orderBy: { number: 'asc' },
      take: MAX_LOADED,
    });
    return groupsOf(ids, rows, ({ submissionId }) => submissionId);
  }

  /** Reads what was reported of the e-mails about submissions, by e-mail. */
  async function reports(ids: readonly string[]): Promise<ReadonlyMap<string, Bounce[]>> {
    const rows = await db.orm.bounce.findMany({
      where: { submissionId: { in: [...ids] } },
      take: MAX_LOADED,
    });
    return groupBy(rows, ({ emailId }) => emailId);
  }

  /** Reads the audit events of submissions with these actions and their actors, the oldest first. */
  async function changes(ids: readonly string[], actions: readonly string[]) {
    const rows = await db.orm.auditEvent.findMany({
      where: { subjectType: 'submission', subjectId: { in: [...ids] }, action: { in: [...actions] } },
      include: { actor: { select: { name: true } } },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: MAX_LOADED,
    });
    const events = rows.map(({ subjectId, action, detail, createdAt, actorId, actor, channel }) => ({
      subjectId,
      action,
      detail,
      change: { changedAt: createdAt, changedById: actorId, changedByName: actor?.name || null, channel },
    }));
    return groupsOf(ids, events, ({ subjectId }) => subjectId);
  }

  return {
    /** Lists the notification attempts of submissions, the first one first. */
    attempts,

    /** Lists the recipients of submissions' notifications. */
    async recipients(ids: readonly string[]): Promise<Recipient[][]> {
      const [rows, attemptsOf, reportsOf] = await Promise.all([
        readAddressed(db, ids),
        attempts(ids),
        reports(ids),
      ]);
      const byId = new Map(rows.map((row) => [row.submissionId, row]));
      return ids.map((id, index) => {
        const email = byId.get(id);
        return email ? recipientStates(email, attemptsOf[index]!, reportsOf.get(id) ?? []) : [];
      });
    },

    /** Lists the e-mails that accounts requested about submissions, the oldest first. */
    async requestedEmails(ids: readonly string[]): Promise<ListedRequestedEmail[][]> {
      const requested = db.orm.requestedEmail.findMany({
        where: { submissionId: { in: [...ids] } },
        include: { attemptLog: { orderBy: { number: 'asc' } }, requestedBy: { select: { name: true } } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: MAX_LOADED,
      });
      // One snapshot for an e-mail and its attempts, or an attempt that ends meanwhile contradicts the e-mail's state.
      const [[rows], reportsOf] = await Promise.all([
        db.orm.$transaction([requested], { isolationLevel: 'RepeatableRead' }),
        reports(ids),
      ]);
      const emails = rows.map(({ attemptLog, requestedBy, ...email }) => ({
        ...email,
        requestedByName: requestedBy?.name || null,
        recipients: recipientStates(email, attemptLog, reportsOf.get(email.id) ?? []),
        attempts: attemptLog,
      }));
      return groupsOf(ids, emails, ({ submissionId }) => submissionId);
    },

    /** Lists the webhooks that were told of submissions in the last 30 days, the oldest event first. */
    async toldWebhooks(ids: readonly string[]): Promise<ToldWebhook[][]> {
      const rows = await db.orm.webhookDelivery.findMany({
        where: { submissionId: { in: [...ids] } },
        include: { attemptLog: { orderBy: { number: 'desc' }, take: 1 } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: MAX_LOADED,
      });
      const webhooks = await db.orm.webhook.findMany({
        where: { id: { in: [...new Set(rows.map(({ webhookId }) => webhookId))] } },
        select: { id: true, url: true },
      });
      const hosts = new Map(webhooks.map(({ id, url }) => [id, new URL(url).host]));
      const told = rows.map(
        ({ id, submissionId, type, state, createdAt, webhookId, attemptLog: [last] }) => ({
          id,
          submissionId,
          type,
          state,
          createdAt,
          host: hosts.get(webhookId) ?? null,
          status: last?.status ?? null,
          attemptedAt: last?.startedAt ?? null,
        }),
      );
      return groupsOf(ids, told, ({ submissionId }) => submissionId!);
    },

    /** Lists the notes of submissions, the oldest first. */
    async notes(ids: readonly string[]): Promise<ListedNote[][]> {
      const rows = await db.orm.submissionNote.findMany({
        where: { submissionId: { in: [...ids] } },
        include: { author: { select: { name: true } } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: MAX_LOADED,
      });
      const notes = rows.map(({ author, ...note }) => ({ ...note, authorName: author?.name || null }));
      return groupsOf(ids, notes, ({ submissionId }) => submissionId);
    },

    /** Lists the state changes of submissions with their actors, the oldest change first. */
    async stateChanges(ids: readonly string[]): Promise<StateChange[][]> {
      return (await changes(ids, [STATE_CHANGED])).map((events) =>
        events.map(({ detail, change }) => {
          const { from, to } = detail as { from: SubmissionState; to: SubmissionState };
          return { from, to, ...change };
        }),
      );
    },

    /** Lists what was done to the legal holds of submissions with the actors, the oldest change first. */
    async legalHoldChanges(ids: readonly string[]): Promise<LegalHoldChange[][]> {
      return (await changes(ids, [LEGAL_HOLD_SET, LEGAL_HOLD_RELEASED])).map((events) =>
        events.map(({ action, detail, change }) => {
          const set = Object.hasOwn(detail as object, 'changed') ? 'reason_changed' : 'set';
          return { step: action === LEGAL_HOLD_SET ? set : 'released', ...change };
        }),
      );
    },
  };
}
