import type { Db } from '../db/client.js';
import type { Clock } from '../lib/clock.js';
import { DAY_MS } from '../lib/durations.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import {
  addCounts,
  type Counted,
  type CountTable,
  type RefusedFor,
  type UnrecordedVerdict,
} from './verdict-counts.queries.js';

/**
 * Interval between two writes of the counts, and so what a killed process loses of them. No request writes by itself:
 * robots would make PostgreSQL work with each token that is refused.
 */
const WRITE_EVERY_MS = 5_000;

/** Maximum number of rows in one statement. More would delay concurrent submissions. */
const MAX_ROWS = 500;

/** Timeout of a write. Ten thousand rows take PostgreSQL some 0.2 s; statistics must not delay a shutdown longer. */
const MAX_WRITE_MS = 3_000;

type Step = Readonly<{ websiteId: string; stepKey: string }>;

/** A verdict on a step; a refusal has its reason. */
type CountedVerdict = Step & Readonly<{ verdict: UnrecordedVerdict; reason?: RefusedFor | undefined }>;

export type VerdictCounts = ReturnType<typeof createVerdictCounts>;

/** Creates the counts that are not written yet, one entry for each row. */
function createPending<Table extends CountTable>(table: Table) {
  let rows = new Map<string, Counted<Table>>();
  return {
    table,

    add({ websiteId, stepKey }: Step, subject: Counted<Table>['subject'], now: Date): void {
      // `join` makes a flat string; a template makes a rope, which the look-up would have to flatten.
      const key = [Math.floor(now.getTime() / DAY_MS), websiteId, stepKey, subject].join(' ');
      const known = rows.get(key);
      if (known) known.count += 1;
      else {
        const day = now.toISOString().slice(0, 10);
        rows.set(key, { website_id: websiteId, day, link_key: stepKey, subject, count: 1 });
      }
    },

    /** Takes all rows out. */
    take(): Counted<Table>[] {
      const taken = [...rows.values()];
      rows = new Map();
      return taken;
    },
  };
}

/**
 * Counts the verdicts of each captcha step per day that admit no lead, and why tokens were refused, for the figures of
 * the panel. What has admitted a lead is counted from the leads, by a worker.
 */
export function createVerdictCounts({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const warn = limitLog(log);
  const verdicts = createPending('captcha_counts');
  const refusals = createPending('captcha_refusals');
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    timer = undefined;
    const lateAt = performance.now() + MAX_WRITE_MS;
    async function writeRows<Table extends CountTable>(table: Table, rows: Counted<Table>[]): Promise<void> {
      while (rows.length > 0) {
        if (performance.now() > lateAt) throw new Error('PostgreSQL is too slow');
        await addCounts(db, table, rows.splice(0, MAX_ROWS));
      }
    }
    const [counts, reasons] = [verdicts.take(), refusals.take()];
    try {
      await writeRows(verdicts.table, counts);
      await writeRows(refusals.table, reasons);
    } catch (error) {
      warn(error, 'Captcha verdicts not counted');
    }
  }

  const scheduleWrite = (): void => {
    timer ??= setTimeout(() => {
      writing = writing.then(write);
    }, WRITE_EVERY_MS).unref();
  };

  return {
    /** Counts a verdict. Returns at once and never fails: no submission waits for it. */
    add({ verdict, reason, ...step }: CountedVerdict): void {
      const now = clock();
      verdicts.add(step, verdict, now);
      if (reason) refusals.add(step, reason, now);
      scheduleWrite();
    },

    /** Counts a refusal that no step has decided, under the first step of the chain, as `add` does. */
    refuse(step: Step, reason: RefusedFor): void {
      refusals.add(step, reason, clock());
      scheduleWrite();
    },

    /** Flushes the pending counts, and resolves when they are written. */
    async settled(): Promise<void> {
      clearTimeout(timer);
      writing = writing.then(write);
      await writing;
    },
  };
}
