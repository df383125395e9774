import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { attentionOf } from '../support/attention.js';
import { BOUNCES, DELAYED, QMAIL, type ReportShape } from '../support/delivery-reports.js';
import { provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { addSubmissions, recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const DOMAIN = 'bounces.formgate.test';
const RECIPIENTS = ['desk@acme.test', 'sales@acme.test'];

const TIMELINE = `query ($id: ID!) {
  submission(id: $id) { notification { state recipients { address state lastAnswer } } }
}`;

let app: TestApp;
let port: number;
let site: string;
let staff: PanelClient;

beforeAll(async () => {
  port = await freePort();
  app = await startTestApp({ worker: true, env: { BOUNCE_DOMAIN: DOMAIN, BOUNCE_PORT: String(port) } });
  await provision(app.services, [team('acme')]);
  site = await websiteId(app.services, 'www.acme.test');
  await app.services.db.orm.placement.updateMany({ data: { recipients: RECIPIENTS } });
  await createAccount(app.services, { email: 'staff@agency.test', password: 'a long password', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});

beforeEach(async () => {
  await app.services.db.orm.submission.deleteMany();
  await app.services.db.orm.dailyCount.deleteMany();
  await app.services.db.orm.staffEmail.deleteMany();
});

afterAll(() => app?.close());

/** A lead whose e-mail was sent, and the envelope's sender of that e-mail. */
async function sentLead(): Promise<{ id: string; returnPath: string }> {
  const { notifications, db } = app.services;
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await notifications.send(id);
  await eventually(async () => {
    const row = await db.orm.notification.findUnique({ where: { submissionId: id } });
    return row?.state === 'sent';
  });
  const { sender } = await app.sink.waitFor(({ mail }) => mail.messageId?.includes(id) ?? false);
  return { id, returnPath: sender };
}

/** Sends a report to the worker, as a mail server does: with the null sender, unless another is given. */
const deliver = (to: string | string[], raw: string, from = '') =>
  createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true }).sendMail({
    envelope: { from, to },
    raw,
  });

const bounce = (returnPath: string, to: string, shape: ReportShape = BOUNCES.Postfix!) =>
  deliver(returnPath, shape({ to, returnPath }));

const recipients = async (id: string) =>
  (await staff.ask(TIMELINE, { id })).submission.notification.recipients as {
    address: string;
    state: string;
    lastAnswer: string;
  }[];

const states = async (id: string) => (await recipients(id)).map(({ address, state }) => [address, state]);

test('an e-mail about a lead leaves with a sender of its own in the envelope, and MAIL_FROM in the header', async () => {
  const { returnPath } = await sentLead();
  const message = await app.sink.waitFor(({ sender }) => sender === returnPath);
  expect(returnPath).toMatch(/^b\+[0-9a-f]{32}\.[0-9a-f]{24}@bounces\.formgate\.test$/);
  expect(message.mail.from?.address).toBe('forms@formgate.test');
});

test('a bounce marks its recipient in the timeline of the lead, with the words of the server', async () => {
  const { id, returnPath } = await sentLead();
  await bounce(returnPath, RECIPIENTS[0]!);
  expect(await recipients(id)).toEqual([
    { address: 'desk@acme.test', state: 'bounced', lastAnswer: expect.stringContaining('User unknown') },
    { address: 'sales@acme.test', state: 'accepted', lastAnswer: expect.any(String) },
  ]);
  expect(await app.services.db.orm.staffEmail.count()).toBe(0);
});

test('a delay is noted, a bounce takes its place, and no later delay takes the place of the bounce', async () => {
  const { id, returnPath } = await sentLead();
  await bounce(returnPath, RECIPIENTS[0]!, DELAYED);
  expect((await states(id))[0]).toEqual(['desk@acme.test', 'delayed']);
  await bounce(returnPath, RECIPIENTS[0]!);
  await bounce(returnPath, RECIPIENTS[0]!, DELAYED);
  expect((await states(id))[0]).toEqual(['desk@acme.test', 'bounced']);
});

test('a report that names a recipient twice is recorded', async () => {
  const { id, returnPath } = await sentLead();
  const once = BOUNCES.Postfix!({ to: RECIPIENTS[0]!, returnPath });
  const block = /Final-Recipient:.*?(\r?\n){2}/s.exec(once)![0];
  await deliver(returnPath, once.replace(block, block + block));
  expect((await states(id))[0]).toEqual(['desk@acme.test', 'bounced']);
});

test('a message that is no report is noted, and changes no state', async () => {
  const { id, returnPath } = await sentLead();
  await bounce(returnPath, RECIPIENTS[0]!, QMAIL);
  const [first] = await recipients(id);
  expect(first).toMatchObject({ state: 'accepted', lastAnswer: expect.stringContaining('failure notice') });
});

test('a message that is no report leaves the delay that was reported of its recipient', async () => {
  const { id, returnPath } = await sentLead();
  await bounce(returnPath, RECIPIENTS[0]!, DELAYED);
  await bounce(returnPath, RECIPIENTS[1]!, QMAIL);
  expect(await states(id)).toEqual([
    ['desk@acme.test', 'delayed'],
    ['sales@acme.test', 'accepted'],
  ]);
});

test('staff are e-mailed once when every recipient of a lead has bounced, and the visitor never', async () => {
  const { id, returnPath } = await sentLead();
  const before = app.sink.messages.length;
  await Promise.all(RECIPIENTS.map((address) => bounce(returnPath, address)));
  await bounce(returnPath, RECIPIENTS[0]!);
  const told = await app.sink.waitFor(({ recipients: [first] }) => first === 'staff@agency.test');
  expect(told.mail.text).toContain(`/panel/inbox/${id}`);
  expect(told.mail.text).toContain('desk@acme.test');
  expect(told.sender).toBe('forms@formgate.test');
  await app.services.staffEmails.run();
  const later = app.sink.messages.slice(before).flatMap((message) => message.recipients);
  expect(later).toEqual(['staff@agency.test']);
});

describe('a lead whose e-mail came back from every recipient', () => {
  const BOUNCED = `query {
    submissions(first: 5, filter: { notificationStates: [bounced] }) { edges { node { id } } }
    submissionCounts { unsent { state count } }
  }`;

  /** Waits until another attempt at the e-mail has ended. */
  const resent = (id: string) =>
    eventually(async () => {
      const { orm } = app.services.db;
      const row = await orm.notification.findUnique({ where: { submissionId: id } });
      return row?.state === 'sent' && row.attempts === 2 && row;
    });

  afterEach(() => app.services.db.orm.placement.updateMany({ data: { recipients: RECIPIENTS } }));

  test('is found as one that no recipient got, unlike one that a recipient has', async () => {
    const [partly, lost] = [await sentLead(), await sentLead()];
    await bounce(partly.returnPath, RECIPIENTS[0]!);
    for (const address of RECIPIENTS) await bounce(lost.returnPath, address);
    const { submissions, submissionCounts } = await staff.ask(BOUNCED);
    expect(submissions.edges).toEqual([{ node: { id: lost.id } }]);
    expect(submissionCounts.unsent).toContainEqual({ state: 'bounced', count: 1 });
  });

  test('can be sent again to the recipients of today, in the unit of the quota that it has', async () => {
    const { id, returnPath } = await sentLead();
    for (const address of RECIPIENTS) await bounce(returnPath, address);
    const { db, handling } = app.services;
    const used = async () => (await db.orm.quotaUsage.findFirst())?.used;
    const before = await used();
    await db.orm.placement.updateMany({ data: { recipients: ['office@acme.test'] } });
    expect(await handling.sendAgain([id], TEST_ACTOR)).toMatchObject([{ outcome: 'handed_over' }]);
    expect((await resent(id)).deliveredTo).toEqual(['office@acme.test']);
    expect(await states(id)).toEqual([
      ['desk@acme.test', 'bounced'],
      ['sales@acme.test', 'bounced'],
      ['office@acme.test', 'accepted'],
    ]);
    expect(await used()).toBe(before);
    // A report that comes late is about the address that it names.
    await bounce(returnPath, RECIPIENTS[0]!);
    expect((await states(id)).at(-1)).toEqual(['office@acme.test', 'accepted']);
  });

  test('takes another unit of the quota when it came back twice, and none is sent beyond it', async () => {
    const { db, handling } = app.services;
    await db.orm.placement.updateMany({ data: { recipients: ['desk@acme.test'] } });
    const { id, returnPath } = await sentLead();
    const used = async () => (await db.orm.quotaUsage.findFirstOrThrow()).used;
    const before = await used();
    const sendAgain = async (state: string, attempts: number) => {
      await bounce(returnPath, 'desk@acme.test');
      await handling.sendAgain([id], TEST_ACTOR);
      await eventually(async () => {
        const row = await db.orm.notification.findUniqueOrThrow({ where: { submissionId: id } });
        return row.state === state && row.attempts === attempts;
      });
    };
    await sendAgain('sent', 2);
    expect(await used()).toBe(before);
    await sendAgain('sent', 3);
    expect(await used()).toBe(before + 1);
    const { planId } = await db.orm.team.findFirstOrThrow({ where: { slug: 'acme' } });
    const where = { id: planId };
    const { notificationsPerMonth } = await db.orm.plan.findUniqueOrThrow({ where });
    await db.orm.plan.update({ where, data: { notificationsPerMonth: before + 1 } });
    await sendAgain('skipped_quota', 4);
    await db.orm.plan.update({ where, data: { notificationsPerMonth } });
  });

  test('counts as delivered once it was sent again to the same recipient, until that comes back as well', async () => {
    await app.services.db.orm.placement.updateMany({ data: { recipients: ['desk@acme.test'] } });
    const { id, returnPath } = await sentLead();
    await bounce(returnPath, 'desk@acme.test');
    await app.services.handling.sendAgain([id], TEST_ACTOR);
    await resent(id);
    expect(await states(id)).toEqual([['desk@acme.test', 'accepted']]);
    await bounce(returnPath, 'desk@acme.test');
    expect(await states(id)).toEqual([['desk@acme.test', 'bounced']]);
    const { state } = await app.services.db.orm.notification.findUniqueOrThrow({
      where: { submissionId: id },
    });
    expect(state).toBe('bounced');
  });
});

describe('staff are told of a lead that no recipient got', () => {
  const told = () => app.services.db.orm.staffEmail.findMany();

  async function forwardTo(id: string, address: string): Promise<string> {
    const { db, requestedEmails, notifications } = app.services;
    const { teamId } = await db.orm.submission.findUniqueOrThrow({ where: { id } });
    const wanted = { recipients: [address], note: null };
    await requestedEmails.forward({ id, teamId }, wanted, TEST_ACTOR);
    const { id: emailId } = await db.orm.requestedEmail.findFirstOrThrow({ where: { submissionId: id } });
    await notifications.sendRequested(emailId);
    const { sender } = await app.sink.waitFor(({ recipients: [first] }) => first === address);
    await eventually(async () => {
      const row = await db.orm.requestedEmail.findUniqueOrThrow({ where: { id: emailId } });
      return row.deliveredTo.length > 0;
    });
    return sender;
  }

  test('again when the e-mail to a corrected address comes back as well', async () => {
    const { id, returnPath } = await sentLead();
    for (const address of RECIPIENTS) await bounce(returnPath, address);
    expect(await told()).toHaveLength(1);
    await bounce(await forwardTo(id, 'typo@acme.test'), 'typo@acme.test');
    expect(await told()).toHaveLength(2);
  });

  test('without a copy of its addresses, which outlives the erasure of a person', async () => {
    const { id, returnPath } = await sentLead();
    const visitor = 'v@x.test';
    await bounce(await forwardTo(id, visitor), visitor);
    for (const address of RECIPIENTS) await bounce(returnPath, address);
    expect(await told()).toHaveLength(1);
    const { teamId } = await app.services.db.orm.submission.findUniqueOrThrow({ where: { id } });
    await app.services.erasures.erase(teamId, visitor, TEST_ACTOR);
    expect(JSON.stringify(await told())).not.toContain(visitor);
  });
});

test('an e-mail that bounces for every recipient is unsent in its day at the next run', async () => {
  const { db, dailyCounts } = app.services;
  const emails = async () =>
    (await db.orm.dailyCount.aggregate({ _sum: { emailsSent: true, emailsUnsent: true } }))._sum;
  const { id, returnPath } = await sentLead();
  // The days of the latest leads are counted anew in any case, and in the first run those of all.
  await db.orm.rollupMark.deleteMany();
  const createdAt = new Date(Date.now() - 600_000);
  await db.orm.submission.update({ where: { id }, data: { createdAt } });
  await dailyCounts.run();
  expect(await emails()).toEqual({ emailsSent: 1, emailsUnsent: 0 });
  for (const recipient of RECIPIENTS) await bounce(returnPath, recipient);
  await dailyCounts.run();
  expect(await emails()).toEqual({ emailsSent: 0, emailsUnsent: 1 });
});

test('a bounce of an e-mail that was sent again is about that e-mail alone', async () => {
  const { id } = await sentLead();
  const { requestedEmails, db } = app.services;
  await requestedEmails.sendAgain([id], ['desk@acme.test'], TEST_ACTOR);
  const again = await eventually(async () => {
    const [row] = await db.orm.requestedEmail.findMany({ where: { submissionId: id, state: 'sent' } });
    return row ?? null;
  });
  const { sender } = await app.sink.waitFor(({ mail }) => mail.messageId?.includes(again.id) ?? false);
  await bounce(sender, 'desk@acme.test');
  const { submission } = await staff.ask(
    `query ($id: ID!) { submission(id: $id) { requestedEmails { recipients { state } } } }`,
    { id },
  );
  expect(submission.requestedEmails[0].recipients).toEqual([{ state: 'bounced' }]);
  expect(await states(id)).toEqual(RECIPIENTS.map((address) => [address, 'accepted']));
});

test('a recipient that bounces needs attention until it leaves the settings or a later e-mail stays with it', async () => {
  const { db } = app.services;
  const items = (now = new Date()) => attentionOf(app.services, { kinds: ['RECIPIENT_BOUNCING'], now });
  const { returnPath } = await sentLead();
  await bounce(returnPath, RECIPIENTS[0]!);
  const facts = { recipient: 'desk@acme.test', leads: 1 };
  const { formId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: site } });
  const listed = { kind: 'RECIPIENT_BOUNCING', websiteId: site, facts };
  expect(await items()).toMatchObject([{ ...listed, action: 'OPEN_RECIPIENTS', formId }]);
  await db.orm.placement.updateMany({ data: { recipients: [RECIPIENTS[1]!] } });
  expect(await items()).toEqual([]);
  const { recipients: former } = await db.orm.form.findUniqueOrThrow({ where: { id: formId } });
  await db.orm.form.update({ where: { id: formId }, data: { recipients: [RECIPIENTS[0]!] } });
  expect(await items()).toMatchObject([{ ...listed, action: 'OPEN_FORM_RECIPIENTS', formId }]);
  await db.orm.form.update({ where: { id: formId }, data: { recipients: former } });
  const { email } = await db.orm.website.findUniqueOrThrow({ where: { id: site } });
  await db.orm.website.update({ where: { id: site }, data: { email: 'Desk@acme.test' } });
  expect(await items()).toMatchObject([{ ...listed, action: 'OPEN_SETTINGS', formId: null }]);
  await db.orm.website.update({ where: { id: site }, data: { email } });
  await db.orm.placement.updateMany({ data: { recipients: RECIPIENTS } });
  expect(await items(new Date(Date.now() + 29 * 86_400_000))).toHaveLength(1);
  await sentLead();
  expect(await items()).toHaveLength(1);
  const later = new Date(Date.now() + 3_660_000);
  expect(await items(later)).toEqual([]);
  await addSubmissions(app.services, site, 1_999, later);
  expect(await items(later)).toEqual([]);
  await addSubmissions(app.services, site, 1, later);
  expect(await items(later)).toHaveLength(1);
});

