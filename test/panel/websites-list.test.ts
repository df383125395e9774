import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { countAllDays, recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-06-15T12:00:00.000Z');

let app: TestApp;
let member: PanelClient;
let staff: PanelClient;

beforeAll(async () => {
  app = await startTestApp({ clock: () => NOW });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('far.acme.test', { time_zone: 'Pacific/Auckland' }),
        website('failed.acme.test', { locale: 'en' }),
        website('captcha.acme.test'),
        website('silent.acme.test'),
        website('off.acme.test', { disabled: true }),
      ],
    }),
    team('globex'),
  ]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  await app.services.db.orm.session.deleteMany();
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});
afterAll(() => app.close());

const ago = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS);

const LIST = `query ($search: String, $locale: String, $disabled: Boolean, $needsAttention: Boolean) {
  websites(search: $search, locale: $locale, disabled: $disabled, needsAttention: $needsAttention) {
    edges { node { name } }
  }
}`;

const names = async (filter: object, client = member) =>
  (await client.ask(LIST, filter)).websites.edges.map(({ node }: { node: { name: string } }) => node.name);

const health = async (host: string) => {
  const id = await websiteId(app.services, host);
  const query = 'query ($id: ID!) { website(id: $id) { health { kind summary } } }';
  return (await member.ask(query, { id })).website.health;
};

const kinds = async (host: string) => (await health(host)).map(({ kind }: { kind: string }) => kind);

