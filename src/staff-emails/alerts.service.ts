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

/** Tells since when an alert is on; false: it is not; null: that cannot be told, so that it stays as it is. */
type Condition = (now: Date) => Promise<Date | false | null>;

/** Tells staff at once what stops leads or their e-mails everywhere: once when it begins, and once when it is over. */
export function createAlerts({ db, clock, log, readiness, staffEmails }: Services) {
  const logError = limitLog(log, 'error');
  /**
   * What this process tells of a full database, which takes no row about it: since when, until when once it is over,
   * and the addresses that need no further attempt at the message of its beginning, or of its end.
   */
  let full: { since: Date; until: Date | null; begun: Set<string>; over: Set<string> } | null = null;

  async function mailHeldSince(now: Date): Promise<Date | false> {
    const { items, failures } = await readAttention(
      { db, logError },
      { teamIds: null, kinds: ['MAIL_HELD'], now },
    );
    if (failures.length > 0) throw failures[0]!.error;
    return items.find(({ teamId }) => teamId === null)?.since ?? false;
  }

  /** Records an alert's beginning or end, and writes its e-mails in the same transaction. */
  async function record(alert: AlertName, onSince: Date | false, now: Date): Promise<void> {
    await db.orm.$transaction(async (tx) => {
      const since = onSince || (await endAlert(tx, alert));
      if (!since || (onSince && !(await openAlert(tx, alert, since)))) return;
      const kind = onSince ? 'alert' : 'alert_over';
      const content = { kind, alert, since: since.toISOString() } as const;
      // By the time of telling, because what is over may come back with the same beginning.
      await writeStaffEmails(tx, { occasion: `${kind}:${alert}:${now.toISOString()}`, content, now });
      log.warn({ alert, isOver: !onSince }, 'Staff alerted');
    });
  }

  /** Tells each account of a full database without a row, once for each worker. */
  async function tellFull(now: Date): Promise<void> {
    full ??= { since: now, until: null, begun: new Set(), over: new Set() };
    full.until = null;
    const { since, begun, over } = full;
    // Who has read that it is over is told that it is not.
    for (const email of over) begun.delete(email);
    over.clear();
    const content: StaffEmailContent = {
      kind: 'alert',
      alert: 'database_full',
      since: since.toISOString(),
    };
    const { ended } = await staffEmails.sendNow(content, { now, isFor: (email) => !begun.has(email) });
    for (const email of ended) begun.add(email);
  }

  /** Tells the accounts that were told of a full database that it is over. */
  async function tellOver(told: NonNullable<typeof full>, now: Date): Promise<void> {
    const { since, begun, over } = told;
    told.until ??= now;
    const content: StaffEmailContent = {
      kind: 'alert_over',
      alert: 'database_full',
      since: since.toISOString(),
    };
    const isFor = (email: string) => begun.has(email) && !over.has(email);
    const { ended, isComplete } = await staffEmails.sendNow(content, { now: told.until, isFor });
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
      await record('database_full', isFull && now, now);
    } catch (error) {
      if (!isFull || causeOf(error).cause !== 'disk_full') throw error;
      await tellFull(now);
    }
    return !isFull;
  }

  const CONDITIONS: Readonly<Record<Exclude<AlertName, 'database_full'>, Condition>> = {
    mail_held: mailHeldSince,
    probes_failing: async (now) => (await areProbesFailing(db, now)) && now,
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
          const onSince = await CONDITIONS[alert](now);
          if (onSince !== null) await record(alert, onSince, now);
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
