import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { reconcile } from '../../src/notifications/reconcile.js';
import { createClaims } from '../../src/notifications/submission-email/claims.js';
import type { AttemptRecord } from '../../src/notifications/submission-email/claims.queries.js';
import { NOTIFICATIONS } from '../../src/notifications/submission-email/email-source.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { begin } from '../support/begin.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const smtp: SinkBehaviour = {};
let app: TestApp;
/** Begins early, as a claim is renewed every four seconds. */
let unrenewed: ReturnType<typeof loseRenewal>;

beforeAll(async () => {
  app = await startTestApp({ worker: true, smtp });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('good.test', { email: 'desk@good.test' }),
        website('bad.test', { email: 'desk@bad.test' }),
        website('many.test', {
          forms: [
            { slug: 'contact', recipients: ['a@many.test', 'b@many.test', 'c@many.test', 'd@many.test'] },
          ],
        }),
      ],
    }),
  ]);
  unrenewed = begin(loseRenewal);
});

beforeEach(() => {
  delete smtp.mail;
  delete smtp.rcpt;
});

afterAll(() => app?.close());

async function lead(host: string): Promise<string> {
  const [id = ''] = await recordedLeads(app.services, await websiteId(app.services, host), 1);
  app.services.notifications.handOver(id);
  return id;
}

const twoDaysAgo = () => new Date(Date.now() - 49 * 3_600_000);

const find = (submissionId: string) =>
  app.services.db.orm.notification.findUniqueOrThrow({
    where: { submissionId },
    include: { attemptLog: true },
  });

type Row = Awaited<ReturnType<typeof find>>;

const reaches = (id: string, condition: (row: Row) => boolean) =>
  eventually(async () => {
    const row = await find(id);
    return condition(row) && row;
  });

/** Ends the pause of a notification, and looks for what is due as the worker does every two seconds. */
async function again(submissionId: string): Promise<void> {
  const data = { nextAttemptAt: new Date(0) };
  await app.services.db.orm.notification.update({ where: { submissionId }, data });
  await reconcile(app.services);
}

const onlyBad = (reply: string) => (address: string) => (address.endsWith('@bad.test') ? reply : null);

test('a message refused with 5xx fails at once, and can be sent again', async () => {
  smtp.rcpt = onlyBad('550 5.1.1 No such user');
  const id = await lead('bad.test');
  const failed = await reaches(id, ({ state }) => state === 'failed');
  expect(failed).toMatchObject({ attempts: 1, attemptLog: [{ outcome: 'failed', smtpCode: 550 }] });

  delete smtp.rcpt;
  const { notifications } = app.services;
  expect([...(await notifications.sendAgain([id], TEST_ACTOR)).reopened]).toEqual([id]);
  const sent = await reaches(id, ({ state }) => state === 'sent');
  expect(sent.attemptLog).toHaveLength(2);
  expect([...(await notifications.sendAgain([id], TEST_ACTOR)).reopened]).toEqual([]);
  expect([
    ...(await notifications.sendAgain(['0198c2a4-7c1a-7000-8000-000000000001'], TEST_ACTOR)).reopened,
  ]).toEqual([]);
});

test('a message refused with 4xx waits for its retry while others are sent', async () => {
  smtp.rcpt = onlyBad('450 4.7.1 Greylisted');
  const id = await lead('bad.test');
  const deferred = await reaches(id, ({ retries }) => retries === 1);
  expect(deferred).toMatchObject({ state: 'pending', attemptLog: [{ outcome: 'deferred', smtpCode: 450 }] });
  expect(deferred.nextAttemptAt.getTime()).toBeGreaterThan(Date.now() + 3_000);
  await reaches(await lead('good.test'), ({ state }) => state === 'sent');
  delete smtp.rcpt;
  await again(id);
  await reaches(id, ({ state }) => state === 'sent');
});