describe('the list of websites', () => {
  test('tells what attention has about each website, and is narrowed to those', async () => {
    const { db } = app.services;
    const failed = await websiteId(app.services, 'failed.acme.test');
    const leads = await recordedLeads(app.services, failed, 4, ago(30));
    const [one, two, spam, early] = leads as [string, string, string, string];
    const setNotification = (submissionId: string, state: 'failed' | 'no_recipient') =>
      db.orm.notification.update({ where: { submissionId }, data: { state } });
    await setNotification(one, 'failed');
    await setNotification(two, 'no_recipient');
    await setNotification(spam, 'failed');
    await db.orm.submission.update({ where: { id: spam }, data: { state: 'spam' } });
    await setNotification(early, 'failed');
    await db.orm.submission.update({ where: { id: early }, data: { createdAt: ago(31 * 24) } });
    const captcha = await websiteId(app.services, 'captcha.acme.test');
    const seen = { firstSeenAt: ago(1), lastSeenAt: ago(1), minute: ago(1) };
    await db.orm.incident.create({
      data: {
        websiteId: captcha,
        stepKey: 'altcha',
        reason: 'secret_refused',
        requestId: 'r',
        ...seen,
      },
    });
    const silent = await websiteId(app.services, 'silent.acme.test');
    const off = await websiteId(app.services, 'off.acme.test');
    for (let n = 0; n < 40; n++) {
      for (const id of [silent, off]) await recordedLeads(app.services, id, 1, ago(94 + 12 * n));
    }
    await countAllDays(app.services);
    await app.services.silence.run();

    expect(await health('failed.acme.test')).toEqual([
      { kind: 'MAIL_FAILING', summary: '1 e-mail has failed; 1 lead has no recipient' },
    ]);
    expect(await kinds('captcha.acme.test')).toEqual(['CAPTCHA_MISCONFIGURED']);
    expect(await kinds('silent.acme.test')).toEqual(['SILENT_WEBSITE']);
    expect(await health('off.acme.test')).toEqual([]);

    const troubled = ['captcha.acme.test', 'failed.acme.test', 'silent.acme.test'];
    expect(await names({ needsAttention: true })).toEqual(troubled);
    expect(await names({ needsAttention: true }, staff)).toEqual(troubled);
    expect(await names({ needsAttention: false })).toEqual(['far.acme.test', 'off.acme.test']);
    expect(await names({ needsAttention: true, locale: 'en' })).toEqual(['failed.acme.test']);
  });

  test('tells of failing tests, an expiring certificate and bounces, and leaves out what is expected', async () => {
    const { orm } = app.services.db;
    const far = await websiteId(app.services, 'far.acme.test');
    const step = { name: 'page', ok: false, finding: 'page_other_website', detail: null, ms: 1 };
    const probe = { websiteId: far, ok: false, steps: [step], certificateExpiresAt: ago(-24) };
    await orm.probe.createMany({ data: [3, 2].map((hours) => ({ ...probe, startedAt: ago(hours) })) });
    const [lead] = await recordedLeads(app.services, far, 1, ago(5));
    await orm.notification.update({
      where: { submissionId: lead! },
      data: { state: 'sent', sentAt: ago(5) },
    });
    await orm.bounce.create({
      data: {
        emailId: lead!,
        submissionId: lead!,
        address: 'hello@far.acme.test',
        kind: 'bounced',
        detail: '',
        reportedAt: ago(4),
      },
    });
    const all = ['CERTIFICATE_EXPIRING', 'PAGE_WITHOUT_SCRIPT', 'RECIPIENT_BOUNCING'];
    expect((await kinds('far.acme.test')).toSorted()).toEqual(all);
    expect(await names({ needsAttention: true })).toContain('far.acme.test');
    const until = ago(-24);
    const details = { websiteId: far, until, reason: '', createdAt: NOW };
    for (const kind of all) {
      expect(await names({ needsAttention: true })).toContain('far.acme.test');
      await orm.setAside.create({ data: { ...details, kind } });
    }
    expect(await kinds('far.acme.test')).toEqual([]);
    expect(await names({ needsAttention: false })).toContain('far.acme.test');
    await orm.submission.delete({ where: { id: lead! } });
  });

  test('says of each website that is served that the quota of its team holds e-mails back', async () => {
    const { orm } = app.services.db;
    const far = await websiteId(app.services, 'far.acme.test');
    const [lead] = await recordedLeads(app.services, far, 1, ago(1));
    await orm.notification.update({ where: { submissionId: lead! }, data: { state: 'skipped_quota' } });
    expect(await kinds('far.acme.test')).toEqual(['QUOTA_REACHED']);
    expect(await kinds('captcha.acme.test')).toContain('QUOTA_REACHED');
    expect(await kinds('off.acme.test')).toEqual([]);
    expect(await names({ needsAttention: true }, staff)).toContain('far.acme.test');
    expect(await names({ needsAttention: false })).toEqual(['off.acme.test']);
    await orm.submission.delete({ where: { id: lead! } });
    expect(await kinds('far.acme.test')).toEqual([]);
  });

  test('says of each website that is served that e-mails of its team wait, and of none of another team', async () => {
    const { orm } = app.services.db;
    const far = await websiteId(app.services, 'far.acme.test');
    const [lead] = await recordedLeads(app.services, far, 1, ago(1 / 3));
    await orm.notification.updateMany({ where: { state: 'pending' }, data: { state: 'sent' } });
    const waiting = { state: 'pending', createdAt: ago(1 / 3), retryingSince: ago(1 / 3) } as const;
    await orm.notification.update({ where: { submissionId: lead! }, data: waiting });
    expect(await health('far.acme.test')).toEqual([
      { kind: 'MAIL_HELD', summary: '1 e-mail waits for the mail server, the oldest for 20 minutes' },
    ]);
    expect(await kinds('captcha.acme.test')).toContain('MAIL_HELD');
    expect(await kinds('off.acme.test')).toEqual([]);
    expect(await names({ needsAttention: true })).toContain('far.acme.test');
    expect(await names({ needsAttention: false })).toEqual(['off.acme.test']);
    expect(await names({ needsAttention: true }, staff)).toContain('far.acme.test');
    expect(await names({ needsAttention: false }, staff)).toEqual(['off.acme.test', 'www.globex.test']);
    await orm.submission.delete({ where: { id: lead! } });
    expect(await kinds('far.acme.test')).toEqual([]);
    expect(await names({ needsAttention: false }, staff)).toContain('far.acme.test');
  });

  test('is narrowed by language and state', async () => {
    expect(await names({ locale: 'en' })).toEqual(['failed.acme.test']);
    expect(await names({ disabled: true })).toEqual(['off.acme.test']);
    expect(await names({ disabled: false, search: 'F' })).toEqual(['failed.acme.test', 'far.acme.test']);
  });

  test('finds a name and a host with accents, by letters with or without them', async () => {
    const { orm } = app.services.db;
    const where = { id: await websiteId(app.services, 'far.acme.test') };
    await orm.website.update({ where, data: { name: 'Hôtel du Port 100 %', host: 'hôtel.acme.test' } });
    for (const search of ['hotel du', 'HÔTEL DU', 'ho\u0302tel.acme', 'hotel.acme', '0 %']) {
      expect(await names({ search })).toEqual(['Hôtel du Port 100 %']);
    }
    expect(await names({ search: 'h_tel' })).toEqual([]);
    await orm.website.update({ where, data: { name: 'far.acme.test', host: 'far.acme.test' } });
  });

  test('has the leads of the last days, each day in the time zone of the website', async () => {
    const far = await websiteId(app.services, 'far.acme.test');
    // What the tests before have deleted counts as well.
    await app.services.db.orm.dailyCount.deleteMany({ where: { websiteId: far } });
    // It is past midnight in Auckland: 16 June has begun at noon of the 15th in UTC.
    for (const at of ['2026-06-15T12:00:00Z', '2026-06-15T11:59:00Z', '2026-06-13T12:30:00Z']) {
      await recordedLeads(app.services, far, 1, new Date(at));
    }
    await recordedLeads(app.services, far, 5, new Date('2026-06-12T11:00:00Z'));
    await countAllDays(app.services);
    const query = `query ($id: ID!) {
      website(id: $id) { three: leadsPerDay(days: 3) month: leadsPerDay team { name } }
    }`;
    const { website: found } = await member.ask(query, { id: far });
    expect(found.three).toEqual([1, 1, 1]);
    expect(found.month).toHaveLength(30);
    expect(found.month.slice(-5)).toEqual([5, 0, 1, 1, 1]);
    expect(found.team).toEqual({ name: 'acme' });
    for (const days of [0, 91]) {
      const asked = `query ($id: ID!) { website(id: $id) { leadsPerDay(days: ${days}) } }`;
      expect(await member.refused(asked, { id: far })).toBe('BAD_USER_INPUT');
    }
  });
});

