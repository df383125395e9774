import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { v4 as uuid } from 'uuid';
import { releaseWithheld } from '../../src/notifications/submission-email/reopening.queries.js';
import { countElsewhere } from '../../src/spam/judging.queries.js';
import { purgeSpam } from '../../src/spam/purge.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount } from '../support/panel.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const SPAM =
  'We noticed your website is not on the first page of Google. We offer backlinks and guest posts, see https://rank.example/offer';
const LEAD = 'Bonjour, ma chaudière est en panne depuis ce matin, pouvez-vous passer demain ?';

const HOSTS = ['www.acme.test', ...Array.from({ length: 5 }, (_, index) => `site${index}.acme.test`)];

const FORM = contactForm({
  fields: [
    { name: 'email', type: 'email', label: 'E-mail', is_required: true },
    { name: 'message', type: 'textarea', label: 'Message' },
    { name: 'phone', type: 'tel', label: 'Téléphone' },
  ],
  translations: {},
});

let app: TestApp;
let teamId: number;
let receiver: Receiver;

const db = () => app.services.db.orm;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ worker: true, env: { CAPTCHA_DEFAULT: 'off', OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [
    team('acme', { forms: [FORM], websites: HOSTS.map((host) => website(host)) }),
  ]);
  teamId = (await db().team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});

afterAll(async () => {
  await app?.close();
  await receiver?.close();
});

beforeEach(async () => {
  await db().submission.deleteMany();
  await db().spamRule.deleteMany();
  await db().quotaUsage.deleteMany();
  await db().team.update({ where: { id: teamId }, data: { spamFilter: 'quarantine' } });
  await db().form.updateMany({ data: { spamFilter: null } });
});

async function submit(message: string, { host = 'www.acme.test', ...fields }: Record<string, string> = {}) {
  const visitor = createVisitor({
    url: app.url,
    websiteId: await websiteId(app.services, host),
    origin: `https://${host}`,
  });
  const body = { email: 'v@x.test', message, ...fields };
  const answer = await visitor.submit({ body, headers: await visitor.sign() });
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return String(answer.body.lead_id);
}

const end = (submissionId: string) =>
  eventually(async () => {
    const row = await db().notification.findUniqueOrThrow({
      where: { submissionId },
      include: { submission: { include: { spamVerdict: true } } },
    });
    return row.state !== 'pending' && row;
  });

const mailsOf = (id: string) => app.sink.messages.filter(({ mail }) => mail.text?.includes(id));

test('spam is recorded and answered like a lead, and its e-mail is withheld without a unit of the quota', async () => {
  const id = await submit(SPAM);
  const { state, attempts, quotaClaimedAt, submission } = await end(id);
  expect({ state, attempts, quotaClaimedAt }).toEqual({
    state: 'withheld',
    attempts: 0,
    quotaClaimedAt: null,
  });
  expect(submission.state).toBe('spam');
  expect(submission.spamVerdict).toMatchObject({ threshold: 100, filter: 'quarantine' });
  expect(submission.spamVerdict!.score).toBeGreaterThanOrEqual(100);
  expect(submission.spamVerdict!.reasons).toContainEqual({ signal: 'haste', points: 10, count: 3 });
  expect(await db().quotaUsage.count()).toBe(0);
  expect(mailsOf(id)).toHaveLength(0);
  const events = await db().auditEvent.findMany({ where: { subjectId: id } });
  expect(events.map(({ channel, action, detail }) => ({ channel, action, detail }))).toEqual([
    { channel: 'system', action: 'submission.state_changed', detail: { from: 'new', to: 'spam' } },
  ]);
});

test('a lead is mailed and stays new', async () => {
  const { state, submission } = await end(await submit(LEAD));
  expect([state, submission.state, submission.spamVerdict]).toEqual(['sent', 'new', null]);
});

test('a release mails at once, takes its unit then, and is not judged again', async () => {
  const id = await submit(SPAM);
  await end(id);
  await app.services.handling.setState([id], 'new', TEST_ACTOR);
  const { state, attempts } = await end(id);
  expect([state, attempts]).toEqual(['sent', 1]);
  expect((await db().quotaUsage.findFirstOrThrow()).used).toBe(1);
  expect(mailsOf(id)).toHaveLength(1);
});

test('releases from several sides at once mail once', async () => {
  const id = await submit(SPAM);
  await end(id);
  const states = ['new', 'done', 'in_progress', 'archived'] as const;
  await Promise.all(states.map((state) => app.services.handling.setState([id], state, TEST_ACTOR)));
  await app.services.notifications.sendJob({ submissionIds: [id, id, id] });
  await end(id);
  expect(mailsOf(id)).toHaveLength(1);
});