describe('a message to several recipients', () => {
  const PEOPLE = ['a', 'b', 'c', 'd'].map((name) => `${name}@many.test`);
  const [A = '', B = '', C = '', D = ''] = PEOPLE;

  const copies = (id: string) => app.sink.messages.filter(({ raw }) => raw.includes(id));
  const addressed = ({ attemptLog }: Row) =>
    [...attemptLog].sort((a, b) => a.number - b.number).map(({ recipients }) => recipients);

  test('reaches each once: only deferred ones are retried, and refused ones are recorded', async () => {
    const replies = new Map([
      [B, '450 4.2.2 Mailbox full'],
      [C, '550 5.1.1 No such user'],
      [D, '451 4.7.1 Greylisted'],
    ]);
    smtp.rcpt = (address) => replies.get(address) ?? null;
    const id = await lead('many.test');
    const first = await reaches(id, ({ retries }) => retries === 1);
    expect(first).toMatchObject({
      state: 'pending',
      deliveredTo: [A],
      refused: [C],
      attemptLog: [{ outcome: 'deferred', smtpCode: 450, detail: expect.stringContaining('550 5.1.1') }],
    });

    replies.delete(B);
    await again(id);
    await reaches(id, ({ retries }) => retries === 2);
    replies.set(D, '550 5.7.1 Never');
    await again(id);
    const last = await reaches(id, ({ state }) => state !== 'pending');
    expect(last).toMatchObject({ state: 'sent', deliveredTo: [A, B], refused: [C, D], attempts: 3 });
    expect(addressed(last)).toEqual([PEOPLE, [B, D], [D]]);
    expect(copies(id).map(({ recipients }) => recipients)).toEqual([[A], [B]]);
    const [original, repeat] = copies(id).map(({ raw }) => raw);
    expect(repeat!.equals(original!)).toBe(true);
    expect([...(await app.services.notifications.sendAgain([id], TEST_ACTOR)).reopened]).toEqual([]);
  });

  test('fails when every recipient is refused, and is sent again to all', async () => {
    smtp.rcpt = (address) => (address === B ? '450 4.2.2 Mailbox full' : '550 5.1.1 No such user');
    const id = await lead('many.test');
    expect(await reaches(id, ({ retries }) => retries === 1)).toMatchObject({
      state: 'pending',
      deliveredTo: [],
      refused: [A, C, D],
    });
    smtp.rcpt = () => '550 5.1.1 No such user';
    await again(id);
    const failed = await reaches(id, ({ state }) => state === 'failed');
    expect(addressed(failed)).toEqual([PEOPLE, [B]]);
    expect(failed.refused).toEqual(PEOPLE);

    delete smtp.rcpt;
    expect([...(await app.services.notifications.sendAgain([id], TEST_ACTOR)).reopened]).toEqual([id]);
    const sent = await reaches(id, ({ state }) => state === 'sent');
    expect(sent).toMatchObject({ deliveredTo: PEOPLE, refused: [] });
    expect(copies(id).map(({ recipients }) => recipients)).toEqual([PEOPLE]);
  });

  test('gives up a recipient deferred for two days, and is `sent` if another has it', async () => {
    smtp.rcpt = (address) => (address === B ? '450 4.2.2 Mailbox full' : null);
    const [id = ''] = await recordedLeads(app.services, await websiteId(app.services, 'many.test'), 1);
    await app.services.db.orm.notification.update({
      where: { submissionId: id },
      data: { retries: 1, retryingSince: twoDaysAgo() },
    });
    await app.services.notifications.send(id);
    expect(await find(id)).toMatchObject({ state: 'sent', deliveredTo: [A, C, D], refused: [B] });
  });
});

test('a message fails after two days of temporary failures', async () => {
  smtp.rcpt = onlyBad('450 4.7.1 Greylisted');
  const [id = ''] = await recordedLeads(app.services, await websiteId(app.services, 'bad.test'), 1);
  await app.services.db.orm.notification.update({
    where: { submissionId: id },
    data: { retries: 1, retryingSince: twoDaysAgo() },
  });
  await app.services.notifications.send(id);
  expect(await find(id)).toMatchObject({ state: 'failed', attemptLog: [{ outcome: 'deferred' }] });
});

test('the two days begin with the first temporary failure of the message, not with an outage before it', async () => {
  smtp.rcpt = onlyBad('450 4.7.1 Greylisted');
  const [id = ''] = await recordedLeads(app.services, await websiteId(app.services, 'bad.test'), 1);
  await app.services.db.orm.notification.update({
    where: { submissionId: id },
    data: { retryingSince: twoDaysAgo() },
  });
  await app.services.notifications.send(id);
  const found = await find(id);
  expect(found).toMatchObject({ state: 'pending', retries: 1 });
  expect(Date.now() - found!.retryingSince.getTime()).toBeLessThan(60_000);
});

test('a message that cannot be rendered affects no other of its job, and is recorded', async () => {
  const { db, notifications } = app.services;
  const ids = await recordedLeads(app.services, await websiteId(app.services, 'good.test'), 3);
  await db.orm.$executeRaw`UPDATE submissions SET "values" = 'null' WHERE id = ${ids[1]}::uuid`;
  await expect(notifications.sendJob({ submissionIds: ids })).rejects.toThrow(TypeError);
  const states = (await Promise.all(ids.map(find))).map((found) => found?.state);
  expect(states).toEqual(['sent', 'pending', 'sent']);
  expect(await find(ids[1]!)).toMatchObject({
    retries: 1,
    attemptLog: [
      { outcome: 'deferred', smtpCode: null, detail: expect.stringContaining('log of the worker') },
    ],
  });
});

