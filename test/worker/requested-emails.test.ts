import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { reconcile } from '../../src/notifications/reconcile.js';
import { createClaims } from '../../src/notifications/submission-email/claims.js';
import type { AttemptRecord } from '../../src/notifications/submission-email/claims.queries.js';
import { REQUESTED_EMAILS } from '../../src/notifications/submission-email/email-source.queries.js';
import { quotaMonth } from '../../src/plans/quota.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { eventually } from '../support/wait.js';

const QUOTA = 10;

let app: TestApp;
let site: string;
let teamId: number;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  await provision(app.services, [team('acme', { plan: 'small' })], {
    code: 'small',
    name: 'Small',
    notifications_per_month: QUOTA,
  });
  site = await websiteId(app.services, 'www.acme.test');
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});

beforeEach(async () => {
  const { db } = app.services;
  await db.orm.quotaNotice.deleteMany();
  await db.orm.submission.deleteMany();
  await db.orm.quotaUsage.deleteMany();
});

afterAll(() => app?.close());

const forward = (id: string, address = 'a@partner.test') =>
  app.services.requestedEmails.forward({ id, teamId }, { recipients: [address], note: null }, TEST_ACTOR);

const used = async (month = quotaMonth(new Date())) =>
  (await app.services.db.orm.quotaUsage.findUnique({ where: { teamId_month: { teamId, month } } }))?.used;

const requested = () => app.services.db.orm.requestedEmail.findMany({ include: { attemptLog: true } });

const allEnded = () =>
  eventually(async () => {
    const rows = await requested();
    return rows.every(({ state }) => state !== 'pending') && rows;
  });

test('requests and submissions together use exactly the quota, and the owners are told', async () => {
  const leads = await recordedLeads(app.services, site, QUOTA * 2);
  const { notifications, db } = app.services;
  const forwarding = async () => {
    const outcomes = [];
    // The panel has a few connections, for which a request waits briefly.
    for (let at = 0; at < leads.length; at += 4) {
      outcomes.push(...(await Promise.all(leads.slice(at, at + 4).map((id) => forward(id)))));
    }
    return outcomes;
  };
  const [outcomes] = await Promise.all([
    forwarding(),
    Promise.all(leads.map((id) => notifications.send(id))),
  ]);
  const handedOver = outcomes.filter((one) => one?.outcome === 'handed_over');
  const rows = await allEnded();
  expect(rows).toHaveLength(handedOver.length);
  expect(rows.every(({ state }) => state === 'sent')).toBe(true);
  const sent = await eventually(async () => {
    const states = await db.orm.notification.findMany({ where: { submissionId: { in: leads } } });
    return states.every(({ state }) => state !== 'pending') && states.filter(({ state }) => state === 'sent');
  });
  expect(handedOver.length + sent.length).toBe(QUOTA);
  expect(await used()).toBe(QUOTA);
  expect(outcomes.filter((one) => one?.outcome === 'quota_used_up')).toHaveLength(
    2 * QUOTA - handedOver.length,
  );
  const notices = await db.orm.quotaNotice.findMany();
  expect(notices.map(({ percent }) => percent)).toContain(100);
});

test('four fifths and the whole of a quota are noticed once each', async () => {
  const leads = await recordedLeads(app.services, site, QUOTA + 1);
  const percents = async () =>
    (await app.services.db.orm.quotaNotice.findMany({ orderBy: { percent: 'asc' } })).map(
      ({ percent }) => percent,
    );
  for (const [index, id] of leads.entries()) {
    await forward(id);
    expect(await percents()).toEqual([...(index >= 7 ? [80] : []), ...(index >= 9 ? [100] : [])]);
  }
  expect(await used()).toBe(QUOTA);
});