test('a release whose hand-over was lost is mailed by the reconciler', async () => {
  const id = await submit(SPAM);
  await end(id);
  const released = await app.services.db.orm.$transaction(async (tx) => {
    await tx.submission.update({ where: { id }, data: { state: 'new' } });
    return releaseWithheld(tx, [id]);
  });
  expect(released).toEqual([id]);
  expect((await end(id)).state).toBe('sent');
  expect(mailsOf(id)).toHaveLength(1);
});

test('a filter that marks lets the e-mail go and keeps the reasons; one that is off judges nothing', async () => {
  await db().team.update({ where: { id: teamId }, data: { spamFilter: 'mark' } });
  const marked = await end(await submit(SPAM));
  expect([marked.state, marked.submission.state, marked.submission.spamVerdict?.filter]).toEqual([
    'sent',
    'new',
    'mark',
  ]);
  await db().form.updateMany({ data: { spamFilter: 'off' } });
  const unjudged = await end(await submit(SPAM));
  expect([unjudged.state, unjudged.submission.spamVerdict]).toEqual(['sent', null]);
});

test('the filter of a form wins over that of its team', async () => {
  await db().team.update({ where: { id: teamId }, data: { spamFilter: 'off' } });
  await db().form.updateMany({ data: { spamFilter: 'quarantine' } });
  expect((await end(await submit(SPAM))).state).toBe('withheld');
});

test('the rules of a team decide: blocked sender, domain and words, and a sender who is never judged', async () => {
  await db().spamRule.createMany({
    data: [
      { teamId, kind: 'blocked_sender', value: 'max@pest.test' },
      { teamId, kind: 'blocked_domain', value: 'plague.test' },
      { teamId, kind: 'blocked_word', value: 'Piège à souris' },
      { teamId, kind: 'trusted_sender', value: 'seo@partner.test' },
    ],
  });
  const states = await Promise.all(
    [
      submit(LEAD, { email: 'Max@pest.test' }),
      submit(LEAD, { email: 'a@mail.plague.test' }),
      submit('Le meilleur PIEGE A SOURIS du monde'),
      submit('Le meilleur piège à sourisseau du monde'),
      submit(SPAM, { email: 'seo@partner.test' }),
    ].map(async (id) => (await end(await id)).state),
  );
  expect(states).toEqual(['withheld', 'withheld', 'withheld', 'sent', 'sent']);
});

test('rules that are added at the same time are 500 at most, and one rule of the same value', async () => {
  const value = (index: number) => ({ teamId, kind: 'blocked_word' as const, value: `word ${index}` });
  await db().spamRule.createMany({ data: Array.from({ length: 498 }, (_, index) => value(index)) });
  const { spamRules } = app.services;
  const add = (word: string) => spamRules.add(teamId, 'blocked_word', word, TEST_ACTOR);
  const same = await Promise.all(Array.from({ length: 4 }, () => add('the same')));
  expect(new Set(same.map(({ id }) => id)).size).toBe(1);
  const others = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => add(`other ${index}`)));
  const refused = others.flatMap((each) => (each.status === 'rejected' ? [String(each.reason.message)] : []));
  expect(refused).toEqual(Array(5).fill('A team has 500 rules at most.'));
  expect(await db().spamRule.count({ where: { teamId } })).toBe(500);
});

test('the same text on several websites within a day is withheld from the fourth on', async () => {
  const text =
    'Bonjour, la porte du garage de notre immeuble ne ferme plus depuis lundi, les photos sont ici';
  const states: string[] = [];
  for (const host of HOSTS) {
    const id = await submit(`${text} : https://photos.example/porte`, { host, email: `${host}@x.test` });
    states.push((await end(id)).state);
  }
  expect(states.slice(0, 2)).toEqual(['sent', 'sent']);
  expect(states.slice(3)).toEqual(['withheld', 'withheld', 'withheld']);
});

test('other websites are counted up to 50, without the own one and what is older than a day', async () => {
  const own = await websiteId(app.services, 'www.acme.test');
  await db().form.updateMany({ data: { spamFilter: 'off' } });
  const ids = await recordedLeads(app.services, own, 64);
  const [judged, few, old, many] = [ids[0]!, ids.slice(1, 4), ids.slice(4, 6), ids.slice(6)];
  const said = (submissionId: string, hash: number, site = uuid()) => ({
    submissionId,
    hash,
    websiteId: site,
  });
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await db().spamTrace.createMany({
    data: [
      ...[said(judged, 1, own), said(few[0]!, 1, own), said(few[1]!, 1), said(few[2]!, 1)],
      ...old.map((id) => ({ ...said(id, 1), seenAt: yesterday })),
      ...many.map((id) => said(id, 2)),
    ],
  });
  const counts = await countElsewhere(app.services.db, [{ id: judged, websiteId: own, hashes: [1, 2, 3] }]);
  expect(counts.map(({ hash, websites }) => [hash, websites]).sort()).toEqual([
    [1, 2],
    [2, 50],
    [3, 0],
  ]);
});

