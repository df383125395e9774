import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.js';
import { createAlerts } from '../../src/staff-emails/alerts.service.js';
import { createDigest } from '../../src/staff-emails/digest.service.js';
import { tellUndeliveredBy } from '../../src/staff-emails/undelivered-lead.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId, websiteRow } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount } from '../support/panel.js';

const TUESDAY = new Date('2026-11-24T06:30:05Z');
const DAY_MS = 86_400_000;
const METRICS_TOKEN = 'a-metrics-token-of-its-own';

let app: TestApp;
let isFull = false;
/** An address that the mail server refuses for now. */
let busy: string | null = null;
let sites: string[];
let teamId: number;

beforeAll(async () => {
  app = await startTestApp({
    isDiskFull: async () => isFull,
    env: { METRICS_TOKEN },
    smtp: { rcpt: (address) => (address === busy ? '450 4.2.1 Mailbox busy' : null) },
  });
  const hosts = ['one.acme.test', 'two.acme.test', 'three.acme.test'];
  await provision(app.services, [
    team('acme', { websites: hosts.map((host) => website(host, { name: host })) }),
  ]);
  sites = await Promise.all(hosts.map((host) => websiteId(app.services, host)));
  ({ id: teamId } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } }));
  const password = 'a long password';
  await createAccount(app.services, { email: 'anna@agency.test', password, staff: true });
  const bob = await createAccount(app.services, { email: 'bob@agency.test', password, staff: true });
  await createAccount(app.services, { email: 'gone@agency.test', staff: true });
  const disabled = await createAccount(app.services, { email: 'off@agency.test', password, staff: true });
  await app.services.db.orm.user.update({ where: { id: disabled }, data: { disabledAt: new Date() } });
  await app.services.db.orm.user.update({ where: { id: bob }, data: { language: 'en' } });
});

beforeEach(async () => {
  isFull = false;
  const { orm } = app.services.db;
  await orm.staffEmail.deleteMany();
  await orm.openAlert.deleteMany();
  await orm.dailyTask.deleteMany();
  await orm.probe.deleteMany();
  await orm.senderCheck.deleteMany();
  await orm.submission.deleteMany();
  await orm.leadHabit.deleteMany();
  await orm.quotaUsage.deleteMany();
  await orm.formFindings.deleteMany();
  await orm.website.updateMany({ data: { disabled: false } });
});

afterAll(() => app?.close());

/** Writes the e-mails about a lead that has come back from its only recipient. */
async function tellUndelivered(): Promise<void> {
  const { orm } = app.services.db;
  const [submissionId = ''] = await recordedLeads(app.services, sites[0]!, 1);
  const [address, at] = ['desk@acme.test', new Date()];
  await orm.notification.update({
    where: { submissionId },
    data: { state: 'bounced', deliveredTo: [address], sentAt: at },
  });
  const bounce = { address, kind: 'bounced', detail: 'User unknown', reportedAt: at } as const;
  await orm.bounce.create({ data: { ...bounce, emailId: submissionId, submissionId } });
  const lead = { submissionId, attempts: 1 };
  await orm.$transaction((tx) => tellUndeliveredBy(systemClock)(tx, lead, submissionId));
}

/** Sends what is due, and returns the messages that arrive by it. */
async function sent() {
  const before = app.sink.messages.length;
  await app.services.staffEmails.run();
  return app.sink.messages.slice(before).map(({ recipients, mail }) => ({
    to: recipients.join(),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html || '',
  }));
}

test('an e-mail that cannot be built holds up no other, and is tried again after growing pauses', async () => {
  const { orm } = app.services.db;
  const { id: userId } = await orm.user.findUniqueOrThrow({ where: { email: 'anna@agency.test' } });
  const broken = { id: randomUUID(), userId, kind: 'digest', occasion: 'digest:1' } as const;
  const nextAttemptAt = new Date(Date.now() - DAY_MS);
  await orm.staffEmail.create({ data: { ...broken, content: { kind: 'digest' }, nextAttemptAt } });
  await tellUndelivered();
  expect((await sent()).map(({ to }) => to).sort()).toEqual(['anna@agency.test', 'bob@agency.test']);
  const pause = async () => {
    const row = await orm.staffEmail.findUniqueOrThrow({ where: { id: broken.id } });
    expect(row.state).toBe('pending');
    return row.nextAttemptAt.getTime() - Date.now();
  };
  const first = await pause();
  expect(first).toBeGreaterThan(0);
  await orm.staffEmail.update({ where: { id: broken.id }, data: { attempts: 5, nextAttemptAt } });
  await sent();
  expect(await pause()).toBeGreaterThan(4 * first);
});

