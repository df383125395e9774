import { z } from 'zod';
import type { Db } from '../../db/client.js';
import { claimScheduledTask } from '../../db/daily-tasks.queries.js';
import type { Clock } from '../../lib/clock.js';
import { DAY_MS, MINUTE_MS } from '../../lib/durations.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { defineJob } from '../../queue/define-job.js';
import type { SenderCheckResult, SenderDns } from './sender-dns.js';

/** The job that checks the sender's DNS once a day. */
export const senderDnsJob = defineJob('sender-dns', z.object({}));

const TASK = 'sender_dns';

/** Minutes from the start of a new installation, and from a check that has not found all well, to the next one. */
const FIRST_MIN = 5;
const AGAIN_MIN = 30;

type Services = { db: Db; senderDns: SenderDns; clock: Clock; log: Logger };

/** Keeps what the daily check of the sender's DNS has found. */
export function createSenderChecks({ db, senderDns, clock, log }: Services) {
  /** Records a result; one that lasts keeps the time since when it is so. */
  async function record({ name, finding, detail }: SenderCheckResult, now: Date): Promise<void> {
    const isOk = finding === 'ok';
    const values = { isOk, finding, detail, checkedAt: now };
    await db.orm.$transaction(async (tx) => {
      const before = await tx.senderCheck.findUnique({ where: { name } });
      const since = before?.isOk === isOk ? before.since : now;
      await tx.senderCheck.upsert({
        where: { name },
        create: { name, ...values, since },
        update: { ...values, since },
      });
    });
  }

  return {
    /**
     * Checks the sender's DNS when it is due: a day after a check that found all well, else half an hour later, so that
     * a repair is noticed. A record for which DNS does not answer keeps its last result.
     */
    async run(): Promise<void> {
      const now = clock();
      const after = (minutes: number) => new Date(now.getTime() + minutes * MINUTE_MS);
      const times = { now, first: after(FIRST_MIN), next: after(AGAIN_MIN) };
      if (!(await claimScheduledTask(db.orm, TASK, times))) return;
      const results = await senderDns.run();
      const known = results.filter(({ finding }) => finding !== 'unknown');
      for (const result of known) await record(result, now);
      const names = results.map(({ name }) => name);
      await db.orm.senderCheck.deleteMany({ where: { name: { notIn: names } } });
      log.info({ results }, 'Sender DNS checked');
      if (results.some(({ finding }) => finding !== 'ok')) return;
      const dueAt = new Date(now.getTime() + DAY_MS);
      await db.orm.dailyTask.updateMany({ where: { name: TASK }, data: { dueAt } });
    },
  };
}