test('a request takes a unit of the month in which it is made, whatever the month of the submission', async () => {
  const past = new Date('2026-01-15T12:00:00.000Z');
  const [id = ''] = await recordedLeads(app.services, site, 1, past);
  expect(await forward(id)).toMatchObject({ outcome: 'handed_over' });
  await allEnded();
  expect([await used(), await used(quotaMonth(past))]).toEqual([1, undefined]);
});

test('a requested e-mail that is handed over many times is sent once', async () => {
  const { notifications } = app.services;
  const [id = ''] = await recordedLeads(app.services, site, 1);
  const before = app.sink.messages.length;
  const one = await forward(id);
  if (one?.outcome !== 'handed_over') throw new Error('It was not handed over.');
  for (let again = 0; again < 20; again++) notifications.handOverRequested([one.id]);
  await Promise.all(Array.from({ length: 20 }, () => notifications.sendRequested(one.id)));
  await reconcile(app.services);
  const [row] = await allEnded();
  await notifications.settled();
  expect(row).toMatchObject({ attempts: 1, attemptLog: [{ outcome: 'sent' }] });
  expect(app.sink.messages).toHaveLength(before + 1);
});

test('a claim of a requested e-mail that was overtaken changes nothing but who has the e-mail', async () => {
  const { db, log } = app.services;
  const claims = createClaims({ db, log, source: REQUESTED_EMAILS });
  const [submissionId = ''] = await recordedLeads(app.services, site, 1);
  // Claimed before any worker sees it.
  const { id } = await db.orm.requestedEmail.create({
    data: {
      submissionId,
      kind: 'forwarded',
      recipients: ['a@partner.test', 'b@partner.test'],
      id: '0198c2a4-7c1a-7000-8000-0000000000aa',
      nextAttemptAt: new Date(Date.now() - 500),
    },
  });
  const first = await claims.take(id);
  expect(first).toMatchObject({ submissionId, addressed: ['a@partner.test', 'b@partner.test'] });
  expect(await claims.take(id)).toBeNull();
  claims.release(first!);
  await db.orm.requestedEmail.update({ where: { id }, data: { nextAttemptAt: new Date(0) } });
  const second = await claims.take(id);
  const ended: AttemptRecord = {
    outcome: 'deferred',
    smtpCode: 450,
    detail: '',
    recipients: ['a@partner.test', 'b@partner.test'],
    accepted: ['a@partner.test'],
    refused: [],
    startedAt: new Date(),
    finishedAt: new Date(),
  };
  await claims.record(first!, ended, true);
  expect(await db.orm.requestedEmail.findUnique({ where: { id } })).toMatchObject({
    state: 'pending',
    retries: 0,
    deliveredTo: ['a@partner.test'],
  });
  const sent: AttemptRecord = { ...ended, outcome: 'sent', smtpCode: 250, accepted: ['b@partner.test'] };
  expect(await claims.record(second!, sent, false)).toBe('sent');
  claims.release(second!);
});

test('an e-mail of a submission that is deleted meanwhile is neither sent nor counted', async () => {
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await app.services.db.orm.submission.delete({ where: { id } });
  expect(await forward(id)).toBeNull();
  expect(await used()).toBeUndefined();
});

test('an e-mail has the values of fields that the form no longer has, and answers go to the visitor', async () => {
  const { services, sink } = app;
  const [id = ''] = await recordedLeads(services, site, 1);
  const field = (name: string, type: string) => ({ name, type, label: `Libellé ${name}` });
  await provision(
    services,
    [
      team('acme', {
        plan: 'small',
        forms: [contactForm({ fields: [field('courriel', 'email')], translations: {} })],
      }),
    ],
    { code: 'small', name: 'Small', notifications_per_month: QUOTA },
  );
  services.changeFeed.expire();
  await forward(id);
  const { mail } = await sink.waitFor(({ raw }) => raw.includes(id));
  expect(mail.text).toContain('\n\nemail\u00a0: v@x.test\n');
  expect(mail.replyTo).toEqual([{ name: '', address: 'v@x.test' }]);
});
