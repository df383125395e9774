import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { attentionOf } from '../support/attention.js';
import { provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { countAllDays, recordedLeads } from '../support/leads.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const [DESK, COPY] = ['desk@acme.test', 'copy@agency.test'];

let app: TestApp;
let site: string;
let teamId: number;
let refused: string | null = null;

const orm = () => app.services.db.orm;

beforeAll(async () => {
  app = await startTestApp({
    smtp: { rcpt: (address) => (address === refused ? '550 5.1.1 User unknown' : null) },
  });
  await provision(app.services, [team('acme'), team('globex')]);
  site = await websiteId(app.services, 'www.acme.test');
  teamId = (await orm().team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  await orm().placement.updateMany({ where: { websiteId: site }, data: { recipients: [DESK, COPY] } });
});

beforeEach(async () => {
  refused = null;
  await orm().submission.deleteMany();
  await orm().dailyCount.deleteMany();
  await orm().leadHabit.deleteMany();
  await orm().setAside.deleteMany();
});

afterAll(() => app?.close());

const items = async (kind: string) =>
  (await attentionOf(app.services, { kinds: [kind as 'MAIL_HELD'] })).map(({ websiteId: of, facts }) => ({
    of,
    facts,
  }));

async function mailedLead(): Promise<string> {
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await app.services.notifications.send(id);
  return id;
}

test('a recipient that is refused beside one that gets the e-mail needs attention, until it gets one', async () => {
  refused = DESK;
  await mailedLead();
  await mailedLead();
  const item = { of: site, facts: { recipient: DESK, leads: 2 } };
  expect(await items('RECIPIENT_BOUNCING')).toEqual([item]);
  refused = null;
  const id = await mailedLead();
  await orm().notification.update({
    where: { submissionId: id },
    data: { sentAt: new Date(Date.now() + DAY_MS) },
  });
  const later = new Date(Date.now() + 2 * DAY_MS);
  expect(await attentionOf(app.services, { kinds: ['RECIPIENT_BOUNCING'], now: later })).toEqual([]);
});

test('a lead that came back has failed once its address has been replaced, until it has been sent again', async () => {
  const recipients = async (addresses: string[]) =>
    orm().placement.updateMany({ where: { websiteId: site }, data: { recipients: addresses } });
  await recipients([DESK]);
  const id = await mailedLead();
  await orm().bounce.create({
    data: {
      submissionId: id,
      emailId: id,
      address: DESK,
      kind: 'bounced',
      detail: 'User unknown',
      reportedAt: new Date(),
    },
  });
  await orm().notification.update({ where: { submissionId: id }, data: { state: 'bounced' } });
  expect(await items('RECIPIENT_BOUNCING')).toEqual([{ of: site, facts: { recipient: DESK, leads: 1 } }]);
  expect(await items('MAIL_FAILING')).toEqual([]);
  await recipients([COPY]);
  expect(await items('RECIPIENT_BOUNCING')).toEqual([]);
  expect(await items('MAIL_FAILING')).toEqual([{ of: site, facts: { failed: 1, without: 0 } }]);
  await app.services.notifications.sendAgain([id], TEST_ACTOR);
  await app.services.notifications.send(id);
  expect(await items('MAIL_FAILING')).toEqual([]);
  await recipients([DESK, COPY]);
});

test('leads that came back have failed while bouncing recipients of the website are set aside', async () => {
  const id = await mailedLead();
  const bounce = { submissionId: id, emailId: id, kind: 'bounced', detail: 'User unknown' } as const;
  await orm().bounce.createMany({
    data: [DESK, COPY].map((address) => ({ ...bounce, address, reportedAt: new Date() })),
  });
  await orm().notification.update({ where: { submissionId: id }, data: { state: 'bounced' } });
  expect(await items('RECIPIENT_BOUNCING')).toHaveLength(2);
  expect(await items('MAIL_FAILING')).toEqual([]);
  await orm().setAside.create({
    data: {
      websiteId: site,
      kind: 'RECIPIENT_BOUNCING',
      until: new Date(Date.now() + 14 * DAY_MS),
      reason: '',
      createdAt: new Date(),
    },
  });
  expect(await items('RECIPIENT_BOUNCING')).toEqual([]);
  expect(await items('MAIL_FAILING')).toEqual([{ of: site, facts: { failed: 1, without: 0 } }]);
  const [failed] = await recordedLeads(app.services, site, 1);
  await orm().notification.update({ where: { submissionId: failed! }, data: { state: 'failed' } });
  expect(await items('MAIL_FAILING')).toEqual([{ of: site, facts: { failed: 2, without: 0 } }]);
  await orm().setAside.deleteMany();
  expect(await items('RECIPIENT_BOUNCING')).toHaveLength(2);
  expect(await items('MAIL_FAILING')).toEqual([{ of: site, facts: { failed: 1, without: 0 } }]);
});

test('a forwarded lead that no worker gets to the mail server is held mail', async () => {
  const id = await mailedLead();
  await app.services.requestedEmails.forward({ id, teamId }, { recipients: [DESK], note: null }, TEST_ACTOR);
  const ago = new Date(Date.now() - HOUR_MS);
  await orm().requestedEmail.updateMany({ data: { createdAt: ago, nextAttemptAt: ago, retryingSince: ago } });
  expect(await items('MAIL_HELD')).toMatchObject([{ of: null, facts: { count: 1 } }]);
  const read = (teamIds: number[]) => attentionOf(app.services, { kinds: ['MAIL_HELD'], teamIds });
  expect(await read([teamId])).toMatchObject([
    { teamId, websiteId: null, severity: 'URGENT', action: 'OPEN_WAITING', facts: { count: 1 } },
  ]);
  const { id: stranger } = await orm().team.findUniqueOrThrow({ where: { slug: 'globex' } });
  expect(await read([stranger])).toEqual([]);
});

test('spam ends no silence, and a lead that was taken for spam does', async () => {
  const other = await websiteId(app.services, 'www.globex.test');
  for (let days = 120; days > 0; days -= 1) {
    const at = new Date(Date.now() - days * DAY_MS);
    if (days > 40) await recordedLeads(app.services, site, 1, at);
    await recordedLeads(app.services, other, 1, new Date(at.getTime() + HOUR_MS));
  }
  await orm().notification.updateMany({ data: { state: 'sent' } });
  await countAllDays(app.services);
  const silent = async () => (await items('SILENT_WEBSITE')).map(({ of }) => of);
  expect(await silent()).toEqual([site]);
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await app.services.handling.setState([id], 'spam', TEST_ACTOR);
  await app.services.dailyCounts.run();
  await app.services.silence.run();
  expect(await silent()).toEqual([site]);
  await app.services.handling.setState([id], 'new', TEST_ACTOR);
  await app.services.dailyCounts.run();
  await app.services.silence.run();
  expect(await silent()).toEqual([]);
});
