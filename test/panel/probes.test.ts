import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runProbe } from '../../src/probes/run-probe.js';
import { createWebsite } from '../../src/websites/editing/save-website.js';
import type { TestApp } from '../support/app.js';
import { contactForm, provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { pageWithScript, type ServedPage, servePage, startProbingApp } from '../support/probed.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

type Step = Readonly<{
  name: string;
  ok: boolean;
  finding: string | null;
  detail: string | null;
  ms: number;
}>;
type Probe = Readonly<{ ok: boolean; startedAt: string; steps: Step[] }>;

const RUN = `mutation ($id: ID!) {
  runProbe(websiteId: $id) { id ok startedAt finishedAt steps { name ok finding detail ms } }
}`;

const ALL = ['page', 'configuration', 'signature', 'captcha', 'recorded', 'email'];

const smtp: SinkBehaviour = {};

let app: TestApp;
let page: ServedPage;
let owner: PanelClient;
let id: string;

/** A form with a field of every type, most of them required, with conditions and narrow attributes. */
const WIDE = contactForm({
  fields: [
    { name: 'name', type: 'text', label: 'Nom', is_required: true, attributes: { minlength: '30' } },
    { name: 'email', type: 'email', label: 'E-mail', is_required: true },
    {
      name: 'code',
      type: 'text',
      label: 'Code',
      is_required: true,
      attributes: { pattern: '[A-Z]{2}-\\d{4}' },
    },
    { name: 'phone', type: 'tel', label: 'Téléphone', is_required: true },
    { name: 'site', type: 'url', label: 'Site', is_required: true },
    {
      name: 'amount',
      type: 'number',
      label: 'Montant',
      is_required: true,
      attributes: { min: '5', max: '20', step: '2.5' },
    },
    { name: 'day', type: 'date', label: 'Jour', is_required: true, attributes: { min: '2031-02-03' } },
    {
      name: 'hour',
      type: 'time',
      label: 'Heure',
      is_required: true,
      attributes: { min: '22:00', max: '06:00' },
    },
    {
      name: 'topic',
      type: 'select',
      label: 'Sujet',
      is_required: true,
      options: [
        { value: 'quote', label: 'Devis' },
        { value: 'other', label: 'Autre' },
      ],
    },
    {
      name: 'extras',
      type: 'checkbox',
      label: 'Options',
      is_required: true,
      is_multiple: true,
      options: [{ value: 'a', label: 'A' }],
    },
    {
      name: 'why',
      type: 'textarea',
      label: 'Pourquoi',
      is_required: true,
      visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
    },
    { name: 'gdpr', type: 'consent', label: 'J’accepte', is_required: true },
  ],
  translations: {},
});

beforeAll(async () => {
  app = await startProbingApp({ smtp, env: { PROBE_MAILBOX: 'probes@agency.test' } });
  await provision(app.services, [team('acme', { forms: [WIDE] })], { notifications_per_month: 0 });
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(() => app.close());

// A website of its own for each test, since a website is probed ten times in ten minutes.
beforeEach(async () => {
  const { db, cipher, changeFeed } = app.services;
  page = await servePage();
  const form = await db.orm.form.findFirstOrThrow();
  const { teamId } = form;
  const settings = { name: page.host, host: page.host, locale: 'fr', email: 'hello@acme.test' };
  const url = `http://${page.host}/contact`;
  ({ id } = await db.orm.$transaction((tx) =>
    createWebsite({ tx, cipher }, { teamId }, { ...settings, url }, TEST_ACTOR),
  ));
  await db.orm.placement.create({ data: { websiteId: id, formId: form.id, teamId } });
  changeFeed.expire();
  page.answer.html = pageWithScript(app.url, id);
});
afterEach(async () => {
  delete smtp.rcpt;
  delete smtp.message;
  await page.close();
  // A later test may be given the same port.
  await app.services.db.orm.website.update({ where: { id }, data: { host: `${id}.test` } });
});

const run = async (): Promise<Probe> => (await owner.ask(RUN, { id })).runProbe;

const found = ({ steps }: Probe) => steps.map(({ name, finding }) => [name, finding]);

/** What a probe finds that fails at a step, or that finds something there. */
const foundAt = (name: string, finding: string) =>
  ALL.slice(0, ALL.indexOf(name) + 1).map((each) => [each, each === name ? finding : null]);

const last = ({ steps }: Probe): Step => steps.at(-1)!;

const changeWebsite = async (data: object) => {
  await app.services.db.orm.website.update({ where: { id }, data });
  app.services.changeFeed.expire();
};

const addStep = async (type: 'altcha' | 'turnstile', position: number) => {
  await app.services.db.orm.captchaStep.create({
    data: { websiteId: id, type, position, identifier: 'main', siteKey: '1x00000000000000000000AA' },
  });
  app.services.changeFeed.expire();
};

describe('a probe of a website where all is well', () => {
  test('passes every step, and its e-mail goes to PROBE_MAILBOX alone', async () => {
    const probe = await run();
    expect(found(probe)).toEqual(ALL.map((name) => [name, null]));
    expect(probe.ok).toBe(true);
    expect(probe.steps.every(({ ok, ms }) => ok && ms >= 0)).toBe(true);
    const [message] = app.sink.messages.slice(-1);
    expect(message!.recipients).toEqual(['probes@agency.test']);
    expect(message!.mail.text).toContain('Formgate test');
    expect(last(probe).detail).toMatch(/^250 /);
  });

  test('leaves no lead behind, uses no quota and counts no captcha', async () => {
    expect((await run()).ok).toBe(true);
    const { orm } = app.services.db;
    expect(await orm.submission.count()).toBe(0);
    expect(await orm.quotaUsage.count({ where: { used: { gt: 0 } } })).toBe(0);
    expect(await orm.quotaNotice.count()).toBe(0);
    await app.services.verdictCounts.settled();
    expect(await orm.captchaCount.count({ where: { websiteId: id } })).toBe(0);
  });

  test('is listed, newest first, in the audit trail, and told as the last one of its website', async () => {
    const LAST = 'query ($id: ID!) { website(id: $id) { lastProbeOk } }';
    expect((await owner.ask(LAST, { id })).website).toEqual({ lastProbeOk: null });
    await run();
    expect((await owner.ask(LAST, { id })).website).toEqual({ lastProbeOk: true });
    page.answer.status = 404;
    await run();
    const { probes } = await owner.ask(
      'query ($id: ID!) { probes(websiteId: $id, first: 5) { ok finishedAt } }',
      {
        id,
      },
    );
    expect(probes.map(({ ok }: Probe) => ok)).toEqual([false, true]);
    expect((await owner.ask(LAST, { id })).website).toEqual({ lastProbeOk: false });
    const where = { action: 'website.probed', subjectId: id };
    const events = await app.services.db.orm.auditEvent.findMany({ where });
    expect(events.map(({ channel }) => channel)).toEqual(['panel', 'panel']);
  });

  test('takes the proof of work further down the chain, and says that the captcha before it was not tried', async () => {
    await addStep('turnstile', 0);
    await addStep('altcha', 1);
    const probe = await run();
    expect(probe.ok).toBe(true);
    expect(found(probe)).toEqual(
      ALL.map((name) => [name, name === 'captcha' ? 'captcha_first_not_probed' : null]),
    );
    expect(probe.steps.find(({ name }) => name === 'captcha')!.detail).toBe('altcha:main');
  });

  test.each([
    ['with a mark', '\ufeff', (text: string) => Buffer.from(text, 'utf16le'), 'text/html'],
    ['of the other order', '\ufeff', (text: string) => Buffer.from(text, 'utf16le').swap16(), 'text/html'],
    ['by its header', '', (text: string) => Buffer.from(text, 'utf16le'), 'text/html; charset="UTF-16"'],
  ])('reads a page in UTF-16 %s', async (_, mark, encode, contentType) => {
    Object.assign(page.answer, { html: encode(mark + pageWithScript(app.url, id)), contentType });
    expect((await run()).ok).toBe(true);
  });

  test('follows the page to where its markup leads', async () => {
    page.answer.others = { '/contact': '<meta content="0; URL=\'/fr/?a=1&amp;b=2\'" HTTP-EQUIV=Refresh>' };
    const probe = await run();
    expect(probe.ok).toBe(true);
    expect(probe.steps[0]!.detail).toBe(`http://${page.host}/fr/?a=1&b=2`);
  });

  test('follows the page to where it redirects', async () => {
    page.answer.location = '/elsewhere';
    const probe = await run();
    expect(probe.ok).toBe(true);
    expect(probe.steps[0]!.detail).toBe(`http://${page.host}/elsewhere`);
  });
});

describe('a probe finds', () => {
  test.each<[string, () => unknown, string]>([
    ['a page that is an error', () => Object.assign(page.answer, { status: 503 }), 'page_status'],
    [
      'a page without the script',
      () => Object.assign(page.answer, { html: '<p>Hello' }),
      'page_without_script',
    ],
    [
      'the script of another website',
      () => Object.assign(page.answer, { html: pageWithScript(app.url, randomUUID()) }),
      'page_other_website',
    ],
    [
      'the script of another gateway',
      () => Object.assign(page.answer, { html: pageWithScript('https://forms.other.test', id) }),
      'page_other_gateway',
    ],
    ['a page whose server is away', () => page.close(), 'page_unreachable'],
    [
      'a page on a network that is not public',
      () => changeWebsite({ url: 'http://10.1.2.3/contact' }),
      'page_not_public',
    ],
  ])('%s, and still tests the rest', async (_title, prepare, finding) => {
    await prepare();
    const probe = await run();
    expect(found(probe)).toEqual(ALL.map((name) => [name, name === 'page' ? finding : null]));
    expect(probe.steps.map(({ ok }) => ok)).toEqual([false, true, true, true, true, true]);
    expect(probe.ok).toBe(false);
  });

  test('a page on another host than the website’s, as its visitors do', async () => {
    await changeWebsite({ host: 'www.elsewhere.test' });
    const probe = await run();
    expect(found(probe)).toEqual([
      ['page', 'page_other_host'],
      ['configuration', 'origin_refused'],
    ]);
  });

  test('a disabled website', async () => {
    await changeWebsite({ disabled: true });
    expect(found(await run())).toEqual(foundAt('configuration', 'website_disabled'));
  });

  test('a website without a form', async () => {
    await app.services.db.orm.placement.updateMany({ where: { websiteId: id }, data: { enabled: false } });
    app.services.changeFeed.expire();
    expect(found(await run())).toEqual(foundAt('configuration', 'no_form'));
  });

  test('a chain without a proof of work, and says that it goes no further', async () => {
    await addStep('turnstile', 0);
    const probe = await run();
    expect(found(probe)).toEqual(foundAt('captcha', 'captcha_not_probed'));
    expect(last(probe)).toMatchObject({ ok: true, detail: 'turnstile:main' });
    expect(probe.ok).toBe(true);
  });

  test.each([
    ['550 5.1.1 No such mailbox', 'mail_refused'],
    ['451 4.7.1 Greylisted', 'mail_deferred'],
  ])('a mail server that answers %s', async (reply, finding) => {
    smtp.rcpt = reply;
    const probe = await run();
    expect(found(probe)).toEqual(foundAt('email', finding));
    expect(last(probe).detail).toContain(reply.slice(4));
    expect(await app.services.db.orm.submission.count()).toBe(0);
  });
});

describe('runProbe', () => {
  test('runs ten times in ten minutes for each website', async () => {
    await changeWebsite({ disabled: true });
    for (let count = 0; count < 10; count++) await run();
    expect(await owner.refused(RUN, { id })).toBe('RATE_LIMITED');
  });

  test('runs two at once for a team, and those of other teams beside them', async () => {
    await provision(app.services, [team('globex', { forms: [contactForm()] })]);
    const other = await loggedIn(app.url, app.services, 'owner@globex.test');
    const theirs = await websiteId(app.services, 'www.globex.test');
    let held = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    smtp.confirm = async () => {
      held += 1;
      await released;
      return undefined;
    };
    const two = [run(), run()];
    await eventually(() => held === 2);
    expect(await owner.refused(RUN, { id })).toBe('RATE_LIMITED');
    const beside = other.ask(RUN, { id: theirs });
    await eventually(() => held === 3);
    release();
    await Promise.all([...two, beside]);
    delete smtp.confirm;
    expect((await run()).ok).toBe(true);
  });

  test('ends as NOT_FOUND when its website is deleted meanwhile', async () => {
    await provision(app.services, [team('initech', { forms: [contactForm()] })]);
    const other = await loggedIn(app.url, app.services, 'owner@initech.test');
    const theirs = await websiteId(app.services, 'www.initech.test');
    let release = () => {};
    const arrived = new Promise<void>((resolve) => {
      smtp.confirm = () => {
        resolve();
        return new Promise((confirm) => {
          release = () => confirm(undefined);
        });
      };
    });
    const refused = other.refused(RUN, { id: theirs });
    await arrived;
    await app.services.managedWebsites.remove(theirs, TEST_ACTOR);
    release();
    delete smtp.confirm;
    expect(await refused).toBe('NOT_FOUND');
  });

  test('shows each step in `probes` as soon as it has ended', async () => {
    let confirm: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => {
      smtp.confirm = async () => {
        resolve();
        await new Promise<void>((release) => {
          confirm = release;
        });
        return undefined;
      };
    });
    const running = run();
    await arrived;
    const query = 'query ($id: ID!) { probes(websiteId: $id, first: 1) { ok steps { name } } }';
    const [probe] = (await owner.ask(query, { id })).probes;
    expect(probe.ok).toBeNull();
    expect(probe.steps.map(({ name }: Step) => name)).toEqual(ALL.slice(0, 5));
    confirm!();
    delete smtp.confirm;
    expect((await running).ok).toBe(true);
  });

  test('refuses a list of more than a hundred probes', async () => {
    expect(
      await owner.refused('query ($id: ID!) { probes(websiteId: $id, first: 101) { id } }', { id }),
    ).toBe('BAD_USER_INPUT');
  });
});

describe('probeDays', () => {
  const DAYS = `query ($id: ID!) {
    probeDays(websiteId: $id) { ok startedAt steps { finding explanation(language: fr) } }
  }`;

  const day = (daysAgo: number, hour: number) => {
    const at = new Date(app.services.clock().getTime() - daysAgo * 86_400_000);
    at.setUTCHours(hour, 0, 0, 0);
    return at;
  };

  const add = (startedAt: Date, finding: string | null) =>
    app.services.db.orm.probe.create({
      data: {
        websiteId: id,
        startedAt,
        finishedAt: startedAt,
        ok: finding === null,
        steps: [{ name: 'page', ok: finding === null, finding, detail: null, ms: 1 }],
      },
    });

  test('has each of ninety days, however many tests a day had', async () => {
    await changeWebsite({ timeZone: 'UTC' });
    for (let daysAgo = 0; daysAgo < 90; daysAgo++) {
      for (const hour of [1, 2, 3]) await add(day(daysAgo + 1, hour), null);
    }
    const { probeDays } = await owner.ask(DAYS, { id });
    expect(probeDays.map(({ startedAt }: Probe) => startedAt)).toEqual(
      Array.from({ length: 90 }, (_, daysAgo) => day(daysAgo + 1, 3).toISOString()),
    );
  });

  test('has the latest test that failed of a day, with its cause in words, in the time zone of the website', async () => {
    await changeWebsite({ timeZone: 'Pacific/Auckland' });
    // Noon in UTC is past midnight in Auckland.
    await add(day(3, 13), 'page_status');
    await add(day(2, 2), 'page_certificate');
    await add(day(2, 3), null);
    await add(day(2, 4), 'interrupted');
    await add(day(1, 3), 'interrupted');
    const { probeDays } = await owner.ask(DAYS, { id });
    expect(probeDays).toEqual([
      {
        ok: false,
        startedAt: day(2, 2).toISOString(),
        steps: [
          {
            finding: 'page_certificate',
            explanation: expect.stringMatching(/^Les navigateurs refusent le certificat .*Renouvelez-le/),
          },
        ],
      },
    ]);
  });
});

test('a probe that a killed gateway has left behind is ended, and its test lead deleted, after five minutes', async () => {
  const { db, probes, clock } = app.services;
  const startedAt = new Date(clock().getTime() - 6 * 60_000);
  const probe = await db.orm.probe.create({ data: { websiteId: id, startedAt } });
  const [lead] = await recordedLeads(app.services, id, 1, startedAt);
  await db.orm.submission.update({ where: { id: lead! }, data: { testRecipient: 'probes@agency.test' } });
  const [kept] = await recordedLeads(app.services, id, 1, startedAt);
  await probes.cleanUp();
  expect(await db.orm.probe.findUniqueOrThrow({ where: { id: probe.id } })).toMatchObject({ ok: false });
  expect((await db.orm.submission.findMany()).map((row) => row.id)).toEqual([kept]);
  await db.orm.submission.deleteMany();
});

test('a probe whose page switches protocols goes on, and ends', async () => {
  page.answer.isUpgrade = true;
  const probe = await run();
  expect(found(probe)).toEqual(ALL.map((name) => [name, name === 'page' ? 'page_unreachable' : null]));
});

test.each([
  ['its process stops', 'interrupted'],
  ['its time is over', 'out_of_time'],
])('a probe ends when %s, although a step waits for what never comes', async (_when, finding) => {
  const { db, websites, forms, probeTokens, clock } = app.services;
  const ending = new AbortController();
  const silent = {
    get() {
      setImmediate(() => ending.abort());
      return new Promise<never>(() => undefined);
    },
  };
  const steps: [string, string | null][] = [];
  const ended = runProbe(
    {
      db,
      websites,
      forms,
      probeTokens,
      clock,
      outbound: silent,
      publicUrl: app.url,
      mailbox: 'a@b.test',
    },
    {
      website: { id, url: `http://${page.host}/`, host: page.host },
      probeId: randomUUID(),
      signal: ending.signal,
      stopping: finding === 'interrupted' ? ending.signal : new AbortController().signal,
      onStep: async (step) => void steps.push([step.name, step.finding]),
    },
  );
  expect(await ended).toMatchObject({ ok: false });
  expect(steps).toEqual([
    ['page', finding],
    ['configuration', finding],
  ]);
});

test('a probe that runs when its process stops is broken off, and leaves no lead behind', async () => {
  const arrived = new Promise<void>((resolve) => {
    smtp.rcpt = () => {
      resolve();
      return 'hang';
    };
  });
  const running = run();
  await arrived;
  await app.services.probes.close();
  const probe = await running;
  expect(found(probe)).toEqual(foundAt('email', 'interrupted'));
  expect(probe.ok).toBe(false);
  expect(await app.services.db.orm.submission.count()).toBe(0);
});
