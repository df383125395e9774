import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { daysBefore, MONDAY, nextTime } from '../../src/lib/local-time.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createServices, type Services } from '../../src/services.js';
import { recordVerdicts } from '../../src/spam/judging.queries.js';
import { isSettled, takeSpamDigest } from '../../src/submissions/spam-digest/spam-digests.queries.js';
import { createSpamDigests } from '../../src/submissions/spam-digest/spam-digests.service.js';
import { startWorker, type WorkerProcess } from '../../src/worker.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount } from '../support/panel.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const SPAM =
  'We noticed your website is not on the first page of Google. We offer backlinks and guest posts, see https://rank.example/offer';
const LEAD = 'Bonjour, ma chaudière est en panne depuis ce matin, pouvez-vous passer demain ?';
const MARKUP = '<img src=x onerror=alert(1)>';
const WITHOUT_MARKUP = '&lt;img src=x onerror=alert(1)&gt;';

const FORM = contactForm({
  fields: [
    { name: 'email', type: 'email', label: 'E-mail', is_required: true },
    { name: 'name', type: 'text', label: 'Name' },
    { name: 'message', type: 'textarea', label: 'Message' },
  ],
  translations: {},
});
const TIME = { at: '07:30', timeZone: 'Europe/Paris' };

/** What the clocks of both workers are behind. */
let behindMs = 0;
const clock = () => new Date(Date.now() - behindMs);

let app: TestApp;
let other: Services;
let otherWorker: WorkerProcess;
let teamId: number;
/** How many messages had come before. */
let seen = 0;

const db = () => app.services.db.orm;