test('workers that judge the same submission at once come to one end', async () => {
  const id = await submit(SPAM);
  const { judging, notifications } = app.services;
  await Promise.all([
    ...Array.from({ length: 5 }, () => judging.withholdIfSpam(id)),
    ...Array.from({ length: 5 }, () => notifications.send(id)),
  ]);
  expect((await end(id)).state).toBe('withheld');
  expect(await db().auditEvent.count({ where: { subjectId: id } })).toBe(1);
  expect(mailsOf(id)).toHaveLength(0);
});

test('a submission that an account has already handled is not judged', async () => {
  const { judging } = app.services;
  await db().form.updateMany({ data: { spamFilter: 'off' } });
  const id = await submit(SPAM);
  await end(id);
  await db().form.updateMany({ data: { spamFilter: null } });
  await db().notification.update({
    where: { submissionId: id },
    data: { state: 'pending', attempts: 0, nextAttemptAt: new Date(Date.now() + 60_000) },
  });
  await db().submission.update({ where: { id }, data: { state: 'done' } });
  expect(await judging.withholdIfSpam(id)).toBe(false);
  await db().submission.update({ where: { id }, data: { state: 'new' } });
  await db().notification.update({ where: { submissionId: id }, data: { attempts: 1 } });
  expect(await judging.withholdIfSpam(id)).toBe(false);
});

test('verdicts of the staff teach the classifier exactly; what is deleted or a client contradicts is forgotten', async () => {
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  const staff = await db().user.findUniqueOrThrow({ where: { email: 'staff@agency.test' } });
  const owner = await db().user.findUniqueOrThrow({ where: { email: 'owner@acme.test' } });
  const { handling, teaching } = app.services;
  const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => submit(`${LEAD} Numéro ${index}`)));
  const actor = { userId: staff.id, channel: 'panel' } as const;
  const states = ['spam', 'done', 'spam', 'in_progress', 'spam', 'archived'] as const;
  // Calls whose submissions overlap, in opposite orders.
  await Promise.all(
    states.map((state, index) =>
      handling.setState(index % 2 ? ids.slice(index) : ids.slice(0, 12 - index).reverse(), state, actor),
    ),
  );
  const counted = async () => {
    const samples = await db().spamSample.findMany();
    const expected = new Map<number, [number, number]>();
    for (const { isSpam, features } of samples) {
      for (const feature of [0, ...features]) {
        const [spam, leads] = expected.get(feature) ?? [0, 0];
        expected.set(feature, isSpam ? [spam + 1, leads] : [spam, leads + 1]);
      }
    }
    const rows = await db().spamFeature.findMany();
    return {
      samples,
      expected,
      rows: new Map(rows.map(({ feature, spam, leads }) => [feature, [spam, leads]])),
    };
  };
  const taught = await counted();
  expect(taught.samples.length).toBeGreaterThan(0);
  expect(taught.rows).toEqual(taught.expected);

  const sample = () => db().spamSample.findUnique({ where: { submissionId: ids[0] } });
  const client = { userId: owner.id, channel: 'panel' } as const;
  const { spam, leads } = await teaching.training();
  expect(await sample()).toMatchObject({ isSpam: true });
  await handling.setState([ids[0]!], 'archived', client);
  await handling.setState([ids[0]!], 'spam', client);
  expect(await teaching.training()).toMatchObject({ spam, leads });
  // A client teaches nothing, but has forgotten what the staff decided otherwise.
  await handling.setState([ids[0]!], 'new', client);
  expect(await sample()).toBeNull();
  expect(await teaching.training()).toMatchObject({ spam: spam - 1, leads });
  await handling.setState([ids[0]!], 'done', actor);
  await handling.setState([ids[0]!], 'archived', actor);
  expect(await sample()).toMatchObject({ isSpam: false });
  await handling.setState([ids[0]!], 'spam', client);
  expect(await teaching.training()).toMatchObject({ spam: spam - 1, leads });

  await Promise.all([
    handling.delete(ids.slice(0, 6), actor),
    app.services.erasures.erase(teamId, 'v@x.test', actor),
    handling.setState(ids.slice(6), 'spam', actor),
  ]);
  expect(await db().submission.count()).toBe(0);
  expect(await db().spamFeature.count()).toBe(0);
});

