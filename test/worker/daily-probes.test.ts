import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAttention } from '../../src/attention/attention.service.js';
import type { AttentionKind } from '../../src/attention/attention-item.js';
import { createProbeSchedule } from '../../src/probes/schedule/probe-schedule.js';
import {
  findDueWebsites,
  scheduleNewWebsites,
  takeDueWebsite,
} from '../../src/probes/schedule/probe-schedule.queries.js';
import type { TestApp } from '../support/app.js';
import { attentionOf } from '../support/attention.js';
import { contactForm, provision, team, website, websiteId, websiteRow } from '../support/factories.js';
import { pageWithScript, type ServedPage, servePage, startProbingApp } from '../support/probed.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let page: ServedPage;
let id: string;

beforeAll(async () => {
  app = await startProbingApp({
    env: { PROBE_MAILBOX: 'probes@agency.test', ALTCHA_MAX_NUMBER: '1000' },
    // The worker would take the probe that is due before the test does.
    workerServices: { probeSchedule: { run: async () => {} } },
  });
  page = await servePage();
  const forms = [{ slug: 'contact', enabled: true }];
  const site = website(page.host, { url: `http://${page.host}/`, email: 'hello@acme.test', forms });
  await provision(app.services, [team('acme', { forms: [contactForm()], websites: [site] })]);
  id = await websiteId(app.services, page.host);
});

beforeEach(async () => {
  const { db, changeFeed } = app.services;
  page.answer.html = pageWithScript(app.url, id);
  await db.orm.probe.deleteMany();
  await db.orm.scheduledProbe.deleteMany();
  await db.orm.website.updateMany({ data: { disabled: false } });
  changeFeed.expire();
});

afterAll(async () => {
  await app?.close();
  await page?.close();
});

/** The schedule of a worker, as of a moment. */
const scheduleAt = (now: Date) => createProbeSchedule({ ...app.services, clock: () => now });

const dueAt = async () => (await app.services.db.orm.scheduledProbe.findFirst())?.dueAt;

const makeDue = (at = new Date(Date.now() - 60_000)) =>
  app.services.db.orm.scheduledProbe.upsert({
    where: { websiteId: id },
    create: { websiteId: id, dueAt: at },
    update: { dueAt: at },
  });

const probes = () => app.services.db.orm.probe.findMany({ where: { websiteId: id } });

const attention = (kinds: AttentionKind[], now = new Date()) => attentionOf(app.services, { kinds, now });

