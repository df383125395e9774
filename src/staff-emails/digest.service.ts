import { z } from 'zod';
import { readAttention } from '../attention/attention.service.js';
import { type AttentionItem, itemKey, kindOfKey } from '../attention/attention-item.js';
import { mendingPath } from '../attention/mending-path.js';
import type { Db } from '../db/client.js';
import { isTooOld, readCountedUntil } from '../db/daily-counts-mark.js';
import { claimScheduledTask } from '../db/daily-tasks.queries.js';
import type { Clock } from '../lib/clock.js';
import { MINUTE_MS } from '../lib/durations.js';
import { type LocalTime, localDate, nextTime, WORKING_DAYS } from '../lib/local-time.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { defineJob } from '../queue/define-job.js';
import type { DigestItem, StaffEmailContent } from './staff-email.js';
import { writeStaffEmails } from './staff-emails.queries.js';

/** The job that writes the digest when it is due. */
export const digestJob = defineJob('staff-digest', z.object({}));

const TASK = 'digest';

/**
 * For how long a digest waits for a check that fails, before it says so instead, and a worker that has just started for
 * the count of the leads that came while none ran.
 */
const WAIT_FOR_CHECKS_MS = 15 * MINUTE_MS;

/** Items that a digest lists; the others are counted. */
const MAX_ITEMS = 50;

type Services = { db: Db; clock: Clock; log: Logger; time: LocalTime };

type DigestContent = Extract<StaffEmailContent, { kind: 'digest' }>;

/** Writes the digest for staff: what needs attention, on working days, if anything does. */
export function createDigest({ db, clock, log, time }: Services) {
  const logError = limitLog(log, 'error');
  const startedAt = clock();

  /** Tells whether silent websites are listed by counts from before the leads that workers are about to count. */
  async function isCountAwaited(now: Date, dueAt: Date): Promise<boolean> {
    const since = Math.max(startedAt.getTime(), dueAt.getTime());
    return now.getTime() - since < WAIT_FOR_CHECKS_MS && isTooOld(await readCountedUntil(db), now);
  }

  /** Names what items concern: a website, else a form with its team, else a team. */
  async function readNames(items: readonly AttentionItem[]): Promise<(item: AttentionItem) => string[]> {
    const select = { id: true, name: true } as const;
    const websiteIds = items.flatMap(({ websiteId }) => websiteId ?? []);
    const formIds = items.flatMap(({ formId }) => formId ?? []);
    const teamIds = items.flatMap(({ teamId }) => teamId ?? []);
    const found = await Promise.all([
      db.orm.website.findMany({ where: { id: { in: websiteIds } }, select }),
      db.orm.form.findMany({ where: { id: { in: formIds } }, select }),
      db.orm.team.findMany({ where: { id: { in: teamIds } }, select }),
    ]);
    const websites = new Map(found[0].map(({ id, name }) => [id, name]));
    const forms = new Map(found[1].map(({ id, name }) => [id, name]));
    const teams = new Map(found[2].map(({ id, name }) => [id, name]));
    return ({ websiteId, formId, teamId }) => {
      const website = websiteId === null ? undefined : websites.get(websiteId);
      const form = formId === null ? undefined : forms.get(formId);
      const team = website !== undefined || teamId === null ? undefined : teams.get(teamId);
      return [website, form, team].filter((name) => name !== undefined);
    };
  }

  const dateOf = (moment: Date) => localDate(moment, time.timeZone);

  /** Tells whether a working day is between the days of two moments; the time of the digest may have changed. */
  function isDayBetween(before: Date, dueAt: Date): boolean {
    let next = nextTime(before, time, WORKING_DAYS);
    if (dateOf(next) === dateOf(before)) next = nextTime(next, time, WORKING_DAYS);
    return dateOf(next) < dateOf(dueAt);
  }

  /** Reads the keys of the items at the time of the digest before; none when nothing needed attention then. */
  async function readKnown(dueAt: Date): Promise<ReadonlySet<string>> {
    const before = await db.orm.staffEmail.findFirst({
      where: { kind: 'digest' },
      orderBy: { createdAt: 'desc' },
      select: { content: true, createdAt: true },
    });
    if (!before || isDayBetween(before.createdAt, dueAt)) return new Set();
    return new Set((before.content as unknown as DigestContent).keys);
  }

  /**
   * Reads what the digest tells; null while a check fails that may work again soon, or leads are about to be counted.
   */
  async function readItems(now: Date, dueAt: Date): Promise<Omit<DigestContent, 'kind'> | null> {
    if (await isCountAwaited(now, dueAt)) return null;
    const { items, failures } = await readAttention({ db, logError }, { teamIds: null, now });
    if (failures.length > 0 && now.getTime() - dueAt.getTime() < WAIT_FOR_CHECKS_MS) return null;
    const listed = items.slice(0, MAX_ITEMS);
    const [aboutOf, known] = await Promise.all([readNames(listed), readKnown(dueAt)]);
    const told = listed.map((item): DigestItem => {
      const { kind, severity, facts } = item;
      const isNew = !known.has(itemKey(item));
      return { kind, severity, facts, about: aboutOf(item), isNew, path: mendingPath(item) };
    });
    const unchecked = new Set(failures.flatMap(({ kinds }) => kinds));
    // They are not new when their check works again.
    const stillKnown = [...known].filter((key) => unchecked.has(kindOfKey(key)));
    return { items: told, total: items.length, keys: [...items.map(itemKey), ...stillKnown] };
  }

  return {
    /** Writes the e-mails of a digest that is due, once in the installation. */
    async run(): Promise<void> {
      const now = clock();
      const next = nextTime(now, time, WORKING_DAYS);
      const due = await db.orm.dailyTask.findUnique({ where: { name: TASK } });
      if (due && due.dueAt > now) return;
      if (due && dateOf(next) === dateOf(due.dueAt)) {
        // DIGEST_AT was made later, or TIME_ZONE is another: the digest waits for the later time of the day.
        await db.orm.dailyTask.updateMany({ where: { name: TASK, dueAt: due.dueAt }, data: { dueAt: next } });
        return;
      }
      const content = due && (await readItems(now, due.dueAt));
      if (due && !content) return;
      await db.orm.$transaction(async (tx) => {
        const isClaimed = await claimScheduledTask(tx, TASK, { now, first: next, next });
        if (!isClaimed || !due || !content || content.total === 0) return;
        // Not the day of now: a digest that was late would take the place of that day's own.
        const occasion = `digest:${due.dueAt.toISOString()}`;
        await writeStaffEmails(tx, { occasion, content: { kind: 'digest', ...content }, now });
      });
    },
  };
}