describe('the digest', () => {
  const digestAt = (now: Date, at = '07:30', timeZone = 'Europe/Paris') =>
    createDigest({
      db: app.services.db,
      log: app.services.log,
      clock: () => now,
      time: { at, timeZone },
    }).run();

  const scheduled = () => app.services.db.orm.dailyTask.findUnique({ where: { name: 'digest' } });

  const makeDue = () =>
    app.services.db.orm.dailyTask.create({
      data: { name: 'digest', dueAt: new Date('2026-11-24T06:30:00Z') },
    });

  const fault = (since = new Date('2026-11-20T10:00:00Z')) =>
    app.services.db.orm.senderCheck.create({
      data: { name: 'spf', isOk: false, finding: 'missing', detail: 'agency.test', since, checkedAt: since },
    });

  test('goes once to each staff account that can log in, in its language, with links into the panel', async () => {
    await makeDue();
    await fault();
    await Promise.all([digestAt(TUESDAY), digestAt(TUESDAY), digestAt(TUESDAY)]);
    const messages = await sent();
    expect(messages.map(({ to, subject }) => [to, subject]).sort()).toEqual([
      ['anna@agency.test', 'Un point demande votre attention'],
      ['bob@agency.test', 'One thing needs attention'],
    ]);
    expect(messages.every(({ text }) => text.includes('http://formgate.test/panel/'))).toBe(true);
    expect(messages.every(({ text }) => /SPF\s?: agency\.test/.test(text))).toBe(true);
    await digestAt(new Date(TUESDAY.getTime() + 60_000));
    expect(await sent()).toEqual([]);
    expect((await scheduled())?.dueAt).toEqual(new Date('2026-11-25T06:30:00Z'));
  });

  test('waits a quarter of an hour from the start of its worker for leads that came while none ran', async () => {
    const { orm } = app.services.db;
    await makeDue();
    await fault();
    const name = 'daily_counts';
    await orm.rollupMark.create({ data: { name, countedUntil: new Date('2026-11-20T18:00:00Z') } });
    try {
      let now = new Date('2026-11-24T09:00:00Z');
      const time = { at: '07:30', timeZone: 'Europe/Paris' };
      const { db, log } = app.services;
      const restarted = createDigest({ db, log, clock: () => now, time });
      await restarted.run();
      expect(await sent()).toEqual([]);
      now = new Date('2026-11-24T09:01:00Z');
      await orm.rollupMark.update({ where: { name }, data: { countedUntil: now } });
      await restarted.run();
      expect(await sent()).toHaveLength(2);
      // Counts that go on failing hold no digest up for good.
      await orm.rollupMark.update({ where: { name }, data: { countedUntil: new Date('2026-11-20') } });
      now = new Date('2026-11-25T06:40:00Z');
      await restarted.run();
      expect(await sent()).toEqual([]);
      now = new Date('2026-11-25T06:45:00Z');
      await restarted.run();
      expect(await sent()).toHaveLength(2);
    } finally {
      await orm.rollupMark.delete({ where: { name } });
    }
  });

  test('waits a quarter of an hour for a check that fails, then says so, and takes nothing for new after it', async () => {
    const { orm } = app.services.db;
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    expect(await sent()).toHaveLength(2);
    const [wednesday, thursday] = [1, 2].map((days) => new Date(TUESDAY.getTime() + days * 86_400_000));
    await orm.$executeRaw`ALTER TABLE sender_checks RENAME is_ok TO lost`;
    try {
      await digestAt(wednesday!);
      expect(await sent()).toEqual([]);
      await digestAt(new Date(wednesday!.getTime() + 20 * 60_000));
    } finally {
      await orm.$executeRaw`ALTER TABLE sender_checks RENAME lost TO is_ok`;
    }
    const { text } = (await sent()).find(({ to }) => to === 'bob@agency.test')!;
    expect(text).toContain('Not everything could be checked');
    await digestAt(thursday!);
    const { text: after } = (await sent()).find(({ to }) => to === 'bob@agency.test')!;
    expect(after).toContain('SPF: agency.test');
    expect(after).not.toContain('(new)');
  });

  test('leads from what it says to where that is mended, in HTML as in text', async () => {
    await makeDue();
    await fault();
    const [missing] = await recordedLeads(app.services, sites[0]!, 1, TUESDAY);
    await app.services.db.orm.notification.update({
      where: { submissionId: missing! },
      data: { state: 'failed' },
    });
    await digestAt(TUESDAY);
    const { text, html } = (await sent()).find(({ to }) => to === 'bob@agency.test')!;
    const links = [...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, url, words]) => [
      url,
      words,
    ]);
    expect(links).toEqual([
      [
        `http://formgate.test/panel/inbox?folder=failed&amp;website=${sites[0]}&amp;team=${teamId}`,
        '1 e-mail has failed (new)',
      ],
      ['http://formgate.test/panel/', expect.stringContaining('SPF: agency.test')],
      ['http://formgate.test/panel/', 'http://formgate.test/panel/'],
    ]);
    for (const [url] of links) expect(text).toContain(`${url!.replaceAll('&amp;', '&')}\n`);
  });

  test('is not sent to an account that was disabled after it was written', async () => {
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    const { orm } = app.services.db;
    const where = { email: 'anna@agency.test' };
    await orm.user.update({ where, data: { disabledAt: TUESDAY } });
    expect((await sent()).map(({ to }) => to)).toEqual(['bob@agency.test']);
    expect(await orm.staffEmail.count({ where: { user: where, state: 'no_recipient' } })).toBe(1);
    await orm.user.update({ where, data: { disabledAt: null } });
    expect(await sent()).toEqual([]);
  });

  test('repeats on the next day what is still open, and says what is new', async () => {
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    await sent();
    const later = new Date(TUESDAY.getTime() + DAY_MS);
    await app.services.db.orm.senderCheck.create({
      data: {
        name: 'dmarc',
        isOk: false,
        finding: 'missing',
        detail: '_dmarc.agency.test',
        since: new Date(later.getTime() - 3_600_000),
        checkedAt: later,
      },
    });
    await digestAt(later);
    const english = (await sent()).find(({ to }) => to === 'bob@agency.test')!;
    expect(english.subject).toBe('2 things need attention');
    expect(english.text).toMatch(/DMARC: .* \(new\)/);
    expect(english.text).not.toMatch(/SPF: .* \(new\)/);
  });

  test('says that what began before the digest of yesterday is new when that did not have it', async () => {
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    await sent();
    const lastAt = new Date(TUESDAY.getTime() - 9 * DAY_MS);
    await app.services.db.orm.leadHabit.create({
      data: {
        websiteId: sites[0]!,
        leads: 20,
        firstAt: new Date(lastAt.getTime() - 60 * DAY_MS),
        lastAt,
        weekdays: Array(7).fill(1),
        silentAt: TUESDAY,
      },
    });
    await digestAt(new Date(TUESDAY.getTime() + DAY_MS));
    const first = (await sent()).find(({ to }) => to === 'bob@agency.test')!;
    expect(first.text).toMatch(/No lead for 10 days.* \(new\)/);
    expect(first.text).not.toMatch(/SPF: .* \(new\)/);
    await digestAt(new Date(TUESDAY.getTime() + 2 * DAY_MS));
    expect((await sent())[0]!.text).not.toMatch(/\((new|nouveau)\)/);
  });

  test('says that what has come back after a day without a digest is new', async () => {
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    await sent();
    const { senderCheck } = app.services.db.orm;
    await senderCheck.updateMany({ data: { isOk: true } });
    await digestAt(new Date(TUESDAY.getTime() + DAY_MS));
    expect(await sent()).toEqual([]);
    await senderCheck.updateMany({ data: { isOk: false } });
    await digestAt(new Date(TUESDAY.getTime() + 2 * DAY_MS));
    expect((await sent()).find(({ to }) => to === 'bob@agency.test')!.text).toMatch(/SPF: .* \(new\)/);
  });

  test('names the website, the form with its team, or the team that an item concerns', async () => {
    await makeDue();
    const { orm } = app.services.db;
    const { formId } = await orm.placement.findFirstOrThrow({ where: { websiteId: sites[0]! } });
    await orm.formFindings.create({
      data: { formId, version: 1, missingTexts: 2, missingLocales: ['de'], examinedAt: TUESDAY },
    });
    const { planId: former } = await orm.team.findUniqueOrThrow({ where: { id: teamId } });
    const plan = await orm.plan.create({ data: { code: 'small', name: 'Small', notificationsPerMonth: 10 } });
    await orm.team.update({ where: { id: teamId }, data: { planId: plan.id } });
    await orm.quotaUsage.create({ data: { teamId, month: new Date('2026-11-01'), used: 10 } });
    await fault();
    await digestAt(TUESDAY);
    const { text } = (await sent()).find(({ to }) => to === 'bob@agency.test')!;
    const panel = 'http://formgate.test/panel';
    expect(text).toContain(
      `acme: All 10 e-mails of the month are used; 0 are held back (new)\n  ${panel}/teams/${teamId}?tab=usage`,
    );
    expect(text).toContain(
      `Contact · acme: 2 texts are not translated (German) (new)\n  ${panel}/forms/${formId}?tab=translations`,
    );
    expect(text).toContain('Installation: ');
    await orm.team.update({ where: { id: teamId }, data: { planId: former } });
  });

  test('that is a day late does not take the place of the next one', async () => {
    await makeDue();
    await fault();
    const wednesday = TUESDAY.getTime() + DAY_MS;
    await digestAt(new Date(wednesday - 3 * 3_600_000));
    expect(await sent()).toHaveLength(2);
    await digestAt(new Date(wednesday));
    expect(await sent()).toHaveLength(2);
  });

  test.each([
    ['at a later time', '09:00', 'Europe/Paris', '2026-11-25T08:00:00Z'],
    ['in a zone further west', '07:30', 'America/New_York', '2026-11-25T12:30:00Z'],
  ])('that is set to be written %s comes once a day, with nothing new', async (_, at, zone, expected) => {
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    await sent();
    const wednesday = new Date(TUESDAY.getTime() + DAY_MS);
    await digestAt(wednesday, at, zone);
    expect(await sent()).toEqual([]);
    const dueAt = new Date(expected);
    expect((await scheduled())?.dueAt).toEqual(dueAt);
    await digestAt(dueAt, at, zone);
    const messages = await sent();
    expect(messages).toHaveLength(2);
    expect(messages[0]!.text).not.toMatch(/\((new|nouveau)\)/);
    expect((await scheduled())?.dueAt).toEqual(new Date(dueAt.getTime() + DAY_MS));
  });

  test('that is set to an earlier time takes nothing for new, except after a day without one', async () => {
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    await sent();
    await digestAt(new Date(TUESDAY.getTime() + DAY_MS), '06:00');
    expect((await sent())[0]!.text).not.toMatch(/\((new|nouveau)\)/);
    expect((await scheduled())?.dueAt).toEqual(new Date('2026-11-26T05:00:00Z'));
    const { senderCheck } = app.services.db.orm;
    await senderCheck.updateMany({ data: { isOk: true } });
    await digestAt(new Date('2026-11-26T05:00:05Z'), '06:00');
    await senderCheck.updateMany({ data: { isOk: false } });
    await digestAt(new Date('2026-11-27T05:00:05Z'), '06:00');
    expect((await sent())[0]!.text).toMatch(/\((new|nouveau)\)/);
  });

  test('is not sent when nothing needs attention, and its day is over all the same', async () => {
    await makeDue();
    await digestAt(TUESDAY);
    await fault();
    await digestAt(new Date(TUESDAY.getTime() + 60_000));
    expect(await sent()).toEqual([]);
  });

  test('of a new installation comes at the next time, not at once', async () => {
    await fault();
    await digestAt(TUESDAY);
    expect(await sent()).toEqual([]);
    expect((await scheduled())?.dueAt).toEqual(new Date('2026-11-25T06:30:00Z'));
  });
});

