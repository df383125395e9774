import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { quotaMonth } from '../../src/plans/quota.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const FORWARD = `mutation ($id: ID!, $recipients: [String!]!, $note: String) {
  forwardSubmission(submissionId: $id, recipients: $recipients, note: $note) {
    outcome email { id kind note state requestedByName recipients { address state } }
  }
}`;
const SEND = `mutation ($ids: [ID!]!, $recipients: [String!]) {
  sendSelectedAgain(selection: { ids: $ids }, includeSent: true, recipients: $recipients) {
    outcomes { outcome ids }
  }
}`;
const SHOWN = `query ($id: ID!) { submission(id: $id) {
  notification { state recipients { address state } }
  requestedEmails { id kind note state sentAt requestedByName attempts { number outcome }
    recipients { address state lastAnswer at durationMs nextAttemptAt } }
} }`;

const [CLAIRE, BUREAU] = ['claire@acme.test', 'bureau@acme.test'] as [string, string];
const smtp: SinkBehaviour = {};

let app: TestApp;
let owner: PanelClient;
let member: PanelClient;

beforeAll(async () => {
  app = await startTestApp({ worker: true, smtp });
  await provision(app.services, [
    team('acme', {
      websites: [website('www.acme.test', { forms: [{ slug: 'contact', recipients: [CLAIRE, BUREAU] }] })],
    }),
    team('globex'),
  ]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');
});

beforeEach(() => {
  delete smtp.rcpt;
});

afterAll(() => app?.close());

/** A submission whose e-mail was sent. */
async function sentLead(): Promise<string> {
  const [id = ''] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
  await app.services.notifications.send(id);
  return id;
}

async function shown(id: string) {
  return (await member.ask(SHOWN, { id })).submission;
}

/** Waits until the requested e-mails of a submission have ended. */
const ended = (id: string) =>
  eventually(async () => {
    const { requestedEmails } = await shown(id);
    const isEnded = requestedEmails.every(({ state }: { state: string }) => state !== 'pending');
    return isEnded && requestedEmails.length > 0 && requestedEmails;
  });

const messageOf = (id: string) => app.sink.waitFor(({ raw }) => raw.includes(`<${id}@`));

async function used(): Promise<number> {
  const { id: teamId } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const month = quotaMonth(new Date());
  const usage = await app.services.db.orm.quotaUsage.findUnique({
    where: { teamId_month: { teamId, month } },
  });
  return usage?.used ?? 0;
}

const audited = (action: string) =>
  app.services.db.orm.auditEvent.findMany({ where: { action }, orderBy: { createdAt: 'asc' } });

describe('a submission that is forwarded', () => {
  test('arrives as another message with the note and who forwards it, and takes a unit', async () => {
    const id = await sentLead();
    const before = await used();
    const note = 'Pouvez-vous rappeler ?\n<b>Merci</b>';
    const { forwardSubmission } = await owner.ask(FORWARD, {
      id,
      recipients: ['Zoe@partner.test', 'zoe@partner.test', ' ana@partner.test '],
      note,
    });
    expect(forwardSubmission).toMatchObject({
      outcome: 'handed_over',
      email: { kind: 'forwarded', note, requestedByName: 'owner@acme.test' },
    });
    const { raw, mail, recipients } = await messageOf(forwardSubmission.email.id);
    expect(recipients.sort()).toEqual(['ana@partner.test', 'zoe@partner.test']);
    expect(mail.subject).toBe('Fwd: Nouvelle demande : Contact — www.acme.test');
    expect(mail.text).toMatch(
      /^owner@acme\.test vous transmet une demande reçue par le formulaire «\u00a0Contact\u00a0»/,
    );
    expect(mail.text).toContain('Pouvez-vous rappeler ?');
    expect(mail.html).toContain('&lt;b&gt;Merci&lt;/b&gt;');
    expect(mail.text).toContain(id);
    expect(mail.replyTo).toEqual([{ name: '', address: 'v@x.test' }]);
    expect(raw.includes(`<${id}@`)).toBe(false);
    expect(await ended(id)).toEqual([
      {
        id: forwardSubmission.email.id,
        kind: 'forwarded',
        note,
        state: 'sent',
        sentAt: expect.any(String),
        requestedByName: 'owner@acme.test',
        attempts: [{ number: 1, outcome: 'sent' }],
        recipients: ['ana@partner.test', 'zoe@partner.test'].map((address) => ({
          address,
          state: 'accepted',
          lastAnswer: '250 2.0.0 Kept',
          nextAttemptAt: null,
          at: expect.any(String),
          durationMs: expect.any(Number),
        })),
      },
    ]);
    expect(await used()).toBe(before + 1);
    expect((await shown(id)).notification.recipients).toHaveLength(2);
    const [event] = (await audited('submission.forwarded')).slice(-1);
    expect(event).toMatchObject({ subjectId: id, detail: { recipients: 2, domains: ['partner.test'] } });
    expect(JSON.stringify(event)).not.toContain('zoe');
  });

  test('goes out once when the same is requested again, also at the same time', async () => {
    const id = await sentLead();
    const before = await used();
    const again = () => owner.ask(FORWARD, { id, recipients: ['once@partner.test'], note: 'Once.' });
    const answers = await Promise.all([again(), again(), again()]);
    const ids = answers.map(({ forwardSubmission }) => forwardSubmission.email.id);
    expect(new Set(ids).size).toBe(1);
    expect(await used()).toBe(before + 1);
    await owner.ask(FORWARD, { id, recipients: ['once@partner.test'], note: 'Twice.' });
    expect(await ended(id)).toHaveLength(2);
    expect(
      app.sink.messages.filter(({ recipients }) => recipients.includes('once@partner.test')),
    ).toHaveLength(2);
  });

  test('is retried for a deferred recipient alone, with the same bytes', async () => {
    const id = await sentLead();
    smtp.rcpt = (address) => (address === 'busy@partner.test' ? '451 4.7.1 Greylisted' : null);
    const recipients = ['busy@partner.test', 'free@partner.test'];
    const { forwardSubmission } = await owner.ask(FORWARD, { id, recipients });
    const [email] = await eventually(async () => {
      const { requestedEmails } = await shown(id);
      const isAttempted = requestedEmails[0]?.recipients.some(
        ({ state }: { state: string }) => state === 'accepted',
      );
      return isAttempted && requestedEmails;
    });
    expect(email.attempts).toHaveLength(1);
    expect(email.recipients).toMatchObject([
      { address: 'busy@partner.test', state: 'waiting', lastAnswer: '451 4.7.1 Greylisted' },
      { address: 'free@partner.test', state: 'accepted' },
    ]);
    delete smtp.rcpt;
    await app.services.db.orm.requestedEmail.update({
      where: { id: email.id },
      data: { nextAttemptAt: new Date(0) },
    });
    // The reconciler finds it.
    await ended(id);
    const messages = app.sink.messages.filter(({ raw }) => raw.includes(`<${forwardSubmission.email.id}@`));
    expect(messages.map((message) => message.recipients)).toEqual([
      ['free@partner.test'],
      ['busy@partner.test'],
    ]);
    expect(messages[1]!.raw.equals(messages[0]!.raw)).toBe(true);
  });

  test('whose e-mail is refused is failed, and the notification stays as it was', async () => {
    const id = await sentLead();
    smtp.rcpt = (address) => (address.endsWith('@partner.test') ? '550 5.1.1 No such user' : null);
    await owner.ask(FORWARD, { id, recipients: ['gone@partner.test'] });
    expect(await ended(id)).toMatchObject([
      { state: 'failed', recipients: [{ state: 'refused', lastAnswer: '550 5.1.1 No such user' }] },
    ]);
    expect((await shown(id)).notification.state).toBe('sent');
    delete smtp.rcpt;
    // Once it has failed, the same may be asked for again.
    await owner.ask(FORWARD, { id, recipients: ['gone@partner.test'] });
    expect((await ended(id)).map(({ state }: { state: string }) => state)).toEqual(['failed', 'sent']);
  });

  test('is everything about a person, and goes with the submission', async () => {
    const id = await sentLead();
    await owner.ask(FORWARD, { id, recipients: ['kept@partner.test'], note: 'Kept.' });
    await ended(id);
    const { id: teamId } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const text = await (
      await owner.fetch(`/panel/exports/address.ndjson?teamId=${teamId}&email=v@x.test`)
    ).text();
    const record = text.split('\n').find((line) => line.includes(id));
    expect(JSON.parse(record!).requested_emails).toMatchObject([
      {
        kind: 'forwarded',
        note: 'Kept.',
        recipients: ['kept@partner.test'],
        attempts: [{ outcome: 'sent' }],
      },
    ]);
    await owner.ask('mutation ($id: ID!) { deleteSelected(selection: { ids: [$id] }) { deleted } }', { id });
    expect(await app.services.db.orm.requestedEmail.count({ where: { submissionId: id } })).toBe(0);
  });

  test('is refused without the right, and with faulty input by its path', async () => {
    const id = await sentLead();
    const recipients = ['a@partner.test'];
    const stranger = await loggedIn(app.url, app.services, 'owner@globex.test');
    expect(await member.refused(FORWARD, { id, recipients })).toBe('FORBIDDEN');
    expect(await stranger.refused(FORWARD, { id, recipients })).toBe('NOT_FOUND');
    const unknown = '0198c2a4-7c1a-7000-8000-000000000001';
    expect(await owner.refused(FORWARD, { id: unknown, recipients })).toBe('NOT_FOUND');
    for (const [input, path] of [
      [{ recipients: [] }, 'recipients'],
      [{ recipients: ['a@b.test, c@d.test'] }, 'recipients.0'],
      [{ recipients: ['a@b.test\r\nBcc: c@d.test'] }, 'recipients.0'],
      [{ recipients: Array.from({ length: 6 }, (_, n) => `a${n}@b.test`) }, 'recipients'],
      [{ recipients, note: ' ' }, 'note'],
      [{ recipients, note: 'x'.repeat(2001) }, 'note'],
    ] as const) {
      const { errors } = await owner.send(FORWARD, { id, ...input });
      expect(errors?.[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        errors: { [path]: [expect.any(String)] },
      });
    }
    expect((await shown(id)).requestedEmails).toEqual([]);
  });
});

describe('the panel sends no mass mail', () => {
  const five = (name: string) => Array.from({ length: 5 }, (_, n) => `${name}-${n}@partner.test`);

  test('an account forwards to sixty addresses an hour', async () => {
    const admin = await loggedIn(app.url, app.services, 'admin@acme.test');
    const id = await sentLead();
    for (let n = 0; n < 12; n++) await admin.ask(FORWARD, { id, recipients: five(`account-${n}`) });
    const { errors } = await admin.send(FORWARD, { id, recipients: ['one-more@partner.test'] });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: expect.any(Number) });
    await ended(id);
    const got = app.sink.messages.flatMap(({ recipients }) => recipients);
    expect(got.filter((address) => address.startsWith('account-'))).toHaveLength(60);
    expect(got).not.toContain('one-more@partner.test');
  });

  test('an address gets twenty an hour from a team, whatever the account, and another team its own', async () => {
    const staff = await loggedIn(app.url, app.services, 'staff@agency.test');
    const id = await sentLead();
    for (let n = 0; n < 20; n++) {
      await staff.ask(FORWARD, { id, recipients: ['Target@partner.test'], note: `Number ${n}` });
    }
    const recipients = ['target@PARTNER.test'];
    expect(await staff.refused(FORWARD, { id, recipients, note: 'Number 20' })).toBe('RATE_LIMITED');
    expect(await owner.refused(FORWARD, { id, recipients, note: 'Mine' })).toBe('RATE_LIMITED');
    const other = await loggedIn(app.url, app.services, 'owner@globex.test');
    const [theirs] = await recordedLeads(app.services, await websiteId(app.services, 'www.globex.test'), 1);
    const { forwardSubmission } = await other.ask(FORWARD, { id: theirs, recipients });
    expect(forwardSubmission.outcome).toBe('handed_over');
  });
});

test('beyond the quota of the month nothing is sent, and the answer says so', async () => {
  const { db } = app.services;
  const id = await sentLead();
  const plan = { notificationsPerMonth: await used() };
  await db.orm.plan.update({ where: { code: 'default' }, data: plan });
  const { forwardSubmission } = await owner.ask(FORWARD, { id, recipients: ['late@partner.test'] });
  expect(forwardSubmission).toEqual({ outcome: 'quota_used_up', email: null });
  const { sendSelectedAgain } = await owner.ask(SEND, { ids: [id] });
  expect(sendSelectedAgain.outcomes).toEqual([{ outcome: 'quota_used_up', ids: [id] }]);
  expect((await shown(id)).requestedEmails).toEqual([]);
  expect(await used()).toBe(plan.notificationsPerMonth);
  await db.orm.plan.update({ where: { code: 'default' }, data: { notificationsPerMonth: null } });
});

describe('an e-mail that was sent', () => {
  test('is sent again to those that had it, or to some of them, as another message', async () => {
    const id = await sentLead();
    const { sendSelectedAgain } = await owner.ask(SEND, { ids: [id] });
    expect(sendSelectedAgain.outcomes).toEqual([{ outcome: 'handed_over', ids: [id] }]);
    await owner.ask(SEND, { ids: [id], recipients: [BUREAU, 'never@acme.test'] });
    const emails = await ended(id);
    expect(emails).toMatchObject([
      { kind: 'sent_again', note: null, recipients: [{ address: BUREAU }, { address: CLAIRE }] },
      { kind: 'sent_again', recipients: [{ address: BUREAU, state: 'accepted' }] },
    ]);
    const { mail } = await messageOf(emails[0].id);
    expect(mail.subject).toBe('Nouvelle demande : Contact — www.acme.test');
    expect((await audited('notification.sent_again')).map(({ subjectId }) => subjectId)).toEqual([id, id]);
  });

  test('is sent again once when the call is repeated, and to nobody who never had it', async () => {
    const id = await sentLead();
    const before = await used();
    await owner.ask(SEND, { ids: [id] });
    const repeated = await owner.ask(SEND, { ids: [id] });
    expect(repeated.sendSelectedAgain.outcomes).toEqual([{ outcome: 'handed_over', ids: [id] }]);
    const stranger = await owner.ask(SEND, { ids: [id], recipients: ['stranger@x.test'] });
    expect(stranger.sendSelectedAgain.outcomes).toEqual([{ outcome: 'nothing_to_send', ids: [id] }]);
    expect(await ended(id)).toHaveLength(1);
    expect(await used()).toBe(before + 1);
  });

  test('is nothing to send unless it is included, nor while it is pending', async () => {
    const sent = await sentLead();
    const [pending] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
    await app.services.db.orm.notification.update({
      where: { submissionId: pending },
      data: { nextAttemptAt: new Date(Date.now() + 3_600_000) },
    });
    const plain =
      'mutation ($ids: [ID!]!) { sendSelectedAgain(selection: { ids: $ids }) { outcomes { outcome ids } } }';
    const ids = [sent, pending];
    const nothing = [{ outcome: 'nothing_to_send', ids }];
    expect((await owner.ask(plain, { ids })).sendSelectedAgain.outcomes).toEqual(nothing);
    const included = await owner.ask(SEND, { ids: [pending] });
    expect(included.sendSelectedAgain.outcomes).toEqual([{ outcome: 'nothing_to_send', ids: [pending] }]);
  });
});
