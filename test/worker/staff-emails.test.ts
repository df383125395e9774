import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAlerts } from '../../src/staff-emails/alerts.service.js';
import { createDigest } from '../../src/staff-emails/digest.service.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount } from '../support/panel.js';

const TUESDAY = new Date('2026-11-24T06:30:05Z');
const DAY_MS = 86_400_000;

let app: TestApp;
let isFull = false;
let sites: string[];

beforeAll(async () => {
  app = await startTestApp({ isDiskFull: async () => isFull });
  const hosts = ['one.acme.test', 'two.acme.test', 'three.acme.test'];
  await provision(app.services, [
    team('acme', { websites: hosts.map((host) => website(host, { name: host })) }),
  ]);
  sites = await Promise.all(hosts.map((host) => websiteId(app.services, host)));
  const password = 'a long password';
  await createAccount(app.services, { email: 'anna@agency.test', password, staff: true });
  const bob = await createAccount(app.services, { email: 'bob@agency.test', password, staff: true });
  await createAccount(app.services, { email: 'gone@agency.test', staff: true });
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
});

afterAll(() => app?.close());

/** Sends what is due, and returns the messages that arrive by it. */
async function sent() {
  const before = app.sink.messages.length;
  await app.services.staffEmails.run();
  return app.sink.messages.slice(before).map(({ recipients, mail }) => ({
    to: recipients.join(),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
  }));
}

describe('the digest', () => {
  const digestAt = (now: Date) =>
    createDigest({
      ...{ db: app.services.db, clock: () => now },
      time: { at: '07:30', timeZone: 'Europe/Paris' },
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
    expect(messages.every(({ text }) => text.includes('SPF: agency.test'))).toBe(true);
    await digestAt(new Date(TUESDAY.getTime() + 60_000));
    expect(await sent()).toEqual([]);
    expect((await scheduled())?.dueAt).toEqual(new Date('2026-11-25T06:30:00Z'));
  });

  test('repeats on the next day what is still open, and says what is new', async () => {
    await makeDue();
    await fault();
    await digestAt(TUESDAY);
    await sent();
    const later = new Date(TUESDAY.getTime() + DAY_MS);
    await app.services.db.orm.senderCheck.create({
      data: {
        ...{ name: 'dmarc', isOk: false, finding: 'missing', detail: '_dmarc.agency.test' },
        ...{ since: new Date(later.getTime() - 3_600_000), checkedAt: later },
      },
    });
    await digestAt(later);
    const english = (await sent()).find(({ to }) => to === 'bob@agency.test')!;
    expect(english.subject).toBe('2 things need attention');
    expect(english.text).toMatch(/DMARC: .* \(new\)/);
    expect(english.text).not.toMatch(/SPF: .* \(new\)/);
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
    await orm.notification.update({ where: { submissionId: id }, data: { createdAt: recordedAt } });
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

  test('of failing probes is told when the latest probe of every website has failed', async () => {
    const { orm } = app.services.db;
    const now = new Date();
    const steps = [{ name: 'page', ok: false, finding: 'page_timeout', detail: null, ms: 1 }];
    const add = (websiteId: string, ok: boolean, ageMin: number) =>
      orm.probe.create({
        data: { websiteId, ok, steps: ok ? [] : steps, startedAt: new Date(now.getTime() - ageMin * 60_000) },
      });
    for (const site of sites.slice(0, 2)) await add(site, false, 60);
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    await add(sites[2]!, true, 90);
    await watchAt(now);
    expect(await subjects()).toEqual([]);
    await add(sites[2]!, false, 30);
    await watchAt(now);
    expect(await subjects()).toContain('The tests of all websites fail');
    await add(sites[0]!, true, 5);
    await watchAt(now);
    expect(await subjects()).toContain('Over: tests of websites pass again');
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
    await alerts.run();
    await alerts.run();
    expect(told().sort()).toEqual([
      'La base de données est pleine : aucune demande n’est enregistrée',
      'The database is full: no lead is recorded',
    ]);
    await orm.$executeRaw`DROP TRIGGER refuse ON open_alerts`;
    isFull = false;
    await alerts.run();
    await alerts.run();
    expect(told()).toHaveLength(4);
    expect(told()).toContain('Over: the database takes writes again');
  });
});