test('a report that comes before the record of its e-mail is put off', async () => {
  const { db, bounceAddresses } = app.services;
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await db.orm.notification.update({
    where: { submissionId: id },
    data: { nextAttemptAt: new Date(Date.now() + 3_600_000) },
  });
  await expect(bounce(bounceAddresses.senderOf(id)!, RECIPIENTS[0]!)).rejects.toMatchObject({
    responseCode: 451,
  });
});

test('a report about a lead that was deleted is taken, and forgotten', async () => {
  const { id, returnPath } = await sentLead();
  await app.services.db.orm.submission.delete({ where: { id } });
  await expect(bounce(returnPath, RECIPIENTS[0]!)).resolves.toMatchObject({ response: /^250/ });
  expect(await app.services.db.orm.bounce.count()).toBe(0);
});

describe('the worker refuses', () => {
  const refused = (to: string, from = '') =>
    expect(deliver(to, BOUNCES.Postfix!({ to: RECIPIENTS[0]!, returnPath: to }), from)).rejects.toMatchObject(
      {
        responseCode: 550,
      },
    );

  test('an address with another MAC', async () => {
    const { id, returnPath } = await sentLead();
    await refused(returnPath.replace(/.(?=@)/, (digit) => (digit === '0' ? '1' : '0')));
    expect(await states(id)).toEqual(RECIPIENTS.map((address) => [address, 'accepted']));
  });

  test('the id of another lead with the MAC of this one', async () => {
    const [one, other] = [await sentLead(), await sentLead()];
    const mac = /\.[0-9a-f]{24}@/;
    await refused(one.returnPath.replace(mac, mac.exec(other.returnPath)![0]));
  });

  test.each(['someone@elsewhere.test', 'postmaster@bounces.formgate.test', 'forms@formgate.test'])(
    'to relay to %s',
    async (to) => {
      const before = app.sink.messages.length;
      await refused(to);
      await refused(to, 'sender@elsewhere.test');
      expect(app.sink.messages).toHaveLength(before);
    },
  );

  test('a login', async () => {
    const auth = { user: 'a', pass: 'b' };
    const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, forceAuth: true, auth });
    await expect(transport.verify()).rejects.toMatchObject({ responseCode: 500 });
  });

  test('a message that is too large', async () => {
    const { id, returnPath } = await sentLead();
    const raw = `${BOUNCES.Postfix!({ to: RECIPIENTS[0]!, returnPath })}${'x'.repeat(76)}\r\n`;
    await expect(
      deliver(returnPath, `${raw}${`${'x'.repeat(76)}\r\n`.repeat(14_000)}`),
    ).rejects.toMatchObject({
      responseCode: 552,
    });
    expect(await states(id)).toEqual(RECIPIENTS.map((address) => [address, 'accepted']));
  });
});

test('a client that breaks off in the middle of a message leaves the worker running', async () => {
  const { id, returnPath } = await sentLead();
  const socket = connect(port, '127.0.0.1');
  await eventually(() => new Promise((resolve) => socket.once('data', () => resolve(true))));
  socket.write(`EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${returnPath}>\r\nDATA\r\nSubject: x\r\n`);
  await eventually(() => new Promise((resolve) => socket.once('data', () => resolve(true))));
  socket.resetAndDestroy();
  await bounce(returnPath, RECIPIENTS[0]!);
  expect((await states(id))[0]).toEqual(['desk@acme.test', 'bounced']);
});
