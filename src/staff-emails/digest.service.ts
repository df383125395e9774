import { z } from 'zod';
import { readAttention } from '../attention/attention.service.js';
import type { AttentionItem } from '../attention/attention-item.js';
import type { Db } from '../db/client.js';
import { takeDailyTask } from '../db/daily-tasks.queries.js';
import type { Clock } from '../lib/clock.js';
import { defineJob } from '../queue/define-job.js';
import { type DigestTime, nextDigest } from './digest-time.js';
import type { DigestItem } from './staff-email.js';
import { writeStaffEmails } from './staff-emails.queries.js';

/** The job that writes the digest when it is due. */
export const digestJob = defineJob('staff-digest', z.object({}));

const TASK = 'digest';

/** Items that a digest lists; the others are counted. */
const MAX_ITEMS = 50;

/** Returns the path in the panel of what an item is about. */
function pathOf({ websiteId, formId }: AttentionItem): string {
  if (formId !== null) return `/forms/${formId}`;
  return websiteId === null ? '/' : `/websites/${websiteId}`;
}

export type Digest = ReturnType<typeof createDigest>;

/** Writes the digest for staff: what needs attention, on working days, if anything does. */
export function createDigest({ db, clock, time }: { db: Db; clock: Clock; time: DigestTime }) {
  async function readItems(now: Date): Promise<{ items: DigestItem[]; total: number }> {
    const items = await readAttention(db, { teamIds: null, now });
    const listed = items.slice(0, MAX_ITEMS);
    const ids = listed.flatMap(({ websiteId }) => websiteId ?? []);
    const [websites, before] = await Promise.all([
      db.orm.website.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } }),
      db.orm.staffEmail.aggregate({ where: { kind: 'digest' }, _max: { createdAt: true } }),
    ]);
    const names = new Map(websites.map(({ id, name }) => [id, name]));
    const last = before._max.createdAt;
    const told = listed.map((item): DigestItem => {
      const { kind, severity, facts, since, websiteId } = item;
      const website = websiteId === null ? null : (names.get(websiteId) ?? null);
      return { kind, severity, facts, website, isNew: last !== null && since > last, path: pathOf(item) };
    });
    return { items: told, total: items.length };
  }

  return {
    /** Writes the e-mails of a digest that is due, once in the installation. */
    async run(): Promise<void> {
      const now = clock();
      const next = nextDigest(now, time);
      const due = await db.orm.dailyTask.findUnique({ where: { name: TASK } });
      if (due && due.dueAt > now) return;
      const { items, total } = due ? await readItems(now) : { items: [], total: 0 };
      await db.orm.$transaction(async (tx) => {
        const isTaken = await takeDailyTask(tx, TASK, { now, first: next, next });
        if (!isTaken || total === 0) return;
        const occasion = `digest:${now.toISOString().slice(0, 10)}`;
        await writeStaffEmails(tx, { occasion, content: { kind: 'digest', items, total }, now });
      });
    },
  };
}