test('a page of a list of 500 websites is read with all its figures within two seconds', async () => {
  const { db } = app.services;
  const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
  const template = await db.orm.website.findFirstOrThrow({ where: { teamId } });
  await db.orm.website.createMany({
    data: Array.from({ length: 500 }, (_, n) => {
      const { id: _id, ...columns } = template;
      return { ...columns, name: `Site ${String(n).padStart(3, '0')}`, host: `s${n}.globex.test` };
    }),
  });
  const query = `query ($teamId: ID) {
    websites(teamId: $teamId, first: 100) {
      edges { node {
        id name host locale disabled leadsPerDay health { kind summary }
        captchaChain { key } team { name }
      } }
    }
  }`;
  const startedAt = performance.now();
  const { websites } = await staff.ask(query, { teamId });
  expect(websites.edges).toHaveLength(100);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('a search finds what a team of that name has, where several teams are in view', async () => {
  const { services } = app;
  await provision(services, [
    team('elan', { name: 'Élan Vital', websites: [website('one.elan.test', { name: 'Contact' })] }),
    team('other', { websites: [website('one.other.test', { name: 'Contact' })] }),
  ]);
  const both = await createAccount(services, { email: 'both@elan.test' });
  const teams = await services.db.orm.team.findMany({ where: { slug: { in: ['elan', 'other'] } } });
  await services.db.orm.membership.createMany({
    data: teams.map(({ id }) => ({ userId: both, teamId: id, role: 'member' as const })),
  });
  const query = `query ($search: String, $teamId: ID) {
    websites(search: $search, teamId: $teamId) { edges { node { team { slug } } } }
    forms(search: $search, teamId: $teamId) { edges { node { team { slug } } } }
  }`;
  const found = async (client: PanelClient, variables: object) => {
    const { websites, forms } = await client.ask(query, variables);
    return [websites, forms].map(({ edges }: { edges: { node: { team: { slug: string } } }[] }) =>
      edges.map(({ node }) => node.team.slug),
    );
  };
  const [of, neither] = [
    [['elan'], ['elan']],
    [[], []],
  ] as const;
  const several = await loggedIn(app.url, services, 'both@elan.test');
  expect(await found(several, { search: 'elan vit' })).toEqual(of);
  expect(await found(staff, { search: 'ÉLAN VIT' })).toEqual(of);
  expect(await found(member, { search: 'elan vit' })).toEqual(neither);
  const [elan] = teams.filter(({ slug }) => slug === 'elan');
  expect(await found(several, { search: 'elan vit', teamId: String(elan!.id) })).toEqual(neither);
});
