import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Db, Transaction } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { deliveryReports } from '../../lib/telemetry/metrics.js';
import {
  findReportedEmail,
  findUndelivered,
  lockNotification,
  markBounced,
  type ReportedBounce,
  type ReportedEmail,
  recordBounces,
  type UndeliveredLead,
} from './bounces.queries.js';
import { type DeliveryReport, readDeliveryReport } from './delivery-report.js';

/** How much longer than its parsing the next report waits: reports have a tenth of the worker’s time. */
const PAUSE_FACTOR = 9;

const UNREADABLE = 'A message came back that does not say which recipient it is about';

type Services = {
  db: Db;
  clock: Clock;
  log: Logger;
  /** Tells staff, in the transaction that finds it, about a lead that no recipient got. */
  tellStaff(tx: Transaction, lead: UndeliveredLead, emailId: string): Promise<void>;
};

export type Bounces = ReturnType<typeof createBounces>;

/** `unrecorded`: the e-mail has no recipient yet, since its worker has still to record what the mail server said. */
type ReportOutcome = 'bounced' | 'delayed' | 'unreadable' | 'ignored' | 'unrecorded';

/** What a report may say of a recipient, the gravest first. */
const KINDS = ['bounced', 'delayed', 'unreadable'] as const;

/** Keeps the gravest of what is said of each address: two mailboxes that are reported may be behind one alias. */
function oncePerAddress(bounces: readonly ReportedBounce[]): ReportedBounce[] {
  const gravestLast = bounces.toSorted((one, other) => KINDS.indexOf(other.kind) - KINDS.indexOf(one.kind));
  return [...new Map(gravestLast.map((bounce) => [bounce.address, bounce])).values()];
}

/**
 * Attributes a report to recipients of its e-mail, each of them once: by their address, or to the only one that has it,
 * whose mail may be forwarded.
 */
export function attribute(
  { recipients, subject }: DeliveryReport,
  { deliveredTo, attempted }: Pick<ReportedEmail, 'deliveredTo' | 'attempted'>,
): ReportedBounce[] {
  const byAddress = new Map(
    [...attempted, ...deliveredTo].map((address) => [address.toLowerCase(), address]),
  );
  const [only, another] = deliveredTo;
  const lone = another === undefined ? only : undefined;
  const attributed = (recipients ?? []).map(({ addresses, ...reported }) => {
    const known = addresses.find((address) => byAddress.has(address.toLowerCase()));
    const address = known === undefined ? lone : byAddress.get(known.toLowerCase());
    return address === undefined ? null : { ...reported, address };
  });
  const known = attributed.filter((one) => one !== null);
  if (recipients !== null && known.length === recipients.length) return oncePerAddress(known);
  const named = new Set(known.map(({ address }) => address));
  const detail = subject ? `${UNREADABLE}: ${subject}` : `${UNREADABLE}.`;
  const unclear = deliveredTo.filter((address) => !named.has(address));
  return oncePerAddress([
    ...known,
    ...unclear.map((address) => ({ address, kind: 'unreadable' as const, status: null, detail })),
  ]);
}

/** Returns the gravest kind of what was reported. */
function gravest(bounces: readonly ReportedBounce[]): ReportOutcome {
  const kinds = new Set(bounces.map(({ kind }) => kind));
  return KINDS.find((kind) => kinds.has(kind)) ?? 'ignored';
}

/** The ids by which the log lines about a submission are found. */
const idsOf = ({ requestId, submissionId, websiteId }: ReportedEmail) => ({
  requestId,
  leadId: submissionId,
  websiteId,
});

/** Records what mail servers report of e-mails about submissions. */
export function createBounces({ db, clock, log, tellStaff }: Services) {
  const logError = limitLog(log, 'error');
  const oneAtATime = createSemaphore(1);

  /** Reads a report in a turn of the event loop of its own, so that many at once hold it no longer than one. */
  const read = (raw: Buffer): Promise<DeliveryReport> =>
    oneAtATime(async () => {
      await nextTurn();
      const startedAt = performance.now();
      const report = await readDeliveryReport(raw);
      await pause(PAUSE_FACTOR * (performance.now() - startedAt));
      return report;
    });

  async function endUndelivered(tx: Transaction, submissionId: string, emailId: string): Promise<void> {
    const undelivered = await findUndelivered(tx, submissionId);
    if (!undelivered || undelivered.isAwaited) return;
    await markBounced(tx, submissionId);
    await tellStaff(tx, undelivered, emailId);
  }

  async function record(emailId: string, email: ReportedEmail, bounces: readonly ReportedBounce[]) {
    const { submissionId } = email;
    await db.orm.$transaction(async (tx) => {
      await lockNotification(tx, submissionId);
      const changed = await recordBounces(tx, { emailId, submissionId, now: clock() }, bounces);
      if (changed > 0 && gravest(bounces) === 'bounced') await endUndelivered(tx, submissionId, emailId);
    });
  }

  return {
    /**
     * Takes the end of an e-mail about a submission: those that it had reached may have bounced while it waited for the
     * others. Staff who know of the lead are not told again. The call is idempotent.
     */
    checkUndelivered: (submissionId: string): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        await lockNotification(tx, submissionId);
        await endUndelivered(tx, submissionId, submissionId);
      }),

    /** Takes a message that came to the envelope sender of an e-mail. The call is idempotent. */
    async receive(emailId: string, raw: Buffer): Promise<ReportOutcome> {
      let ids: Partial<ReturnType<typeof idsOf>> = {};
      let bounces: readonly ReportedBounce[] = [];
      try {
        const email = await findReportedEmail(db, emailId);
        if (email && email.deliveredTo.length === 0) return 'unrecorded';
        ids = email ? idsOf(email) : {};
        if (email) bounces = attribute(await read(raw), email);
        if (email && bounces.length > 0) await record(emailId, email, bounces);
      } catch (error) {
        logError(error, 'Delivery report not recorded', ids);
        throw error;
      }
      const outcome = gravest(bounces);
      deliveryReports.inc({ outcome });
      const statuses = bounces.map(({ status }) => status);
      log.info({ ...ids, outcome, statuses }, 'Delivery report received');
      return outcome;
    },
  };
}
