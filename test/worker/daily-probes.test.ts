import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readAttention } from '../../src/attention/attention.service.js';
import type { AttentionKind } from '../../src/attention/attention-item.js';
import { createProbeSchedule } from '../../src/probes/schedule/probe-schedule.js';
import { scheduleNewWebsites, takeDueWebsite } from '../../src/probes/schedule/probe-schedule.queries.js';
import type { TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { pageWithScript, type ServedPage, servePage, startProbingApp } from '../support/probed.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let page: ServedPage;
let id: string;

beforeAll(async () => {
  app = await startProbingApp({ env: { PROBE_MAILBOX: 'probes@agency.test' } });
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

const attention = (kinds: AttentionKind[], now = new Date()) =>
  readAttention(app.services.db, { teamIds: null, kinds, now });

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
  await db.orm.website.createMany({
    data: ids.map((one) => ({
      ...{ id: one, teamId, name: one, host: `${one}.test`, url: `https://${one}.test` },
      ...{ locale: 'fr', email: 'a@b.test', signatureKeyCipher: Buffer.from('x') },
    })),
  });
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
  expect(await takeDueWebsite(db, now)).toMatchObject({ id, host: page.host });
  expect(await takeDueWebsite(db, now)).toBeNull();
  expect(await takeDueWebsite(db, new Date(now.getTime() + 301_000))).toMatchObject({ id });
});

test('a disabled website is not probed, nor one of a suspended team', async () => {
  const { db } = app.services;
  await makeDue();
  await db.orm.website.update({ where: { id }, data: { disabled: true } });
  expect(await takeDueWebsite(db, new Date())).toBeNull();
  await db.orm.website.update({ where: { id }, data: { disabled: false } });
  await db.orm.team.updateMany({ data: { active: false } });
  expect(await takeDueWebsite(db, new Date())).toBeNull();
  await db.orm.team.updateMany({ data: { active: true } });
  expect(await takeDueWebsite(db, new Date())).toMatchObject({ id });
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
      { kind: 'PAGE_WITHOUT_SCRIPT', severity: 'URGENT', websiteId: id, facts: { failures: 2 } },
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
    expect(await severityAt(-1)).toEqual([['CERTIFICATE_EXPIRING', 'URGENT', -1]]);
  });
});
