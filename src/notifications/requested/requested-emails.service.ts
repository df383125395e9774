import { v7 as uuid } from 'uuid';
import { type Actor, recordAudits } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import { retryTransaction } from '../../db/transaction-retry.js';
import type { Clock } from '../../lib/clock.js';
import { groupBy } from '../../lib/group-by.js';
import { domainsOf } from '../../lib/text/email-address.js';
import { lockQuota, quotaMonth, takeUnits, unitsLeft } from '../../plans/quota.queries.js';
import type { Notifications } from '../notifications.service.js';
import { findRepeated, lockSent, lockSubmission, type WantedEmail } from './requested-emails.queries.js';

/** The same e-mail requested again within this time is the same request: a double click, or a repeated call. */
const SAME_REQUEST_S = 300;

/** What became of a request for an e-mail. */
export type Requested = Readonly<{ outcome: 'handed_over'; id: string } | { outcome: 'quota_used_up' }>;

/** What a viewer forwards to whom. */
type Forwarding = Readonly<{ recipients: readonly string[]; note: string | null }>;

type Services = { db: Db; notifications: Pick<Notifications, 'handOverRequested'>; clock: Clock };

export type RequestedEmails = ReturnType<typeof createRequestedEmails>;

const sorted = (texts: readonly string[]): string[] => [...texts].sort();

/**
 * Requests e-mails about submissions beside their notifications. Each is another message and takes a unit of the
 * present month's quota, in the transaction that records it; the workers then send it as they do notifications.
 */
export function createRequestedEmails({ db, notifications, clock }: Services) {
  /** Records e-mails of one team, as many as its quota allows, in their order. */
  async function record(
    tx: Transaction,
    teamId: number,
    wanted: readonly WantedEmail[],
    actor: Actor,
  ): Promise<Map<string, Requested>> {
    const now = clock();
    // The lock also keeps two equal requests apart.
    const quota = await lockQuota(tx, teamId, quotaMonth(now));
    const repeated = await findRepeated(tx, wanted, new Date(now.getTime() - SAME_REQUEST_S * 1000));
    const outcomes = new Map<string, Requested>(
      repeated.map(({ submissionId, id }) => [submissionId, { outcome: 'handed_over', id }]),
    );
    const fresh = wanted.filter(({ submissionId }) => !outcomes.has(submissionId));
    const emails = fresh.slice(0, unitsLeft(quota)).map((email) => ({ id: uuid(), ...email }));
    await takeUnits(tx, quota, { units: emails.length, isWanting: fresh.length > emails.length });
    await tx.requestedEmail.createMany({
      data: emails.map(({ recipients, ...email }) => ({
        ...email,
        recipients: [...recipients],
        requestedById: actor.userId,
        createdAt: now,
        retryingSince: now,
      })),
    });
    await recordAudits(
      tx,
      actor,
      emails.map(({ submissionId, kind, recipients }) => ({
        teamId,
        subject: ['submission', submissionId],
        ...(kind === 'forwarded'
          ? {
              action: 'submission.forwarded',
              // Whole addresses would outlive the erasure of the person.
              detail: { recipients: recipients.length, domains: sorted(domainsOf(recipients)) },
            }
          : { action: 'notification.sent_again', detail: { recipients: recipients.length } }),
      })),
    );
    for (const { submissionId } of fresh) outcomes.set(submissionId, { outcome: 'quota_used_up' });
    for (const { submissionId, id } of emails) outcomes.set(submissionId, { outcome: 'handed_over', id });
    return outcomes;
  }

  /** Runs a request in a transaction, and hands its e-mails over after the commit. */
  async function commit(
    request: (tx: Transaction) => Promise<ReadonlyMap<string, Requested>>,
  ): Promise<ReadonlyMap<string, Requested>> {
    const outcomes = await retryTransaction(() => db.orm.$transaction(request));
    // One that was requested before is handed over once more, which changes nothing.
    const ids = [...outcomes.values()].flatMap((one) => (one.outcome === 'handed_over' ? [one.id] : []));
    notifications.handOverRequested(ids);
    return outcomes;
  }

  return {
    /**
     * Sends the e-mails about submissions that were sent to their recipients again, as new messages.
     *
     * @param recipients Of those that had it, only these; null: all.
     * @returns the outcomes by submission, without those that were not sent, or not to any of these recipients.
     */
    async sendAgain(
      submissionIds: readonly string[],
      recipients: readonly string[] | null,
      actor: Actor,
    ): Promise<ReadonlyMap<string, Requested['outcome']>> {
      if (submissionIds.length === 0) return new Map();
      const outcomes = await commit(async (tx) => {
        const sent = await lockSent(tx, submissionIds);
        const chosen = sent
          .map(({ recipients: had, ...row }) => ({
            ...row,
            recipients: had.filter((address) => recipients?.includes(address) ?? true),
          }))
          .filter((row) => row.recipients.length > 0)
          .sort((a, b) => submissionIds.indexOf(a.submissionId) - submissionIds.indexOf(b.submissionId));
        const teams = [...groupBy(chosen, ({ teamId }) => teamId)].sort(([a], [b]) => a - b);
        const all = new Map<string, Requested>();
        for (const [teamId, rows] of teams) {
          const wanted = rows.map(({ submissionId, recipients: to }) => ({
            submissionId,
            kind: 'sent_again' as const,
            recipients: to,
            note: null,
          }));
          for (const [id, outcome] of await record(tx, teamId, wanted, actor)) all.set(id, outcome);
        }
        return all;
      });
      return new Map([...outcomes].map(([submissionId, { outcome }]) => [submissionId, outcome]));
    },

    /**
     * Forwards a submission to any addresses.
     *
     * @returns null when it no longer exists.
     */
    async forward(
      { id, teamId }: Readonly<{ id: string; teamId: number }>,
      { recipients, note }: Forwarding,
      actor: Actor,
    ): Promise<Requested | null> {
      const outcomes = await commit(async (tx) => {
        if ((await lockSubmission(tx, id)).length === 0) return new Map();
        const wanted = { submissionId: id, kind: 'forwarded', recipients: sorted(recipients), note } as const;
        return record(tx, teamId, [wanted], actor);
      });
      return outcomes.get(id) ?? null;
    },
  };
}
