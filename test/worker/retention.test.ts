import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../src/audit/audit.js';
import { DEMO_ACTION, isDemo, recordDemo } from '../../src/audit/demo-mark.js';
import { createDb } from '../../src/db/client.js';
import { lockForm } from '../../src/forms/editing/forms.queries.js';
import { purgeRecords } from '../../src/submissions/retention/expired-records.js';
import { createRetention } from '../../src/submissions/retention/retention.service.js';
import { commandEnv, startTestApp, type TestApp } from '../support/app.js';
import { CONNECT_TIMEOUT_MS } from '../support/database.js';
import { contactForm, provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { runFormgate } from '../support/formgate.js';
import { addSubmissions, recordedLeads } from '../support/leads.js';
import { isWaitingForLock } from '../support/locks.js';
import { eventually } from '../support/wait.js';

const DAY_MS = 86_400_000;

/** The clock of the services, which the tests set. */
let now: Date;
let app: TestApp;
let teamId: number;

const monthsAgo = (months: number, days = 0): Date => {
  const date = new Date(now);
  date.setUTCMonth(date.getUTCMonth() - months);
  return new Date(date.getTime() - days * DAY_MS);
};

beforeAll(async () => {
  now = new Date('2030-06-15T10:00:00Z');
  app = await startTestApp({ clock: () => now });
  await provision(app.services, [
    team('acme', { forms: [contactForm(), contactForm({ slug: 'jobs', retention_months: 6 })] }),
    team('globex', { retention_months: null }),
  ]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});
afterAll(() => app.close());

beforeEach(async () => {
  now = new Date(now.getTime() + DAY_MS);
  await app.services.db.orm.submission.deleteMany();
});

type Lead = Readonly<{ months: number; days?: number; form?: string; slug?: string; emails?: string[] }>;

/** Records a submission so many months ago. */
async function lead({ months, days = 0, form = 'contact', slug = 'acme', emails }: Lead): Promise<string> {
  const { db } = app.services;
  const site = await websiteId(app.services, `www.${slug}.test`);
  const [id] = await recordedLeads(app.services, site, 1, monthsAgo(months, days));
  const { id: formId } = await db.orm.form.findFirstOrThrow({ where: { slug: form, team: { slug } } });
  await db.orm.submission.update({
    where: { id: id! },
    data: { formId, emails: emails ?? [`${id}@x.test`] },
  });
  return id!;
}

const left = async (): Promise<string[]> =>
  (await app.services.db.orm.submission.findMany({ select: { id: true } })).map(({ id }) => id).sort();

describe('retention', () => {
  test('deletes what is older than the period of its form or team, and nothing else', async () => {
    await lead({ months: 36, days: 1 });
    await lead({ months: 6, days: 1, form: 'jobs' });
    const kept = [
      await lead({ months: 35 }),
      await lead({ months: 5, form: 'jobs' }),
      await lead({ months: 300, slug: 'globex' }),
    ];
    expect(await app.services.retention.run()).toBe(2);
    expect(await left()).toEqual(kept.sort());
  });

  test("counts from the person's last contact with the team, by any of the addresses", async () => {
    await lead({ months: 40, emails: ['gone@x.test'] });
    await lead({ months: 40, emails: ['elsewhere@x.test'] });
    const kept = [
      await lead({ months: 50, emails: ['old@x.test', 'ada@x.test'] }),
      await lead({ months: 1, emails: ['ada@x.test'] }),
      await lead({ months: 1, slug: 'globex', emails: ['elsewhere@x.test'] }),
    ];
    expect(await app.services.retention.run()).toBe(2);
    expect(await left()).toEqual(kept.sort());
  });

  test('counts from a contact that has been deleted, by a form with a shorter period', async () => {
    const { retention } = app.services;
    const kept = await lead({ months: 40, emails: ['ada@x.test', 'old@x.test'] });
    await lead({ months: 40, slug: 'globex', emails: ['ada@x.test'] });
    const contacts = [
      await lead({ months: 7, form: 'jobs', emails: ['ada@x.test'] }),
      await lead({ months: 8, form: 'jobs', emails: ['old@x.test'] }),
    ];
    const deletes = async (count: number) => {
      const { due } = await retention.preview(teamId, await settings());
      expect([due, await retention.runAgain()]).toEqual([count, { deleted: count, left: 0 }]);
    };
    const settings = async () => {
      const { retentionMonths, forms } = await retention.settings(teamId);
      const jobs = forms.find(({ retentionMonths: own }) => own !== null)!;
      return { retentionMonths, forms: [{ formId: jobs.id, retentionMonths: 6 }] };
    };
    await deletes(2);
    expect(await left()).toEqual(expect.arrayContaining([kept]));
    expect(await left()).not.toEqual(expect.arrayContaining(contacts));
    // The younger of the contacts was 7 months before.
    now = monthsAgo(-28);
    await deletes(0);
    now = monthsAgo(-1, -1);
    await deletes(1);
    expect(await left()).not.toContain(kept);
  });

  test('leaves what is under legal hold until the hold is released', async () => {
    const { legalHolds, retention } = app.services;
    const held = await lead({ months: 60 });
    await legalHolds.set(held, 'Dispute about the bill.', TEST_ACTOR);
    await lead({ months: 60 });
    expect(await retention.run()).toBe(1);
    expect(await left()).toEqual([held]);
    await legalHolds.release(held, TEST_ACTOR);
    now = new Date(now.getTime() + DAY_MS);
    expect(await retention.run()).toBe(1);
    expect(await left()).toEqual([]);
  });

  test('deletes e-mails, attempts, notes and idempotency keys with their submission', async () => {
    const { db } = app.services;
    const id = await lead({ months: 60 });
    const at = monthsAgo(60);
    await db.orm.notificationAttempt.create({
      data: { submissionId: id, number: 1, outcome: 'sent', recipients: [], startedAt: at, finishedAt: at },
    });
    await db.orm.submissionNote.create({ data: { submissionId: id, text: 'Called back.' } });
    await app.services.retention.run();
    const counts = [
      db.orm.notification.count(),
      db.orm.notificationAttempt.count(),
      db.orm.submissionNote.count(),
    ];
    expect(await Promise.all(counts)).toEqual([0, 0, 0]);
  });

  test('takes as many portions as it needs, and two workers at once delete each submission once', async () => {
    for (let count = 0; count < 23; count += 1) await lead({ months: 40 });
    const kept = await lead({ months: 45, emails: ['back@x.test'] });
    const contact = await lead({ months: 1, emails: ['back@x.test'] });
    const { retention } = app.services;
    const deleted = await Promise.all([retention.run(3_000, 5), retention.run(3_000, 5)]);
    const rest = await retention.run(3_000, 5);
    expect(deleted[0]! + deleted[1]! + rest).toBe(23);
    expect(await left()).toEqual([kept, contact].sort());
    expect(await retention.latestRun()).toMatchObject({ submissions: 23, finishedAt: now });
  });

  test('runs once a day, and a run that was cut short goes on where it was', async () => {
    const { retention } = app.services;
    for (let count = 0; count < 8; count += 1) await lead({ months: 40, days: count });
    expect(await retention.run(0, 3)).toBe(3);
    expect(await retention.run(0, 3)).toBe(3);
    expect(await retention.run(3_000, 3)).toBe(2);
    await lead({ months: 40 });
    expect(await retention.run()).toBe(0);
    now = new Date(now.getTime() + DAY_MS);
    expect(await retention.run()).toBe(1);
  });

  test('goes through a form from its oldest lead when the form before it keeps its leads from now on', async () => {
    const { db, retention } = app.services;
    for (const months of [40, 41, 42]) await lead({ months });
    const older = [await lead({ months: 60, form: 'jobs' }), await lead({ months: 61, form: 'jobs' })];
    await retention.run(0, 2);
    const { id } = await db.orm.form.findFirstOrThrow({ where: { slug: 'contact', team: { slug: 'acme' } } });
    await db.orm.form.update({ where: { id }, data: { retentionMonths: 1_200 } });
    await db.orm.team.update({ where: { id: teamId }, data: { retentionMonths: null } });
    await db.orm.form.update({ where: { id }, data: { retentionMonths: null } });
    await retention.run();
    expect((await left()).filter((one) => older.includes(one))).toEqual([]);
    await db.orm.team.update({ where: { id: teamId }, data: { retentionMonths: 36 } });
  });

  test('the preview of saved settings counts exactly what the next run deletes', async () => {
    const { retention } = app.services;
    const leads = fc.array(
      fc.record({
        months: fc.integer({ min: 0, max: 48 }),
        form: fc.constantFrom('contact', 'jobs'),
        emails: fc.subarray(['a@x.test', 'b@x.test', 'c@x.test']),
        isHeld: fc.boolean(),
      }),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        leads,
        fc.option(fc.integer({ min: 1, max: 40 })),
        async (entries, retentionMonths) => {
          await app.services.db.orm.submission.deleteMany();
          for (const { isHeld, ...entry } of entries) {
            const id = await lead({ ...entry, days: 1 });
            if (isHeld) await app.services.legalHolds.set(id, 'Kept.', TEST_ACTOR);
          }
          const { forms } = await retention.settings(teamId);
          const jobs = forms.find(({ retentionMonths: own }) => own !== null)!;
          const settings = { retentionMonths, forms: [{ formId: jobs.id, retentionMonths: 6 }] };
          const { due, isExact } = await retention.preview(teamId, settings);
          await retention.save(teamId, settings, TEST_ACTOR);
          expect(await retention.runAgain()).toEqual({ deleted: due, left: 0 });
          expect({ left: (await left()).length, isExact }).toEqual({
            left: entries.length - due,
            isExact: true,
          });
        },
      ),
      { numRuns: 15 },
    );
    await retention.save(teamId, { retentionMonths: 36, forms: [] }, TEST_ACTOR);
  });

  test('of settings that were read at one version, only the first are saved', async () => {
    const { retention } = app.services;
    const { version } = await retention.settings(teamId);
    const save = (retentionMonths: number) =>
      retention.save(teamId, { retentionMonths, forms: [] }, TEST_ACTOR, version);
    const both = await Promise.allSettled([save(24), save(48)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const saved = both[0]!.status === 'fulfilled' ? 24 : 48;
    expect((await retention.settings(teamId)).retentionMonths).toBe(saved);
    await expect(save(12)).rejects.toThrow('The periods have changed since they were read.');
    await retention.save(teamId, { retentionMonths: 36, forms: [] }, TEST_ACTOR);
  });

  test('of periods and a form that are saved at once both are saved', async () => {
    const { db, retention } = app.services;
    const form = await db.orm.form.findFirstOrThrow({ where: { teamId, slug: 'jobs' } });
    const { saving } = await db.orm.$transaction(async (tx) => {
      // As a save of the form: it locks the form's row, and ends with an event about the team.
      await lockForm(tx, { teamId, slug: 'jobs' });
      const periods = { retentionMonths: 36, forms: [{ formId: form.id, retentionMonths: 7 }] };
      const saving = retention.save(teamId, periods, TEST_ACTOR).then(
        () => 'saved',
        (error: Error) => error.message,
      );
      await eventually(() => isWaitingForLock(app.database, '%forms%'));
      await recordAudit(tx, TEST_ACTOR, { teamId, action: 'form.updated', subject: ['form', form.id] });
      return { saving };
    });
    expect(await saving).toBe('saved');
    await retention.save(teamId, { retentionMonths: 36, forms: [] }, TEST_ACTOR);
  });

  test('the preview says in which month the period of how many ends', async () => {
    now = new Date('2031-03-10T10:00:00Z');
    await lead({ months: 35 });
    await lead({ months: 35 });
    await lead({ months: 30 });
    await lead({ months: 20 });
    const { months } = await app.services.retention.preview(teamId, { retentionMonths: 36, forms: [] });
    expect(months).toEqual([
      { month: '2031-04', submissions: 2 },
      { month: '2031-09', submissions: 1 },
    ]);
  });

  test('the preview lists no month beyond the next twelve, and no lead under legal hold', async () => {
    now = new Date('2031-03-10T10:00:00Z');
    const [near, far] = [await lead({ months: 35 }), await lead({ months: 35 })];
    const { db, legalHolds, retention } = app.services;
    const contact = (id: string, months: number) =>
      db.orm.submission.update({ where: { id }, data: { lastContactAt: monthsAgo(months) } });
    await contact(near, 30);
    await contact(far, 7);
    await legalHolds.set(await lead({ months: 30 }), 'Dispute.', TEST_ACTOR);
    const { months } = await retention.preview(teamId, { retentionMonths: 36, forms: [] });
    expect(months).toEqual([{ month: '2031-09', submissions: 1 }]);
  });

  describe('of thousands of persons', () => {
    const settings = { retentionMonths: 36, forms: [] };

    /** Records leads of persons with so many addresses, each once when it has expired and once after. */
    async function recordReturning(persons: number, addresses: number): Promise<void> {
      const site = await websiteId(app.services, 'www.acme.test');
      for (const at of [monthsAgo(40), monthsAgo(1)]) await addSubmissions(app.services, site, persons, at);
      await app.services.db.orm.$executeRaw`
        UPDATE submissions s
           SET emails = ARRAY(SELECT 'person' || n.person || '.' || a || '@x.test' FROM generate_series(1, ${addresses}::int) a)
          FROM (SELECT id, row_number() OVER (PARTITION BY created_at ORDER BY id) AS person FROM submissions) n
         WHERE n.id = s.id`;
    }

    /** The preview of a gateway, which ends a statement after 1.9 seconds. */
    async function previewed() {
      const panelDb = createDb(app.database.url, {
        statementTimeoutMs: 1_900,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
      });
      const retention = createRetention({ ...app.services, panelDb });
      // Tried again, since other processes may have taken the processors for a while.
      const { due, held, isExact } = await eventually(() =>
        retention.preview(teamId, settings).catch(() => undefined),
      );
      await panelDb.close();
      return { due, held, isExact };
    }

    test('who have all come again has nothing that is due, and ends in time', async () => {
      await recordReturning(9_000, 1);
      expect(await previewed()).toEqual({ due: 0, held: 0, isExact: true });
      await lead({ months: 41 });
      expect(await previewed()).toEqual({ due: 1, held: 0, isExact: true });
    });

    test('who have very many addresses looks up some, and says that it is not exact', async () => {
      await recordReturning(1_000, 100);
      expect(await previewed()).toEqual({ due: 0, held: 0, isExact: false });
      expect(await app.services.retention.run()).toBe(0);
    });
  });
});

describe('formgate retention', () => {
  const formgate = (...args: string[]) => runFormgate(['retention', ...args], commandEnv(app)).finished;

  test('--dry-run prints by form what is due and deletes nothing; without it that is deleted', async () => {
    // The command has the clock of the machine.
    now = new Date();
    await lead({ months: 40 });
    await lead({ months: 40 });
    await app.services.legalHolds.set(await lead({ months: 40 }), 'Dispute.', TEST_ACTOR);
    const dry = await formgate('--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/^acme {2}contact {2}36 +2 +1$/m);
    expect(dry.stdout).toMatch(/^2 leads are due; nothing was deleted\.$/m);
    expect(await left()).toHaveLength(3);
    expect(await formgate()).toMatchObject({ code: 0, stdout: '2 leads deleted.\n' });
    expect(await left()).toHaveLength(1);
  });
});

describe('formgate retention beside other processes', () => {
  const formgate = () => runFormgate(['retention'], commandEnv(app)).finished;

  /** Runs work while another session holds the locks that a statement takes. */
  async function whileLocked<T>(statement: string, work: (release: () => Promise<unknown>) => Promise<T>) {
    const other = new pg.Client({ connectionString: app.database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query(statement);
      return await work(() => other.query('ROLLBACK'));
    } finally {
      await other.end();
    }
  }

  const isWaiting = () => isWaitingForLock(app.services);

  beforeEach(async () => {
    // The command has the clock of the machine.
    now = new Date();
    await app.services.db.orm.retentionRun.deleteMany();
  });

  test('waits for a worker that has the run of the day, and then deletes all that is due', async () => {
    await app.services.retention.run();
    await app.services.db.orm.retentionRun.updateMany({ data: { finishedAt: null } });
    await lead({ months: 40 });
    await whileLocked('SELECT FROM retention_runs FOR UPDATE', async (release) => {
      const command = formgate();
      await eventually(isWaiting);
      await release();
      expect(await command).toMatchObject({ code: 0, stdout: '1 leads deleted.\n' });
    });
    expect(await left()).toEqual([]);
  });

  test('deletes also what became due behind the place of a run under way', async () => {
    const { retention } = app.services;
    for (let count = 0; count < 4; count += 1) await lead({ months: 40, days: count });
    await retention.run(0, 3);
    expect((await retention.latestRun())?.finishedAt).toBeNull();
    await lead({ months: 60 });
    expect(await formgate()).toMatchObject({ code: 0, stdout: '2 leads deleted.\n' });
    expect(await left()).toEqual([]);
  });

  test('shares the work with workers that run at the same time, and ends when nothing is due', async () => {
    const { retention } = app.services;
    for (let count = 0; count < 30; count += 1) await lead({ months: 40 });
    let isOver = false;
    const worker = async () => {
      while (!isOver) await retention.run(0, 2);
    };
    const workers = [worker(), worker()];
    try {
      expect((await retention.runAgain()).left).toBe(0);
      expect(await left()).toEqual([]);
    } finally {
      isOver = true;
      await Promise.all(workers);
    }
  });

  test('ends with 1 and says how many are left that another transaction holds', async () => {
    const held = await lead({ months: 40 });
    await lead({ months: 40 });
    await whileLocked(`SELECT FROM submissions WHERE id = '${held}' FOR UPDATE`, async () => {
      const { code, stdout, stderr } = await formgate();
      expect({ code, stdout }).toEqual({ code: 1, stdout: '1 leads deleted.\n' });
      expect(stderr).toMatch(/^1 leads are still due: /);
    });
    expect(await formgate()).toMatchObject({ code: 0, stdout: '1 leads deleted.\n', stderr: '' });
    expect(await left()).toEqual([]);
  });
});

describe('the purge of records', () => {
  test('deletes attempts and incidents after 12 months and events of the audit trail after 36', async () => {
    const { db } = app.services;
    now = new Date('2031-05-01T00:00:00Z');
    const websites = await websiteId(app.services, 'www.acme.test');
    const ages = [monthsAgo(11), monthsAgo(12, 1)];
    await db.orm.auditEvent.deleteMany();
    for (const [number, at] of ages.entries()) {
      const id = uuid({ msecs: monthsAgo(13).getTime() });
      await db.orm.$executeRaw`
        INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", created_at)
        SELECT ${id}::uuid, team_id, website_id, form_id, 1, 'fr', '{}', ${at} FROM form_links
         WHERE website_id = ${websites}::uuid LIMIT 1`;
      await db.orm.notification.create({ data: { submissionId: id } });
      await db.orm.notificationAttempt.create({
        data: { submissionId: id, number, outcome: 'sent', recipients: [], startedAt: at, finishedAt: at },
      });
      await db.orm.incident.create({
        data: { websiteId: websites, stepKey: 'altcha', reason: 'x', minute: at, requestId: 'r' },
      });
    }
    for (const createdAt of [monthsAgo(35), monthsAgo(36, 1)]) {
      const event = { channel: 'system', action: 'a.b', subjectType: 'team', subjectId: '1' } as const;
      await db.orm.auditEvent.create({ data: { ...event, createdAt } });
    }
    await recordDemo(db.orm, TEST_ACTOR);
    await db.orm.auditEvent.updateMany({
      where: { action: DEMO_ACTION },
      data: { createdAt: monthsAgo(40) },
    });
    expect(await purgeRecords(db, now)).toBe(3);
    expect(await isDemo(db)).toBe(true);
    await db.orm.auditEvent.deleteMany({ where: { action: DEMO_ACTION } });
    const attempts = await db.orm.notificationAttempt.findMany({ select: { finishedAt: true } });
    const incidents = await db.orm.incident.findMany({ select: { minute: true } });
    const events = await db.orm.auditEvent.findMany({ select: { createdAt: true } });
    expect({ attempts, incidents, events }).toEqual({
      attempts: [{ finishedAt: ages[0] }],
      incidents: [{ minute: ages[0] }],
      events: [{ createdAt: monthsAgo(35) }],
    });
  });
});