describe('an alert', () => {
  const watchAt = (now: Date) => createAlerts({ ...app.services, clock: () => now }).run();
  const subjects = async () => (await sent()).map(({ subject }) => subject).sort();

  test('of held e-mails is told once after ten minutes, and its end once', async () => {
    const now = new Date();
    const recordedAt = new Date(now.getTime() - 9 * 60_000);
    const [id = ''] = await recordedLeads(app.services, sites[0]!, 1, recordedAt);
    const { orm } = app.services.db;
    await orm.notification.update({
      where: { submissionId: id },
      data: { createdAt: recordedAt, retryingSince: recordedAt },
    });
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    const later = new Date(now.getTime() + 120_000);
    await Promise.all([watchAt(later), watchAt(later), watchAt(later)]);
    await watchAt(new Date(later.getTime() + 60_000));
    expect(await subjects()).toEqual([
      'Des e-mails de demandes attendent depuis dix minutes',
      'E-mails about leads have been waiting for ten minutes',
    ]);
    await orm.notification.update({ where: { submissionId: id }, data: { state: 'sent' } });
    await Promise.all([watchAt(later), watchAt(later)]);
    expect(await subjects()).toEqual([
      'Over: e-mails about leads are sent again',
      'Terminé : les e-mails des demandes partent de nouveau',
    ]);
    await watchAt(later);
    expect(await subjects()).toEqual([]);
  });

  test('of held e-mails says since when they have waited, and at its end until when', async () => {
    const [id = ''] = await recordedLeads(app.services, sites[0]!, 1, TUESDAY);
    const { orm } = app.services.db;
    const where = { submissionId: id };
    const waiting = { state: 'pending', createdAt: TUESDAY, retryingSince: TUESDAY } as const;
    await orm.notification.update({ where, data: waiting });
    const english = async () => (await sent()).find(({ to }) => to === 'bob@agency.test')?.text;
    const afterMinutes = (minutes: number) => new Date(TUESDAY.getTime() + minutes * 60_000);
    await watchAt(afterMinutes(11));
    expect(await english()).toContain('Since: Tuesday, 24 November 2026 at 07:30 CET\n');
    await orm.notification.update({ where, data: { state: 'sent' } });
    await watchAt(afterMinutes(240));
    expect(await english()).toMatch(/Period: Tuesday, 24 November 2026, 07:30\s?–\s?11:30 CET\n/);
    await orm.notification.update({ where, data: waiting });
    await watchAt(afterMinutes(300));
    expect(await english()).toContain('No worker gets the e-mails');
  });

  const FAILED_STEPS = [{ name: 'page', ok: false, finding: 'page_timeout', detail: null, ms: 1 }];

  /** A probe that ran some minutes before a moment. */
  const probeOf = (site: string, ok: boolean, now: Date, ageMin: number) => ({
    websiteId: site,
    ok,
    steps: ok ? [] : FAILED_STEPS,
    startedAt: new Date(now.getTime() - ageMin * 60_000),
  });

  const FAILING = 'The tests of websites fail, one after the other';
  const PASSING = 'Over: tests of websites reach the gateway again';

  /** Whether `GET /metrics` says that the alert of failing probes is open. */
  async function isOnMetrics(): Promise<boolean> {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${app.url}/metrics`, { headers })).text();
    return text.includes('formgate_open_alerts{alert="probes_failing"} 1');
  }

  test('of failing probes is told when those of all of a few websites have failed', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    const add = (site: string, ok: boolean, ageMin: number) =>
      orm.probe.create({ data: probeOf(site, ok, now, ageMin) });
    for (const site of sites.slice(0, 2)) await add(site, false, 60);
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    await add(sites[2]!, true, 90);
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    await add(sites[2]!, false, 30);
    expect(await isOnMetrics()).toBe(false);
    await watchAt(now);
    expect(await subjects()).toContain(FAILING);
    expect(await isOnMetrics()).toBe(true);
    await add(sites[0]!, true, 5);
    await watchAt(now);
    expect(await subjects()).toContain(PASSING);
    expect(await isOnMetrics()).toBe(false);
  });

  test('of failing probes is not told of pages without the script while all else of their tests passes', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    const rest = ['configuration', 'signature', 'captcha', 'recorded', 'email'];
    const stepsUntil = (failed: string | null, finding: string | null) => [
      ...FAILED_STEPS,
      ...rest.slice(0, failed === null ? rest.length : rest.indexOf(failed) + 1).map((name) => ({
        name,
        ok: name !== failed,
        finding: name === failed ? finding : null,
        detail: null,
        ms: 1,
      })),
    ];
    const add = (site: string, failed: string | null, ageMin: number, finding: string | null = null) =>
      orm.probe.create({
        data: { ...probeOf(site, false, now, ageMin), steps: stepsUntil(failed, finding) },
      });
    for (const site of sites) await add(site, null, 60);
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    // One that still runs says nothing yet.
    for (const site of sites) await orm.probe.create({ data: { ...probeOf(site, false, now, 1), ok: null } });
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    // Nor does one that was broken off after its page.
    for (const site of sites) await add(site, 'recorded', 0.7, 'interrupted');
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    for (const site of sites) await add(site, 'email', 0.5);
    await watchAt(now);
    expect(await subjects()).toContain(FAILING);
    await add(sites[0]!, null, 0.1);
    await watchAt(now);
    expect(await subjects()).toContain(PASSING);
  });

  const stepOf = (name: string, finding: string | null = null) => ({
    name,
    ok: finding === null,
    finding,
    detail: null,
    ms: 1,
  });

  const REFUSED = stepOf('configuration', 'origin_refused');

  test.each([
    ['that have no form yet', [stepOf('page'), stepOf('configuration', 'no_form')]],
    ['that were still disabled', [stepOf('page'), stepOf('configuration', 'website_disabled')]],
    ['whose forms are not filled in', [stepOf('page'), stepOf('configuration', 'fields_not_filled')]],
    ['whose forms refuse the values', [stepOf('page'), stepOf('recorded', 'fields_refused')]],
    ['whose pages are on another host', [stepOf('page', 'page_other_host'), REFUSED]],
  ])('of failing probes neither begins nor ends with websites %s', async (_, steps) => {
    const { orm } = app.services.db;
    const now = new Date();
    const add = (site: string, run: typeof steps, ageMin: number) =>
      orm.probe.create({ data: { ...probeOf(site, false, now, ageMin), steps: run } });
    for (const site of sites) await add(site, steps, 60);
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    await orm.website.updateMany({ where: { id: { in: sites.slice(1) } }, data: { disabled: true } });
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    expect(await isOnMetrics()).toBe(false);
    await add(sites[0]!, [stepOf('page'), REFUSED], 30);
    await watchAt(now);
    expect(await subjects()).toContain(FAILING);
    await add(sites[0]!, steps, 20);
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    expect(await isOnMetrics()).toBe(true);
    await add(sites[0]!, [stepOf('page', 'page_timeout'), stepOf('configuration')], 10);
    await watchAt(now);
    expect(await subjects()).toContain(PASSING);
  });

  test('of probes that fail after the captcha is not ended by those that end there', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    const others = Array.from({ length: 12 }, () => randomUUID());
    await orm.website.createMany({ data: others.map((id) => websiteRow(teamId, id)) });
    const add = (ids: readonly string[], ageMin: number, ...steps: ReturnType<typeof stepOf>[]) =>
      orm.probe.createMany({
        data: ids.map((id) => ({
          ...probeOf(
            id,
            steps.every(({ ok }) => ok),
            now,
            ageMin,
          ),
          steps: [stepOf('page'), ...steps],
        })),
      });
    const partial = [{ ...stepOf('captcha'), finding: 'captcha_not_probed' }];
    try {
      await add(sites, 90, stepOf('captcha'), stepOf('recorded'), stepOf('email', 'mail_refused'));
      await watchAt(now);
      expect(await subjects()).toContain(FAILING);
      // However many they are.
      await add(others, 60, ...partial);
      await watchAt(now);
      expect(await subjects()).toEqual([]);
      await add(sites.slice(1, 2), 50, stepOf('captcha'), stepOf('recorded'), stepOf('email'));
      await watchAt(now);
      expect(await subjects()).toContain(PASSING);
      // Of an outage of the gateway they do say that it is over.
      const later = new Date(now.getTime() + 60_000);
      await add([...sites, ...others], 20, stepOf('configuration', 'gateway_unreachable'));
      await watchAt(later);
      expect(await subjects()).toContain(FAILING);
      await add(others.slice(0, 1), 10, ...partial);
      await watchAt(later);
      expect(await subjects()).toContain(PASSING);
    } finally {
      await orm.website.deleteMany({ where: { id: { in: others } } });
    }
  });

  test('of failing probes is told while it cannot be known whether e-mails are held', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    for (const site of sites) await orm.probe.create({ data: probeOf(site, false, now, 5) });
    await orm.$executeRaw`ALTER TABLE notifications RENAME retrying_since TO lost`;
    try {
      await expect(watchAt(now)).rejects.toThrow('retrying_since');
    } finally {
      await orm.$executeRaw`ALTER TABLE notifications RENAME lost TO retrying_since`;
    }
    expect(await subjects()).toContain(FAILING);
  });

  test('of failing probes is told of the only website that there is', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    await orm.website.updateMany({ where: { id: { in: sites.slice(1) } }, data: { disabled: true } });
    await orm.probe.create({ data: probeOf(sites[0]!, false, now, 5) });
    await watchAt(now);
    expect(await subjects()).toContain(FAILING);
  });

  test('of failing probes takes the websites of two teams where no team has more than half of them', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    const others = Array.from({ length: 4 }, (_, index) => `w${index}.globex.test`);
    await provision(app.services, [team('globex', { websites: others.map((host) => website(host)) })]);
    const { id: globex } = await orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    try {
      await orm.website.create({ data: websiteRow(teamId, randomUUID()) });
      for (const site of sites) await orm.probe.create({ data: probeOf(site, false, now, 5) });
      await watchAt(now);
      expect(await subjects()).toEqual([]);
      const other = await websiteId(app.services, others[0]!);
      await orm.probe.create({ data: probeOf(other, false, now, 1) });
      await watchAt(now);
      expect(await subjects()).toContain(FAILING);
    } finally {
      await orm.website.deleteMany({ where: { OR: [{ teamId: globex }, { teamId, id: { notIn: sites } }] } });
    }
  });

  test('of failing probes is told after ten of many websites, and is over when one passes, not by time', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    const ids = Array.from({ length: 40 }, () => randomUUID());
    await orm.website.createMany({
      data: ids.map((id) => websiteRow(teamId, id)),
    });
    // One after the other, half an hour apart; the last of them the latest.
    await orm.probe.createMany({
      data: ids.map((id, index) => probeOf(id, index < 31, now, (ids.length - index) * 30)),
    });
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    await orm.probe.create({ data: probeOf(ids[0]!, false, now, 10) });
    // A test by hand of one that has failed already.
    await orm.probe.create({ data: probeOf(ids[39]!, false, now, 5) });
    await watchAt(now);
    expect(await subjects()).toContain(FAILING);
    const later = new Date(now.getTime() + 2 * DAY_MS);
    await watchAt(later);
    expect(await subjects()).toEqual([]);
    await orm.probe.create({ data: probeOf(ids[7]!, true, later, 1) });
    await watchAt(later);
    expect(await subjects()).toContain(PASSING);
    await orm.website.deleteMany({ where: { id: { in: ids } } });
  });

  test('of a database that is all but full is told, and its end', async () => {
    isFull = true;
    await watchAt(new Date());
    await watchAt(new Date());
    expect(await subjects()).toContain('The database is full: no lead is recorded');
    isFull = false;
    await watchAt(new Date());
    expect(await subjects()).toContain('Over: the database takes writes again');
  });

  test('is sent before what was written earlier about undelivered leads', async () => {
    await tellUndelivered();
    await tellUndelivered();
    isFull = true;
    await watchAt(new Date());
    const [first, ...others] = (await sent()).map(({ subject }) => subject);
    // Two accounts get it at the same time, each in its language.
    expect(first).toMatch(/^(The database is full: no lead is recorded|La base de données est pleine)/);
    expect(others.length).toBeGreaterThanOrEqual(2);
  });

  test('of a full database is told without a row that it could not take', async () => {
    const { orm } = app.services.db;
    await orm.$executeRaw`
      CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`;
    await orm.$executeRaw`
      CREATE TRIGGER refuse BEFORE INSERT ON open_alerts FOR EACH ROW EXECUTE FUNCTION refuse_row()`;
    isFull = true;
    const alerts = createAlerts(app.services);
    const before = app.sink.messages.length;
    const told = () => app.sink.messages.slice(before).map(({ mail }) => mail.subject);
    busy = 'anna@agency.test';
    await alerts.run();
    expect(told()).toEqual(['The database is full: no lead is recorded']);
    busy = null;
    await alerts.run();
    await alerts.run();
    expect(told().sort()).toEqual([
      'La base de données est pleine : aucune demande n’est enregistrée',
      'The database is full: no lead is recorded',
    ]);
    await orm.$executeRaw`DROP TRIGGER refuse ON open_alerts`;
    isFull = false;
    busy = 'bob@agency.test';
    await alerts.run();
    expect(told()).toHaveLength(3);
    busy = null;
    await alerts.run();
    await alerts.run();
    expect(told()).toHaveLength(4);
    expect(told()).toContain('Over: the database takes writes again');
  });
});
