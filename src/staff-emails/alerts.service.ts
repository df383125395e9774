import { z } from 'zod';
import { readAttention } from '../attention/attention.service.js';
import type { Db } from '../db/client.js';
import type { Readiness } from '../http/health/readiness.js';
import type { Clock } from '../lib/clock.js';
import { causeOf } from '../lib/telemetry/cause.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { openAlerts } from '../lib/telemetry/metrics.js';
import { defineJob } from '../queue/define-job.js';
import { areProbesFailing, endAlert, openAlert } from './alerts.queries.js';
import { ALERTS, type AlertName, type StaffEmailContent } from './staff-email.js';
import { writeStaffEmails } from './staff-emails.queries.js';
import type { StaffEmails } from './staff-emails.service.js';

/** The job that watches what staff are told of at once. */
export const alertsJob = defineJob('staff-alerts', z.object({}));

type Services = {
  db: Db;
  clock: Clock;
  log: Logger;
  readiness: Pick<Readiness, 'database'>;
  staffEmails: Pick<StaffEmails, 'sendNow'>;
};

/** Tells whether an alert is on; null: that cannot be told, so that it stays as it is. */
type Condition = (now: Date) => Promise<boolean | null>;

/** Tells staff at once what stops leads or their e-mails everywhere: once when it begins, and once when it is over. */
export function createAlerts({ db, clock, log, readiness, staffEmails }: Services) {
  const logError = limitLog(log, 'error');
  /**
   * What this process tells of a full database, which takes no row about it: since when, and the addresses that need no
   * further attempt at the message of its beginning, or of its end.
   */
  let full: { since: Date; begun: Set<string>; over: Set<string> } | null = null;

  async function isMailHeld(now: Date): Promise<boolean> {
    const { items, failures } = await readAttention(
      { db, logError },
      { teamIds: null, kinds: ['MAIL_HELD'], now },
    );
    if (failures.length > 0) throw failures[0]!.error;
    return items.some(({ teamId }) => teamId === null);
  }

  /** Records an alert's beginning or end, and writes its e-mails in the same transaction. */
  async function record(alert: AlertName, isOn: boolean, now: Date): Promise<void> {
    await db.orm.$transaction(async (tx) => {
      const since = isOn ? now : await endAlert(tx, alert);
      if (!since || (isOn && !(await openAlert(tx, alert, now)))) return;
      const kind = isOn ? 'alert' : 'alert_over';
      const content = { kind, alert, since: since.toISOString() } as const;
      await writeStaffEmails(tx, { occasion: `${kind}:${alert}:${since.toISOString()}`, content, now });
      log.warn({ alert, isOver: !isOn }, 'Staff alerted');
    });
  }

  /** Tells each account of a full database without a row, once for each worker. */
  async function tellFull(now: Date): Promise<void> {
    full ??= { since: now, begun: new Set(), over: new Set() };
    const { since, begun } = full;
    const content: StaffEmailContent = {
      kind: 'alert',
      alert: 'database_full',
      since: since.toISOString(),
    };
    const { ended } = await staffEmails.sendNow(content, { now, isFor: (email) => !begun.has(email) });
    for (const email of ended) begun.add(email);
  }

  /** Tells the accounts that were told of a full database that it is over. */
  async function tellOver({ since, begun, over }: NonNullable<typeof full>, now: Date): Promise<void> {
    const content: StaffEmailContent = {
      kind: 'alert_over',
      alert: 'database_full',
      since: since.toISOString(),
    };
    const isFor = (email: string) => begun.has(email) && !over.has(email);
    const { ended, isComplete } = await staffEmails.sendNow(content, { now, isFor });
    for (const email of ended) over.add(email);
    if (isComplete) full = null;
  }

  /** Watches the room of the database. @returns whether it takes rows about anything else. */
  async function watchDatabase(now: Date): Promise<boolean> {
    const state = await readiness.database();
    // Of one that takes no writes for another reason it cannot be known.
    if (state === 'away' || state === 'read_only') return false;
    const isFull = state === 'full';
    if (full) {
      await (isFull ? tellFull(now) : tellOver(full, now));
      return !isFull;
    }
    try {
      await record('database_full', isFull, now);
    } catch (error) {
      if (!isFull || causeOf(error).cause !== 'disk_full') throw error;
      await tellFull(now);
    }
    return !isFull;
  }

  const CONDITIONS: Readonly<Record<Exclude<AlertName, 'database_full'>, Condition>> = {
    mail_held: isMailHeld,
    probes_failing: (now) => areProbesFailing(db, now),
  };

  return {
    /** Compares what is so with what staff were told. */
    async run(): Promise<void> {
      const now = clock();
      if (!(await watchDatabase(now))) return;
      const errors: unknown[] = [];
      for (const alert of ALERTS) {
        if (alert === 'database_full') continue;
        try {
          const isOn = await CONDITIONS[alert](now);
          if (isOn !== null) await record(alert, isOn, now);
        } catch (error) {
          // One that cannot be told must not keep staff from learning of the others.
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },

    /** Updates the gauge of the alerts that are open in the whole installation. */
    async measure(): Promise<void> {
      const open = new Set((await db.orm.openAlert.findMany()).map(({ name }) => name));
      for (const alert of ALERTS) openAlerts.set({ alert }, open.has(alert) ? 1 : 0);
    },
  };
}
