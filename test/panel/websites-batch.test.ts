import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COLUMNS, readImport } from '../../src/provision/websites/import-rows.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { PROVIDER_SETTINGS, startCaptchaProviders } from '../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let providers: Awaited<ReturnType<typeof startCaptchaProviders>>;
let owner: PanelClient;
let teamId: number;

const HOSTS = ['a.acme.test', 'b.acme.test', 'c.acme.test'];

beforeAll(async () => {
  providers = await startCaptchaProviders();
  app = await startTestApp({ env: providers.env });
  const chain = [{ key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile }, { key: 'altcha' }];
  await provision(app.services, [
    team('acme', {
      websites: [website('from.acme.test', { captcha: chain }), ...HOSTS.map((host) => website(host))],
    }),
    team('globex'),
  ]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(async () => {
  await app.close();
  await providers.stop();
});

const EDIT = 'mutation ($ids: [ID!]!, $input: WebsitesEditInput!) { editWebsites(ids: $ids, input: $input) }';

const idsOf = (hosts: readonly string[]) => Promise.all(hosts.map((host) => websiteId(app.services, host)));

const edit = async (hosts: readonly string[], input: object) =>
  (await owner.ask(EDIT, { ids: await idsOf(hosts), input })).editWebsites;

const stored = (host: string) =>
  app.services.db.orm.website.findFirstOrThrow({
    where: { host },
    include: { departments: true, captchaSteps: { orderBy: { position: 'asc' } } },
  });

const audited = async (host: string) => {
  const subjectId = await websiteId(app.services, host);
  const events = await app.services.db.orm.auditEvent.findMany({
    where: { subjectId },
    orderBy: { id: 'asc' },
  });
  return events.filter(({ channel }) => channel === 'panel').map(({ action }) => action);
};

describe('editing many websites', () => {
  test('changes language, departments and captcha chain of all of them, and says how many differ', async () => {
    const from = await websiteId(app.services, 'from.acme.test');
    const input = { locale: 'de', departments: ['2A', '75'], captchaChainOf: from };
    expect(await edit(HOSTS, input)).toBe(3);
    for (const host of HOSTS) {
      const { locale, departments, captchaSteps } = await stored(host);
      expect(locale).toBe('de');
      expect(departments.map(({ departmentCode }) => departmentCode)).toEqual(['2A', '75']);
      expect(captchaSteps.map(({ type, siteKey }) => [type, siteKey])).toEqual([
        ['turnstile', PROVIDER_SETTINGS.turnstile.site_key],
        ['altcha', null],
      ]);
      expect(await audited(host)).toEqual(['website.updated', 'captcha_chain.updated']);
    }
    expect(await edit(HOSTS, input)).toBe(0);
    expect(await edit(['from.acme.test', ...HOSTS], { ...input, locale: 'fr' })).toBe(4);
    expect((await stored('from.acme.test')).captchaSteps).toHaveLength(2);
  });

  test('copies secrets that the provider accepts', async () => {
    const check = 'mutation ($id: ID!) { checkCaptchaLink(websiteId: $id, key: "turnstile:main") }';
    const [id] = await idsOf([HOSTS[0]!]);
    expect(await owner.ask(check, { id })).toEqual({ checkCaptchaLink: 'ACCEPTED' });
  });

  test('leaves what is not given as it is, and clears a chain on request', async () => {
    const before = await stored(HOSTS[1]!);
    expect(await edit([HOSTS[1]!], { clearCaptchaChain: true })).toBe(1);
    const after = await stored(HOSTS[1]!);
    expect(after.captchaSteps).toEqual([]);
    expect({ ...after, captchaSteps: [] }).toEqual({ ...before, captchaSteps: [] });
    expect(await edit([HOSTS[1]!], {})).toBe(0);
    expect(await edit([HOSTS[1]!], { departments: [] })).toBe(1);
    expect((await stored(HOSTS[1]!)).departments).toEqual([]);
  });

  test('changes none when one is another team’s, when a value is refused, or when there are too many', async () => {
    const before = await Promise.all(HOSTS.map(stored));
    const ids = await idsOf(HOSTS);
    const [foreign] = await idsOf(['www.globex.test']);
    const missing = '0198c2a4-7c1a-7000-8000-000000000001';
    for (const other of [foreign, missing]) {
      expect(await owner.refused(EDIT, { ids: [...ids, other], input: { locale: 'it' } })).toBe('NOT_FOUND');
    }
    expect(await owner.refused(EDIT, { ids, input: { captchaChainOf: foreign } })).toBe('NOT_FOUND');
    const faultsOf = async (input: object) => {
      const { errors } = await owner.send(EDIT, { ids, input });
      return errors?.[0]?.extensions.errors;
    };
    expect(await faultsOf({ locale: 'xx' })).toMatchObject({ 'input.locale': [expect.any(String)] });
    expect(await faultsOf({ departments: ['75', 'NOPE'] })).toEqual({
      'input.departments.1': ['there is no department NOPE'],
    });
    expect(await faultsOf({ captchaChainOf: ids[0], clearCaptchaChain: true })).toEqual({
      'input.clearCaptchaChain': [expect.any(String)],
    });
    for (const count of [0, 501]) {
      const many = Array.from({ length: count }, () => ids[0]);
      expect(await owner.refused(EDIT, { ids: many, input: { locale: 'it' } })).toBe('BAD_USER_INPUT');
    }
    expect(await Promise.all(HOSTS.map(stored))).toEqual(before);
  });
});

const IMPORT = `mutation ($teamId: ID!, $csv: String!, $dryRun: Boolean!) {
  importWebsites(teamId: $teamId, csv: $csv, dryRun: $dryRun) {
    created faultCount faults { row column reason message }
    rows {
      row name host
      settings {
        name host url locale email timeZone company address zipcode city country phone logo departments
      }
    }
  }
}`;

const IMPORTED = 'name,host,url,locale,email';

const websitesCsv = (count: number): string =>
  [
    IMPORTED,
    ...Array.from({ length: count }, (_, n) => `S${n},s${n}.acme.test,https://s${n}.acme.test,fr,a@b.test`),
  ].join('\n');

describe('importing websites', () => {
  const count = () => app.services.db.orm.website.count({ where: { teamId } });
  const run = async (csv: string, dryRun: boolean) =>
    (await owner.ask(IMPORT, { teamId, csv, dryRun })).importWebsites;
  let before: number;

  beforeEach(async () => {
    before = await count();
  });

  test('shows what it would create, then creates all with all their settings', async () => {
    const csv =
      '\uFEFFName;Host;URL;Locale;Email;Time zone;Company;City;Departments\r\n' +
      '"Café; du Port";Port.acme.test;https://port.acme.test;fr;a@port.acme.test;Europe/Paris;Port SARL;Nice;2A, 75\r\n' +
      '\r\n' +
      'Second;second.acme.test;https://second.acme.test;en;a@second.acme.test;;;;\r\n';
    const found = { created: 0, faultCount: 0, faults: [] };
    const blank = { company: '', address: '', zipcode: '', city: '', country: '', phone: '', logo: '' };
    const first = {
      ...blank,
      name: 'Café; du Port',
      host: 'port.acme.test',
      url: 'https://port.acme.test',
      locale: 'fr',
      email: 'a@port.acme.test',
      timeZone: 'Europe/Paris',
      company: 'Port SARL',
      city: 'Nice',
      departments: ['2A', '75'],
    };
    const second = {
      ...blank,
      name: 'Second',
      host: 'second.acme.test',
      url: 'https://second.acme.test',
      locale: 'en',
      email: 'a@second.acme.test',
      timeZone: 'UTC',
      departments: [],
    };
    const rows = [
      { row: 2, name: 'Café; du Port', host: 'Port.acme.test', settings: first },
      { row: 4, name: 'Second', host: 'second.acme.test', settings: second },
    ];
    expect(await run(csv, true)).toEqual({ ...found, rows });
    expect(await count()).toBe(before);
    expect(await run(csv, false)).toEqual({ ...found, rows, created: 2 });
    for (const { departments, ...settings } of [first, second]) {
      const website = await stored(settings.host);
      expect(website).toMatchObject({ ...settings, teamId });
      expect(website.departments.map(({ departmentCode }) => departmentCode)).toEqual(departments);
    }
    expect(await audited('port.acme.test')).toEqual(['website.created']);
  });

  test('tells every fault in the order of rows and columns, and creates nothing while there is any', async () => {
    const csv = [
      'name,host,url,locale,email,time_zone,departments',
      'Right,right.acme.test,https://right.acme.test,fr,a@acme.test,,',
      ',not a host,ftp://x,xx,nobody,Moon/Base,NOPE',
      'Twice,right.acme.test,https://right.acme.test,fr,a@acme.test,,',
      'Taken,A.acme.test,https://a.acme.test,fr,a@acme.test,ECT,75 XX',
      'Long,long.acme.test,https://long.acme.test,fr,a@acme.test,,75,more',
      'Any,*.acme.test,https://any.acme.test,fr,a@acme.test,,',
    ].join('\n');
    for (const dryRun of [true, false]) {
      const { created, faults, faultCount } = await run(csv, dryRun);
      expect(created).toBe(0);
      expect(faults.map((one: Record<string, unknown>) => [one.row, one.column, one.reason])).toEqual([
        ...[
          [3, 'name', 'missing'],
          [3, 'host', 'invalid'],
          [3, 'url', 'invalid'],
          [3, 'locale', 'invalid'],
          [3, 'email', 'invalid'],
          [3, 'time_zone', 'invalid'],
          [4, 'host', 'repeated'],
          [5, 'host', 'taken'],
          [5, 'time_zone', 'invalid'],
          [5, 'departments', 'invalid'],
          [6, null, 'unreadable'],
          [7, 'host', 'invalid'],
        ],
      ]);
      expect(faultCount).toBe(12);
    }
    expect(await count()).toBe(before);
  });

  test.each([
    ['', [[1, null, 'unreadable']]],
    ['name,host\n"x', [[2, null, 'unreadable']]],
    [
      'name,host,colour,name,url\n',
      [
        [1, 'colour', 'unknown_column'],
        [1, 'name', 'repeated'],
        [1, 'locale', 'missing'],
        [1, 'email', 'missing'],
      ],
    ],
    [
      `name,host,url,locale,email\n${Array.from({ length: 501 }, (_, n) => `${n},h${n}.test,https://h,fr,a@b.c`).join('\n')}`,
      [[1, null, 'too_many']],
    ],
  ])('refuses as a whole what has no proper headings or too many rows (%#)', async (csv, expected) => {
    const { faults, rows } = await run(csv, false);
    expect(faults.map((one: Record<string, unknown>) => [one.row, one.column, one.reason])).toEqual(expected);
    expect(rows).toEqual([]);
  });

  test('is refused when it is too long, and takes 500 websites at once', async () => {
    const { created } = await run(websitesCsv(500), false);
    expect(created).toBe(500);
    expect(await count()).toBe(before + 500);
    const long = { teamId, csv: `${IMPORTED}\n${'x'.repeat(200_000)}`, dryRun: true };
    expect(await owner.refused(IMPORT, long)).toBe('BAD_USER_INPUT');
    const websites = await app.services.db.orm.website.findMany({
      where: { teamId, name: { startsWith: 'S' } },
    });
    const ids = websites.map(({ id }) => id).slice(0, 500);
    expect((await owner.ask(EDIT, { ids, input: { locale: 'en', departments: ['75'] } })).editWebsites).toBe(
      500,
    );
  });
});

test('whatever the cells hold, each row is either right or told of, and no cell moves to another', async () => {
  const cell = fc.oneof(
    fc.string(),
    fc.constantFrom('fr', 'a.test', 'https://a.test', 'a@a.test', '"', ';', '\n'),
  );
  const columns = Object.keys(COLUMNS);
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const line = fc.array(cell, { minLength: columns.length, maxLength: columns.length });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
      const csv = [columns, ...lines].map((cells) => cells.map(quoted).join(',')).join('\n');
      const { rows, faults } = await readImport(csv, ['en', 'fr']);
      const filled = lines.filter((cells) => cells.some((text) => text.trim() !== ''));
      expect(rows.map(({ name }) => name)).toEqual(filled.map(([name]) => name!.trim()));
      for (const { row, settings } of rows) {
        expect(settings === null).toBe(faults.some((fault) => fault.row === row));
      }
    }),
  );
});

test.each([
  ['500 websites', websitesCsv(500), 25],
  ['empty rows', `name\n${'\n'.repeat(100_000)}`, 100],
])('an import of %s is read in turns of the event loop', async (_title, csv, least) => {
  let turns = 0;
  let isRead = false;
  const reading = readImport(csv, ['fr']).finally(() => {
    isRead = true;
  });
  for (; !isRead; turns++) await nextTurn();
  await reading;
  expect(turns).toBeGreaterThanOrEqual(least);
});

test('an import tells the same fault of a cell once, of however many departments', async () => {
  const row = (host: string) => `A,${host},https://${host},fr,a@b.test,${'1 '.repeat(170)}`;
  const csv = [`${IMPORTED},departments`, row('a.test'), row('b.test')].join('\n');
  const { faults } = await readImport(csv, ['fr']);
  const ofCells = faults.filter(({ column }) => column === 'departments');
  expect(ofCells.map(({ row }) => row)).toEqual([2, 3]);
});

test('an import with more headings than can be columns tells the first hundred', async () => {
  const { faults } = await readImport(','.repeat(100_000), ['fr']);
  expect(faults.filter(({ reason }) => reason === 'unknown_column')).toHaveLength(100);
});