test('spam is purged when its team keeps it no longer, and nothing else is', async () => {
  const ids = await Promise.all([submit(SPAM), submit(SPAM), submit(LEAD)]);
  await Promise.all(ids.map(end));
  const longAgo = new Date(Date.now() - 31 * 86_400_000);
  await db().submission.updateMany({ data: { createdAt: longAgo } });
  await db().submission.update({ where: { id: ids[0] }, data: { stateChangedAt: longAgo } });
  await db().team.update({ where: { id: teamId }, data: { spamKeptDays: null } });
  expect(await purgeSpam(app.services.db)).toBe(0);
  await db().team.update({ where: { id: teamId }, data: { spamKeptDays: 30 } });
  expect(await purgeSpam(app.services.db)).toBe(1);
  const left = await db().submission.findMany({ select: { id: true } });
  expect(left.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
});

describe('a webhook', () => {
  afterEach(async () => {
    await db().webhook.deleteMany();
  });

  /** Creates an endpoint that is told of submissions at a path. */
  async function endpoint(path: string) {
    const settings = {
      url: receiver.url + path,
      websiteIds: [],
      formIds: [],
      description: '',
      enabled: true,
    };
    const { id } = await app.services.webhooks.create(
      teamId,
      { ...settings, events: ['submission.created', 'submission.state_changed'] },
      TEST_ACTOR,
    );
    return id;
  }

  const toldAt = (path: string) =>
    receiver.at(path).map(({ body }) => {
      const { type, data } = JSON.parse(body);
      return { type, lead: data.lead_id, state: data.state };
    });

  test('is told of a lead once it is judged, and of what is withheld as spam not at all', async () => {
    await endpoint('/judged');
    const spam = await submit(SPAM);
    await end(spam);
    const lead = await submit(LEAD);
    await eventually(() => receiver.at('/judged').length > 0);
    expect(toldAt('/judged')).toEqual([{ type: 'submission.created', lead, state: 'new' }]);
    expect(await db().webhookDelivery.count({ where: { submissionId: spam } })).toBe(0);
  });

  test('is told of a lead that an account takes out of the spam as of a new one', async () => {
    await endpoint('/released');
    const id = await submit(SPAM);
    await end(id);
    await app.services.handling.setState([id], 'in_progress', TEST_ACTOR);
    await eventually(() => receiver.at('/released').length === 2);
    expect(toldAt('/released').sort((a, b) => a.type.localeCompare(b.type))).toEqual([
      { type: 'submission.created', lead: id, state: 'in_progress' },
      { type: 'submission.state_changed', lead: id, state: 'in_progress' },
    ]);
    await app.services.handling.setState([id], 'spam', TEST_ACTOR);
    await app.services.handling.setState([id], 'new', TEST_ACTOR);
    await eventually(() => receiver.at('/released').length === 4);
    expect(toldAt('/released').filter(({ type }) => type === 'submission.created')).toHaveLength(1);
  });

  test('is told after a minute of a lead that no worker judges', async () => {
    const webhookId = await endpoint('/unjudged');
    const [id] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
    // An attempt has begun, so it is not judged any more.
    await db().notification.update({ where: { submissionId: id! }, data: { state: 'sent', attempts: 1 } });
    const delivery = await db().webhookDelivery.findFirstOrThrow({ where: { webhookId, submissionId: id! } });
    expect(delivery).toMatchObject({ state: 'pending', attempts: 0 });
    const waitsMs = delivery.nextAttemptAt.getTime() - delivery.createdAt.getTime();
    expect(waitsMs).toBe(60_000);
    await db().webhookDelivery.update({ where: { id: delivery.id }, data: { nextAttemptAt: new Date() } });
    await eventually(() => receiver.at('/unjudged').length === 1);
  });
});

// The last test: judging remembers the older process for a minute.
test('spam is marked and mailed while a gateway of an older version runs, whose panel knows no withheld e-mail', async () => {
  const older = new pg.Client({ connectionString: app.database.url });
  await older.connect();
  await older.query('LISTEN "catalogue_changes"');
  try {
    await eventually(() => app.services.olderProcesses.run());
    const id = await submit(SPAM);
    expect(await end(id)).toMatchObject({ state: 'sent' });
    const { submission, ...verdict } = await db().spamVerdict.findUniqueOrThrow({
      where: { submissionId: id },
      include: { submission: { select: { state: true } } },
    });
    expect(verdict).toMatchObject({ filter: 'mark' });
    expect(verdict.score).toBeGreaterThanOrEqual(verdict.threshold);
    expect(submission.state).toBe('new');
  } finally {
    await older.end();
  }
});