beforeAll(async () => {
  app = await startTestApp({
    worker: true,
    clock,
    env: { CAPTCHA_DEFAULT: 'off', TIME_ZONE: TIME.timeZone },
  });
  other = createServices(app.services.config, createLogger('silent'), { clock });
  otherWorker = await startWorker(other);
  await provision(app.services, [
    team('acme', { forms: [FORM], websites: [website('www.acme.test', { name: 'Acme Paris' })] }),
    team('globex', { forms: [FORM], websites: [website('www.globex.test')] }),
    team('initech', { forms: [FORM], websites: [website('www.initech.test')] }),
  ]);
  teamId = (await db().team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  const { teams } = app.services;
  const join = async (email: string, data: object) => {
    const userId = await createAccount(app.services, { email });
    await db().user.update({ where: { id: userId }, data });
    await db().$transaction((tx) => teams.setRole(tx, { teamId, userId }, 'owner', TEST_ACTOR));
  };
  await db().user.updateMany({ where: { email: 'owner@acme.test' }, data: { language: 'en' } });
  await join('claire@acme.test', { language: 'fr' });
  await join('gone@acme.test', { disabledAt: new Date() });
});

afterAll(async () => {
  await otherWorker?.close();
  await other?.close();
  await app?.close();
});

beforeEach(async () => {
  await db().submission.deleteMany();
  await db().spamDigest.deleteMany();
});

afterEach(async () => {
  behindMs = 0;
  await db().dailyTask.deleteMany({ where: { name: 'spam-digest' } });
  seen = app.sink.messages.length;
});

async function submit(message: string, { host = 'www.acme.test', ...fields }: Record<string, string> = {}) {
  const visitor = createVisitor({
    url: app.url,
    websiteId: await websiteId(app.services, host),
    origin: `https://${host}`,
  });
  const body = { email: 'v@x.test', message, ...fields };
  const { body: answer } = await visitor.submit({ body, headers: await visitor.sign() });
  const submissionId = String(answer.lead_id);
  await eventually(async () => {
    const { state } = await db().notification.findUniqueOrThrow({ where: { submissionId } });
    return state !== 'pending';
  });
  return submissionId;
}

/** The end of the latest week. */
const lastMonday = () => daysBefore(nextTime(new Date(), TIME, MONDAY), 7, TIME.timeZone);

/** Runs both workers for a task that was due at a time, and waits for what they make of it. */
async function runBoth(dueAt: Date) {
  const where = { name: 'spam-digest' };
  await db().dailyTask.upsert({ where, create: { ...where, dueAt }, update: { dueAt } });
  await Promise.all([app.services, other, app.services, other].map(({ spamDigests }) => spamDigests.run()));
  expect(await db().dailyTask.findUnique({ where })).toMatchObject({
    dueAt: nextTime(new Date(), TIME, MONDAY),
  });
  return eventually(async () => {
    const rows = await db().spamDigest.findMany({ include: { user: true }, orderBy: { userId: 'asc' } });
    return rows.every(({ state }) => state !== 'pending') && rows;
  });
}

/** Lets everything have been judged a week earlier, before a Monday for which the workers run now. */
async function comeMonday() {
  await db().$executeRaw`UPDATE spam_verdicts SET judged_at = judged_at - interval '7 days'`;
  return runBoth(lastMonday());
}

/** A run by a clock of its own, with another end of the week. */
const runAt = (moment: Date, time = TIME) =>
  createSpamDigests({
    ...app.services,
    publicUrl: app.services.config.publicUrl,
    clock: () => moment,
    time,
  }).run();

const digests = () =>
  app.sink.messages
    .slice(seen)
    .filter(({ mail }) => mail.messageId?.includes('spam-digest-'))
    .map(({ recipients, mail }) => ({ to: recipients.join(), mail }));

test('leads that a person has marked as spam do not count, whatever the filter had thought of them', async () => {
  const site = await websiteId(app.services, 'www.acme.test');
  const [suspected = '', released = ''] = await recordedLeads(app.services, site, 2);
  const judged = { threshold: 100, filter: 'quarantine', reasons: [] } as const;
  await recordVerdicts(app.services.db, [
    { ...judged, id: suspected, eventId: uuid(), score: 30, isWithheld: false },
    { ...judged, id: released, eventId: uuid(), score: 150, isWithheld: true },
  ]);
  const { id: userId } = await db().user.findUniqueOrThrow({ where: { email: 'owner@acme.test' } });
  const actor = { ...TEST_ACTOR, userId };
  const { handling } = app.services;
  await handling.setState([suspected], 'spam', actor);
  await db().notification.updateMany({ data: { state: 'withheld' } });
  await db().submission.update({
    where: { id: released },
    data: { state: 'spam', stateChangedById: userId, stateChangedAt: new Date() },
  });
  expect(await comeMonday()).toEqual([]);
});

test('each owner is told once of what is withheld, by two workers, in the language of the account', async () => {
  await submit(SPAM, { name: 'Rank Masters', email: 'sales@rank.example' });
  await submit(`${SPAM} today`, { host: 'www.globex.test' });
  await db().team.updateMany({ where: { slug: 'globex' }, data: { active: false } });
  await submit(LEAD, { host: 'www.initech.test' });

  const rows = await comeMonday();
  expect(rows.map(({ user, state, attempts }) => [user.email, state, attempts])).toEqual([
    ['owner@acme.test', 'sent', 1],
    ['claire@acme.test', 'sent', 1],
  ]);
  await Promise.all([app.services, other].map(({ spamDigests }) => spamDigests.run()));
  const sent = new Map(digests().map(({ to, mail }) => [to, mail]));
  expect(digests()).toHaveLength(2);

  const english = sent.get('owner@acme.test')!;
  expect(english.subject).toBe('One message withheld as spam — acme');
  expect(english.text).toContain('Rank Masters (sales@rank.example)\n  Contact · Acme Paris\n  Received: ');
  expect(english.text).toMatch(/ {2}Why: (It [^.]+\. ?){2,3}\n/);
  expect(english.text).toContain(
    `Folder Spam: http://formgate.test/panel/inbox?team=${teamId}&folder=spam\n`,
  );
  expect(english.text).toContain(
    `under Teams, your team, Spam. Owners get this e-mail once a week, if anything was withheld.\nSettings of the filter: http://formgate.test/panel/teams/${teamId}?tab=spam\n`,
  );
  expect(english.html).toContain(`href="http://formgate.test/panel/inbox?team=${teamId}&amp;folder=spam"`);

  const french = sent.get('claire@acme.test')!;
  expect(french.subject).toBe('Un message retenu comme indésirable — acme');
  expect(french.text).toMatch(/ {2}Raisons\s: Il /);
  expect(french.text).toContain('Dossier Indésirables\u00a0: http://formgate.test/panel/inbox?');
  expect(french.html).toMatch(/<html lang="fr">/);
  expect(await db().quotaUsage.findMany({ where: { teamId } })).toEqual([]);
  await db().team.updateMany({ where: { slug: 'globex' }, data: { active: true } });
});

test('nobody is told when nothing is withheld, and the week is over all the same', async () => {
  await submit(LEAD);
  expect(await comeMonday()).toEqual([]);
  expect(digests()).toEqual([]);
});

test('what was released, marked by a person, judged before that week or is a test does not count', async () => {
  const released = await submit(`${SPAM} 1`);
  await app.services.handling.setState([released], 'new', TEST_ACTOR);
  const marked = await submit(LEAD);
  await app.services.handling.setState([marked], 'spam', TEST_ACTOR);
  const past = await submit(`${SPAM} 2`);
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000);
  await db().spamVerdict.update({ where: { submissionId: past }, data: { judgedAt: eightDaysAgo } });
  const tested = await submit(`${SPAM} 3`);
  await db().submission.update({ where: { id: tested }, data: { testRecipient: 'probe@x.test' } });
  expect(await comeMonday()).toEqual([]);

  for (const name of ['One', 'Two']) await submit(`${SPAM} ${name}`, { name });
  await comeMonday();
  const { text, subject } = digests().find(({ to }) => to === 'owner@acme.test')!.mail;
  expect(subject).toBe('2 messages withheld as spam — acme');
  expect(text!.indexOf('Two (v@x.test)')).toBeLessThan(text!.indexOf('One (v@x.test)'));
});