test('a new website is probed within a day, an hour after it was seen at the earliest, at a time of its own', async () => {
  const now = new Date('2026-11-24T12:00:00Z');
  await scheduleAt(now).run();
  const first = (await dueAt())!;
  expect(first.getTime()).toBeGreaterThan(now.getTime() + HOUR_MS);
  expect(first.getTime()).toBeLessThanOrEqual(now.getTime() + HOUR_MS + DAY_MS);
  expect(await probes()).toEqual([]);
  const ids = Array.from({ length: 500 }, () => randomUUID());
  const { db } = app.services;
  const { teamId } = await db.orm.website.findUniqueOrThrow({ where: { id } });
  await db.orm.website.createMany({ data: ids.map((one) => websiteRow(teamId, one)) });
  await scheduleNewWebsites(db, now);
  const due = await db.orm.scheduledProbe.findMany({ where: { websiteId: { in: ids } } });
  const hours = new Map<number, number>();
  for (const row of due) {
    const hour = row.dueAt.getUTCHours();
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  expect(due).toHaveLength(500);
  expect(hours.size).toBe(24);
  expect(Math.max(...hours.values())).toBeLessThan(60);
  await db.orm.website.deleteMany({ where: { id: { in: ids } } });
});

test('a probe that is due runs through to its e-mail, and is due again at its time of the next day', async () => {
  await scheduleAt(new Date()).run();
  const slot = (await dueAt())!.getTime() % DAY_MS;
  await makeDue();
  await scheduleAt(new Date()).run();
  expect(await probes()).toMatchObject([{ ok: true, finishedAt: expect.any(Date) }]);
  const next = (await dueAt())!;
  expect(next.getTime() % DAY_MS).toBe(slot);
  expect(next.getTime()).toBeGreaterThan(Date.now());
  expect(next.getTime()).toBeLessThanOrEqual(Date.now() + DAY_MS);
  const sent = await app.sink.waitFor(({ recipients }) => recipients.includes('probes@agency.test'));
  expect(sent.recipients).toEqual(['probes@agency.test']);
});

test('several workers at once run a probe that is due once', async () => {
  await makeDue();
  await Promise.all(Array.from({ length: 4 }, () => scheduleAt(new Date()).run()));
  expect(await probes()).toHaveLength(1);
});

test('what a killed worker began is due again five minutes later', async () => {
  await makeDue();
  const { db } = app.services;
  const now = new Date();
  expect(await takeDueWebsite(db, id, now)).toMatchObject({ id, host: page.host });
  expect(await takeDueWebsite(db, id, now)).toBeNull();
  expect(await findDueWebsites(db, now, 20)).toEqual([]);
  const later = new Date(now.getTime() + 301_000);
  expect(await findDueWebsites(db, later, 20)).toEqual([id]);
  expect(await takeDueWebsite(db, id, later)).toMatchObject({ id });
});

test('many that are due at once stay within what one address may ask of the gateway in a minute', async () => {
  const { services } = app;
  const [, port] = page.host.split(':');
  const hosts = Array.from({ length: 31 }, (_, number) => `127.0.0.${number + 10}:${port}`);
  const forms = [{ slug: 'contact', enabled: true }];
  const websites = hosts.map((host) =>
    website(host, { url: `http://${host}/`, email: 'hello@many.test', forms }),
  );
  await provision(services, [team('many', { forms: [contactForm()], websites })]);
  const { orm } = services.db;
  const many = await orm.website.findMany({ where: { host: { in: hosts } } });
  await orm.scheduledProbe.createMany({
    data: many.map((one) => ({ websiteId: one.id, dueAt: new Date(Date.now() - 60_000) })),
  });
  await scheduleAt(new Date()).run();
  const run = await orm.probe.findMany();
  const findings = run.flatMap(({ steps }) =>
    (steps as { finding: string | null }[]).map((one) => one.finding),
  );
  expect(run.length).toBeGreaterThan(0);
  // Calls to these pages are not opened, and the rest of each probe is as it should be.
  expect(new Set(findings)).toEqual(new Set(['page_not_public', null]));
  expect(await orm.scheduledProbe.count({ where: { dueAt: { lt: new Date() } } })).toBe(31 - run.length);
  await orm.team.update({ where: { slug: 'many' }, data: { active: false } });
});

test('a disabled website is not probed, nor one of a suspended team', async () => {
  const { db } = app.services;
  const due = async () => [
    await findDueWebsites(db, new Date(), 20),
    await takeDueWebsite(db, id, new Date()),
  ];
  await makeDue();
  await db.orm.website.update({ where: { id }, data: { disabled: true } });
  expect(await due()).toEqual([[], null]);
  await db.orm.website.update({ where: { id }, data: { disabled: false } });
  await db.orm.team.updateMany({ data: { active: false } });
  expect(await due()).toEqual([[], null]);
  await db.orm.team.updateMany({ data: { active: true } });
  expect(await due()).toEqual([[id], expect.objectContaining({ id })]);
});

test('a team with more due than a run takes delays no probe of another team', async () => {
  const { services } = app;
  const hosts = Array.from({ length: 25 }, (_, number) => `site-${number}.crowd.test`);
  const forms = [{ slug: 'contact', enabled: true }];
  const websites = hosts.map((host) => website(host, { email: 'hello@crowd.test', forms }));
  await provision(services, [team('crowd', { forms: [contactForm()], websites })]);
  const { orm } = services.db;
  const crowd = await orm.website.findMany({ where: { host: { in: hosts } } });
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await orm.scheduledProbe.createMany({
    data: crowd.map((one, number) => ({ websiteId: one.id, dueAt: minutesAgo(100 + number) })),
  });
  await makeDue(minutesAgo(1));
  const due = await findDueWebsites(services.db, new Date(), 20);
  expect(due).toHaveLength(20);
  expect(due.slice(0, 2)).toEqual([crowd[24]!.id, id]);
  expect(due.slice(2)).toEqual(
    crowd
      .slice(6, 24)
      .map((one) => one.id)
      .toReversed(),
  );
  await orm.team.update({ where: { slug: 'crowd' }, data: { active: false } });
});

describe('the day', () => {
  const late = async (now: Date, teamIds: number[] | null = null) =>
    (await createAttention({ ...app.services, clock: () => now }).today({ teamIds })).areProbesLate;

  test('says that tests are late when one is due and none has ended for more than a day', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    const hoursAgo = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
    const { teamId } = await orm.website.findUniqueOrThrow({ where: { id } });
    await orm.website.update({ where: { id }, data: { createdAt: hoursAgo(100) } });
    await makeDue(hoursAgo(2));
    const { id: probeId } = await orm.probe.create({
      data: { websiteId: id, ok: true, startedAt: hoursAgo(25), finishedAt: hoursAgo(25) },
    });
    expect(await late(now)).toBe(false);
    await orm.probe.update({ where: { id: probeId }, data: { startedAt: hoursAgo(27) } });
    expect(await late(now)).toBe(true);
    expect(await late(now, [teamId])).toBe(true);
    expect(await late(now, [teamId + 1_000])).toBe(false);
    await orm.probe.create({ data: { websiteId: id, ok: false, startedAt: hoursAgo(1), steps: [] } });
    expect(await late(now)).toBe(true);
    await makeDue(new Date(now.getTime() + 12 * HOUR_MS));
    expect(await late(now)).toBe(false);
    await makeDue(hoursAgo(2));
    await orm.website.update({ where: { id }, data: { disabled: true } });
    expect(await late(now)).toBe(false);
    await orm.website.update({ where: { id }, data: { disabled: false } });
    expect(await late(now)).toBe(true);
    await scheduleAt(now).run();
    expect(await late(now)).toBe(false);
  });

  test('says nothing of a new website, whose first test has time', async () => {
    const { orm } = app.services.db;
    await orm.website.update({ where: { id }, data: { createdAt: new Date(Date.now() - 20 * HOUR_MS) } });
    await makeDue();
    expect(await late(new Date())).toBe(false);
  });
});