test('an absent mail server delays messages without counting as their retries', async () => {
  smtp.mail = '421 4.3.2 Closing for a while';
  const ids = await Promise.all(Array.from({ length: 15 }, () => lead('good.test')));
  await eventually(async () => app.services.db.orm.notificationAttempt.count({ where: { smtpCode: 421 } }));
  delete smtp.mail;
  for (const id of ids) {
    // The server is looked for after pauses that grow to several seconds.
    const sent = await reaches(id, ({ state }) => state === 'sent');
    expect(sent).toEqual(expect.objectContaining({ retries: 0 }));
  }
  const probes = await app.services.db.orm.notificationAttempt.count({ where: { smtpCode: 421 } });
  expect(probes).toBeLessThanOrEqual(12);
});

/** A notification that was claimed, and claimed again after its claim had lapsed. */
async function overtaken() {
  const { db, log } = app.services;
  const claims = createClaims({ db, log, source: NOTIFICATIONS });
  const [id = ''] = await recordedLeads(app.services, await websiteId(app.services, 'good.test'), 1);
  const first = await claims.take(id);
  const between = await claims.take(id);
  claims.release(first!);
  await db.orm.notification.update({ where: { submissionId: id }, data: { nextAttemptAt: new Date(0) } });
  const second = await claims.take(id);
  return { id, claims, first: first!, between, second: second! };
}

/**
 * Takes a claim away from its holder, who finds out when it is to be renewed.
 *
 * @returns whether it is held before and after.
 */
async function loseRenewal() {
  const { db } = app.services;
  const { id, claims, second } = await overtaken();
  const before = claims.isHeld(second);
  await db.orm.notification.update({ where: { submissionId: id }, data: { attempts: 3 } });
  await eventually(async () => !claims.isHeld(second));
  const after = claims.isHeld(second);
  claims.release(second);
  // The worker would send it once the claim has lapsed.
  await db.orm.notification.delete({ where: { submissionId: id } });
  return { before, after };
}

describe('a claim', () => {
  const ended: AttemptRecord = {
    outcome: 'deferred',
    smtpCode: 450,
    detail: '',
    recipients: [],
    accepted: [],
    refused: [],
    startedAt: new Date(),
    finishedAt: new Date(),
  };

  test('is taken again only after its lease', async () => {
    const { claims, between, second } = await overtaken();
    expect(between).toBeNull();
    expect(second).not.toBeNull();
    claims.release(second);
  });

  test('that was overtaken or released is not held', async () => {
    const { claims, first, second } = await overtaken();
    expect(claims.isHeld(first)).toBe(false);
    expect(claims.isHeld(second)).toBe(true);
    claims.release(second);
    expect(claims.isHeld(second)).toBe(false);
  });

  test('that could not be renewed is no longer held', async () => {
    expect(await unrenewed).toEqual({ before: true, after: false });
  });

  test('is taken by one of many concurrent calls', async () => {
    const { db, log } = app.services;
    const claims = createClaims({ db, log, source: NOTIFICATIONS });
    const ids = await recordedLeads(app.services, await websiteId(app.services, 'good.test'), 3);
    const taken = await Promise.all([...ids, ...ids, ...ids].map((id) => claims.take(id)));
    const winners = taken.flatMap((claim) => claim ?? []);
    expect(winners.map(({ submissionId }) => submissionId).sort()).toEqual([...ids].sort());
    for (const claim of winners) {
      await claims.record(claim, { ...ended, outcome: 'sent', smtpCode: 250 }, false);
      claims.release(claim);
    }
  });

  test('that was overtaken postpones nothing', async () => {
    const { id, claims, first, second } = await overtaken();
    await claims.record(first, ended, true);
    expect(await find(id)).toMatchObject({ state: 'pending', retries: 0, attempts: 2 });
    await claims.record(second, { ...ended, outcome: 'sent', smtpCode: 250 }, false);
    claims.release(second);
    expect((await find(id)).state).toBe('sent');
  });

  test('that was overtaken still records the recipients that have the message', async () => {
    const { id, claims, first, second } = await overtaken();
    await claims.record(
      first,
      { ...ended, recipients: ['a', 'b', 'c'], accepted: ['a'], refused: ['b'] },
      true,
    );
    const found = await find(id);
    claims.release(second);
    expect(found).toMatchObject({ state: 'pending', deliveredTo: ['a'], refused: [], retries: 0 });
  });

  test('that was overtaken still records that the message was sent', async () => {
    const { id, claims, first, second } = await overtaken();
    await claims.record(first, { ...ended, outcome: 'sent', smtpCode: 250 }, false);
    await claims.record(second, { ...ended, outcome: 'failed', smtpCode: 550 }, false);
    claims.release(second);
    expect((await find(id)).state).toBe('sent');
  });

  test('may be recorded twice, as after a lost answer of the database', async () => {
    const { id, claims, second } = await overtaken();
    const partly = { ...ended, recipients: ['a', 'b'], accepted: ['a'], outcome: 'sent' } as const;
    expect(await claims.record(second, partly, false)).toBe('sent');
    expect(await claims.record(second, partly, false)).toBe('sent');
    claims.release(second);
    expect(await find(id)).toMatchObject({ deliveredTo: ['a'], attemptLog: [{ outcome: 'sent' }] });
  });
});