test('after two Mondays without a worker, what was withheld before the first is told as well', async () => {
  const withheld = await submit(SPAM);
  await db().spamVerdict.update({
    where: { submissionId: withheld },
    data: { judgedAt: daysBefore(lastMonday(), 13, TIME.timeZone) },
  });
  await runBoth(daysBefore(lastMonday(), 7, TIME.timeZone));
  const { text } = await eventually(() => digests().find(({ to }) => to === 'owner@acme.test')?.mail);
  expect(text).toContain('In the last 14 days one message to acme looked like spam.');
});

test('a week of which the end was made later has one digest, from the end of the one before', async () => {
  const withheld = await submit(SPAM);
  // So that the workers leave the task to the runs below.
  behindMs = 28 * 86_400_000;
  const dueAt = daysBefore(lastMonday(), 7, TIME.timeZone);
  const lastAt = daysBefore(dueAt, 7, TIME.timeZone);
  const where = { name: 'spam-digest' };
  await db().dailyTask.upsert({ where, create: { ...where, dueAt }, update: { dueAt } });
  const { id: userId } = await db().user.findUniqueOrThrow({ where: { email: 'owner@acme.test' } });
  await db().spamVerdict.update({
    where: { submissionId: withheld },
    data: { judgedAt: new Date(lastAt.getTime() + 3_600_000) },
  });
  const time = { ...TIME, at: '18:00' };
  const recorded = () => db().spamDigest.findMany({ where: { userId } });

  await runAt(new Date(dueAt.getTime() + 1_000), time);
  expect(await recorded()).toEqual([]);
  const until = nextTime(dueAt, time, MONDAY);
  await runAt(new Date(until.getTime() + 1_000), time);
  expect(await recorded()).toMatchObject([{ since: lastAt, until }]);
  expect(await db().dailyTask.findUnique({ where })).toMatchObject({ dueAt: nextTime(until, time, MONDAY) });
});

test('a worker whose clock is ahead records no week before PostgreSQL’s clock is past its end', async () => {
  await submit(`${SPAM} 1`);
  const dueAt = nextTime(new Date(), TIME, MONDAY);
  const where = { name: 'spam-digest' };
  await db().dailyTask.upsert({ where, create: { ...where, dueAt }, update: { dueAt } });
  await runAt(new Date(dueAt.getTime() + 1_000));
  expect(await db().spamDigest.findMany()).toEqual([]);
  expect(await db().dailyTask.findUnique({ where })).toMatchObject({ dueAt });
  await submit(`${SPAM} 2`);
  await comeMonday();
  expect(digests().find(({ to }) => to === 'owner@acme.test')?.mail.subject).toBe(
    '2 messages withheld as spam — acme',
  );
});

test('a week is settled two minutes after its end, when statements that began before have ended', async () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  const { db: database } = app.services;
  expect([await isSettled(database, ago(100)), await isSettled(database, ago(121))]).toEqual([false, true]);
});

test('the newest ten are listed and the others counted', async () => {
  for (let n = 1; n <= 12; n++) await submit(`${SPAM} ${n}`, { name: `Sender ${n}` });
  await comeMonday();
  const { text } = digests().find(({ to }) => to === 'owner@acme.test')!.mail;
  expect(text!.match(/^Sender \d+ \(v@x\.test\)$/gm)).toHaveLength(10);
  expect(text).not.toMatch(/^Sender [12] /m);
  expect(text).toContain('2 more are in the folder.');
});

test('hostile names stay text, on one line of the subject', async () => {
  const name = `${MARKUP} \u202eevil`;
  await submit(SPAM, { name });
  await db().team.update({
    where: { id: teamId },
    data: { name: `acme\r\nBcc: evil@x.test ${MARKUP}` },
  });
  await comeMonday();
  await db().team.update({ where: { id: teamId }, data: { name: 'acme' } });
  expect(digests()).toHaveLength(2);
  const { subject, bcc, text, html } = digests()[0]!.mail;
  expect(subject).toContain(`acme Bcc: evil@x.test ${MARKUP}`);
  expect(bcc).toBeUndefined();
  expect(text).toContain(`\n${MARKUP} evil (v@x.test)\n`);
  expect(html).toContain(`${WITHOUT_MARKUP} evil (v@x.test)`);
  expect(html).not.toContain('<img');
});

test('the digest of a worker that died with its claim is sent when the lease has expired, as the same message', async () => {
  await submit(SPAM);
  const { userId, week, since, until } = (await comeMonday())[0]!;
  const before = digests().find(({ to }) => to === 'owner@acme.test')!.mail;
  await db().spamDigest.deleteMany();
  const day = week.toISOString().slice(0, 10);
  await db().spamDigest.create({ data: { teamId, userId, week, since, until } });
  expect(await takeSpamDigest(app.services.db, { teamId, week: day, userId })).toMatchObject({ attempts: 1 });
  seen = app.sink.messages.length;
  await app.services.spamDigests.run();
  expect(digests()).toEqual([]);
  await db().spamDigest.updateMany({ data: { nextAttemptAt: new Date() } });
  await eventually(async () => (await db().spamDigest.findFirstOrThrow()).state === 'sent', {
    withinMs: 20_000,
  });
  expect(digests().map(({ mail }) => [mail.messageId, mail.subject, mail.text])).toEqual([
    [before.messageId, before.subject, before.text],
  ]);
});