describe('attention', () => {
  const KINDS: AttentionKind[] = ['PROBE_FAILED', 'PAGE_WITHOUT_SCRIPT', 'CERTIFICATE_EXPIRING'];

  /** Runs the daily probe once more. */
  async function probe(): Promise<void> {
    await makeDue();
    await scheduleAt(new Date()).run();
  }

  test('has a page without its script after two failures in a row, until a probe passes', async () => {
    page.answer.html = '<title>Contact</title>';
    await probe();
    expect(await attention(KINDS)).toEqual([]);
    await probe();
    expect(await attention(KINDS)).toMatchObject([
      {
        kind: 'PAGE_WITHOUT_SCRIPT',
        severity: 'URGENT',
        websiteId: id,
        facts: { failures: 2, finding: 'page_without_script' },
      },
    ]);
    page.answer.html = pageWithScript(app.url, randomUUID());
    await probe();
    expect(await attention(KINDS)).toMatchObject([
      { kind: 'PAGE_WITHOUT_SCRIPT', facts: { failures: 3, finding: 'page_other_website' } },
    ]);
    page.answer.html = pageWithScript(app.url, id);
    await probe();
    expect(await attention(KINDS)).toEqual([]);
  });

  test('names the step at which a probe fails', async () => {
    page.answer.status = 500;
    await probe();
    await probe();
    page.answer.status = 200;
    expect(await attention(KINDS)).toMatchObject([
      { kind: 'PROBE_FAILED', facts: { failures: 2, step: 'page', finding: 'page_status' } },
    ]);
  });

  test('counts the failures since the last probe that passed, however long ago that was', async () => {
    const { db } = app.services;
    const now = new Date();
    const steps = [{ name: 'page', ok: false, finding: 'page_timeout', detail: null, ms: 1 }];
    const broken = [{ ...steps[0]!, finding: 'interrupted' }];
    const runAt = (days: number) => new Date(now.getTime() - days * DAY_MS);
    await db.orm.probe.createMany({
      data: [
        { websiteId: id, ok: false, steps, startedAt: runAt(42) },
        { websiteId: id, ok: true, startedAt: runAt(41) },
        ...Array.from({ length: 40 }, (_, index) => ({
          websiteId: id,
          ok: false,
          steps,
          startedAt: runAt(40 - index),
        })),
        { websiteId: id, ok: false, steps: broken, startedAt: now },
      ],
    });
    expect(await attention(KINDS, now)).toMatchObject([
      { kind: 'PROBE_FAILED', since: runAt(40), facts: { failures: 40, step: 'page' } },
    ]);
  });

  test('has what else fails on a page without its script, each with its own row of failures', async () => {
    const { orm } = app.services.db;
    const script = { name: 'page', ok: false, finding: 'page_without_script', detail: null, ms: 1 };
    const email = { name: 'email', ok: false, finding: 'email_refused', detail: null, ms: 1 };
    const runAt = (days: number) => new Date(Date.now() - days * DAY_MS);
    const probeOf = (days: number, ...steps: (typeof script)[]) => ({
      websiteId: id,
      ok: false,
      steps,
      startedAt: runAt(days),
    });
    const since = [9, 8, 7, 2, 1].map((days) => probeOf(days, script, ...(days < 3 ? [email] : [])));
    await orm.probe.createMany({ data: since });
    const ofScript = { kind: 'PAGE_WITHOUT_SCRIPT', since: since[0]!.startedAt, facts: { failures: 5 } };
    const ofRest = {
      kind: 'PROBE_FAILED',
      since: since[3]!.startedAt,
      facts: { failures: 2, step: 'email', finding: 'email_refused' },
    };
    const sorted = async () =>
      (await attention(KINDS)).toSorted((one, other) => one.kind.localeCompare(other.kind));
    expect(await sorted()).toMatchObject([ofScript, ofRest]);
    // The next test has failed so far, and goes on.
    await orm.probe.create({ data: { websiteId: id, steps: [script], startedAt: new Date() } });
    expect(await sorted()).toMatchObject([ofScript, ofRest]);
    await orm.probe.deleteMany({ where: { ok: null } });
    await orm.probe.create({ data: probeOf(0.1, email) });
    expect(await sorted()).toMatchObject([{ ...ofRest, facts: { failures: 3 } }]);
  });

  test('has failures in a row of different causes', async () => {
    const { orm } = app.services.db;
    const stepOf = (name: string, finding: string) => ({ name, ok: false, finding, detail: null, ms: 1 });
    const page = { name: 'page', ok: true, finding: null, detail: null, ms: 1 };
    const [script, away] = ['page_without_script', 'page_status'].map((finding) => stepOf('page', finding));
    const email = stepOf('email', 'email_refused');
    const listedAfter = async (...probes: unknown[][]) => {
      const rows = probes.map((steps, index) => ({
        websiteId: id,
        ok: false,
        steps: steps as object[],
        startedAt: new Date(Date.now() - (probes.length - index) * DAY_MS),
      }));
      await orm.probe.createMany({ data: rows });
      const items = await attention(KINDS);
      await orm.probe.deleteMany();
      return items.map(({ kind, facts: { failures, finding } }) => [kind, failures, finding]);
    };
    // A page that does not open may still lack its script.
    expect(await listedAfter([away], [script])).toEqual([['PAGE_WITHOUT_SCRIPT', 2, 'page_without_script']]);
    expect(await listedAfter([script], [away])).toEqual([['PROBE_FAILED', 2, 'page_status']]);
    expect(await listedAfter([script], [script], [away])).toEqual([
      ['PAGE_WITHOUT_SCRIPT', 2, 'page_without_script'],
    ]);
    expect(await listedAfter([script], [page, email])).toEqual([['PROBE_FAILED', 2, 'email_refused']]);
    expect(await listedAfter([script], [script], [page, email])).toEqual([
      ['PROBE_FAILED', 3, 'email_refused'],
    ]);
    expect(await listedAfter([page, email])).toEqual([]);
  });

  test('ranks websites whose probes failed because the mail server was away below the others', async () => {
    const steps = [{ name: 'email', ok: false, finding: 'mail_server_away', detail: null, ms: 1 }];
    const failed = { websiteId: id, ok: false, steps };
    await app.services.db.orm.probe.createMany({
      data: [failed, { ...failed, startedAt: new Date(Date.now() - DAY_MS) }],
    });
    const facts = { failures: 2, step: 'email', finding: 'mail_server_away' };
    expect(await attention(KINDS)).toMatchObject([{ kind: 'PROBE_FAILED', severity: 'WARNING', facts }]);
  });

  test('leaves out probes that were broken off or are still running', async () => {
    const { db } = app.services;
    const broken = { name: 'page', ok: false, finding: 'interrupted', detail: null, ms: 1 };
    const startedAt = new Date();
    await db.orm.probe.createMany({
      data: [
        { websiteId: id, ok: false, steps: [broken], startedAt },
        { websiteId: id, ok: false, steps: [], startedAt },
        { websiteId: id, ok: null, steps: [], startedAt },
      ],
    });
    expect(await attention(KINDS)).toEqual([]);
  });

  test('warns of a certificate that ends within 14 days, urgently in its last three', async () => {
    const { db } = app.services;
    const now = Date.now();
    const severityAt = async (days: number) => {
      await db.orm.probe.deleteMany();
      const certificateExpiresAt = new Date(now + days * DAY_MS);
      await db.orm.probe.create({ data: { websiteId: id, ok: true, certificateExpiresAt } });
      return (await attention(KINDS, new Date(now))).map(({ kind, severity, facts }) => [
        kind,
        severity,
        facts.days,
      ]);
    };
    expect(await severityAt(14.5)).toEqual([]);
    expect(await severityAt(13.5)).toEqual([['CERTIFICATE_EXPIRING', 'WARNING', 13]]);
    expect(await severityAt(2.5)).toEqual([['CERTIFICATE_EXPIRING', 'URGENT', 2]]);
    expect(await severityAt(0.5)).toEqual([['CERTIFICATE_EXPIRING', 'URGENT', 0]]);
    expect(await severityAt(-1)).toEqual([['CERTIFICATE_EXPIRING', 'URGENT', -1]]);
  });

  test('warns of a certificate while the page fails, and no longer once it is seen over http', async () => {
    const { db } = app.services;
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const kinds = async () => (await attention(['CERTIFICATE_EXPIRING'])).map(({ kind }) => kind);
    const certificateExpiresAt = new Date(Date.now() + 2 * DAY_MS);
    await db.orm.probe.create({ data: { websiteId: id, ok: true, startedAt: at(30), certificateExpiresAt } });
    const page = { name: 'page', ok: false, finding: 'page_timeout', detail: null, ms: 1 };
    await db.orm.probe.create({ data: { websiteId: id, ok: false, startedAt: at(20), steps: [page] } });
    expect(await kinds()).toEqual(['CERTIFICATE_EXPIRING']);
    const passed = { ...page, ok: true, finding: null, detail: 'http://www.acme.test/' };
    await db.orm.probe.create({ data: { websiteId: id, ok: true, startedAt: at(10), steps: [passed] } });
    expect(await kinds()).toEqual([]);
  });
});
