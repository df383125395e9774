import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readCsv } from '../../../src/lib/text/csv-rows.js';
import { startCaptchaProviders } from '../../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { breakDown, LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const providers = await startCaptchaProviders();
const { app, open } = panelTest({ env: providers.env });
const [STAFF, OWNER] = ['staff@agency.test', 'owner@acme.test'];
const LONG = 'Association des producteurs de fromage de la vallée de la Haute-Isère';
const MINUTE_MS = 60_000;
const INSTANT = expect.stringMatching(/^20\d\d-\d\d-\d\dT.+Z$/);

const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);
const day = (days: number) =>
  new Date(
    ago(days * 1_440)
      .toISOString()
      .slice(0, 10),
  );

beforeAll(async () => {
  const { services } = app();
  const turnstile = (secret: string) => ({ key: 'turnstile:main', site_key: 'site-ts', secret });
  await provision(services, [
    team('acme', {
      websites: [
        website('www.acme.test', { name: LONG, captcha: [turnstile('secret-ts'), { key: 'altcha' }] }),
        website('shop.acme.test', { name: 'Shop', captcha: [turnstile('wrong')] }),
      ],
    }),
  ]);
  await createAccount(services, { email: STAFF, staff: true });
  const [www, shop] = await Promise.all(
    ['www.acme.test', 'shop.acme.test'].map((host) => websiteId(services, host)),
  );
  const { db } = services;
  const count = (
    site: string,
    days: number,
    stepKey: string,
    verdict: 'accepted' | 'refused' | 'fallback',
    n: number,
  ) => ({
    websiteId: site,
    day: day(days),
    stepKey,
    verdict,
    count: n,
  });
  await db.orm.captchaCount.createMany({
    data: [
      ...Array.from({ length: 30 }, (_, n) =>
        count(www!, n, 'turnstile:main', 'accepted', 20 + ((n * 7) % 11)),
      ),
      ...Array.from({ length: 30 }, (_, n) => count(shop!, n, 'altcha', 'refused', n % 4 || 5)),
      count(www!, 2, 'turnstile:main', 'fallback', 1_234),
    ],
  });
  await db.orm.captchaRefusal.createMany({
    data: [
      { websiteId: www!, day: day(1), stepKey: 'turnstile:main', reason: 'wrong_hostname', count: 12 },
      { websiteId: shop!, day: day(1), stepKey: 'altcha', reason: 'no_token', count: 345 },
      { websiteId: shop!, day: day(1), stepKey: 'altcha', reason: 'of_a_later_version', count: 1 },
    ],
  });
  const incident = (site: string, stepKey: string, reason: string, minutes: number, n: number) => ({
    websiteId: site,
    stepKey,
    reason,
    requestId: 'r',
    count: n,
    minute: ago(minutes),
    firstSeenAt: ago(minutes),
    lastSeenAt: ago(minutes),
  });
  await db.orm.incident.createMany({
    data: [
      incident(www!, 'turnstile:main', 'timeout', 21, 30),
      incident(www!, 'turnstile:main', 'timeout', 11, 40),
      incident(shop!, 'turnstile:main', 'timeout', 2, 50),
      incident(shop!, 'hcaptcha:b', 'secret_refused', 2_000, 3),
    ],
  });
});

describe('the captcha console', () => {
  test('says which provider fails now, since when, and on how many websites', async () => {
    const { page, expectSafe, expectAccessible, weight } = await open('/captcha', { as: STAFF });
    const troubles = page.getByRole('list', { name: 'Failing now' }).getByRole('listitem');
    await troubles.first().waitFor();
    expect(await troubles.count()).toBe(1);
    expect(await troubles.innerText()).toMatch(
      /^Turnstile did not answer within three seconds, 120 times\.\s+Since .+ · last at \d\d:\d\d · 2 websites/,
    );
    const states = page.getByRole('region', { name: 'Providers', exact: true }).getByRole('row');
    await states.nth(2).waitFor();
    expect((await states.allInnerTexts()).slice(1)).toEqual([
      expect.stringMatching(/^Turnstile\tFailing since .+\t2\t.+Turnstile did not answer/s),
      'Proof of work\tAnswering\t1\tNone in 30 days',
    ]);
    await page.getByRole('img', { name: /^Accepted: 7\d\d in all/ }).waitFor();
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
  });

  test('names no beginning of what has gone on for longer than it looks back', async () => {
    const { orm } = app().services.db;
    const where = { reason: 'timeout', count: 50 };
    const { firstSeenAt } = await orm.incident.findFirstOrThrow({ where });
    await orm.incident.updateMany({ where, data: { firstSeenAt: ago(7 * 24 * 60 - 5) } });
    try {
      const { page } = await open('/captcha', { as: STAFF });
      const trouble = page.getByRole('list', { name: 'Failing now' }).getByRole('listitem');
      await trouble.filter({ hasText: 'For seven days or longer · last at' }).waitFor();
      await page.getByText('Failing for seven days or longer').waitFor();
    } finally {
      await orm.incident.updateMany({ where, data: { firstSeenAt } });
    }
  });

  test('says of no provider that it answers while it is not known which fail', async () => {
    const { page } = await open('/captcha', { as: STAFF });
    await breakDown(page, 'captchaTroubles');
    await page.reload();
    await page.getByRole('alert').waitFor();
    const states = page.getByRole('region', { name: 'Providers', exact: true }).getByRole('row');
    await states.filter({ hasText: 'Not known' }).nth(1).waitFor();
    expect(await page.getByText('Answering').count()).toBe(0);
  });

  test('shows what steps said by day, provider and website, and why visitors were refused', async () => {
    const { page } = await open('/captcha', { as: STAFF });
    const rows = async (table: string) =>
      (await page.getByRole('region', { name: table, exact: true }).getByRole('row').allInnerTexts()).slice(
        1,
      );
    await page.getByRole('region', { name: 'By provider' }).waitFor();
    expect(await rows('By provider')).toEqual([
      expect.stringMatching(/^Turnstile\t7\d\d\t0\t1,234\t0$/),
      expect.stringMatching(/^Proof of work\t0\t\d+\t0\t0$/),
    ]);
    expect(await rows('By website')).toEqual([
      expect.stringMatching(/^Shop\t0\t\d+\t0\t0$/),
      expect.stringMatching(new RegExp(`^${LONG}\t7\\d\\d\t0\t1,234\t0$`)),
    ]);
    expect(await rows('Why visitors were refused')).toEqual([
      'The page sent no token: a robot, or a page without the script\tProof of work\t345',
      'The token was made on another website\tTurnstile\t12',
      'Another reason: of_a_later_version\tProof of work\t1',
    ]);
    await page.getByRole('img', { name: /^Accepted/ }).waitFor();
    await page.getByText('The figures as a table').click();
    expect((await rows('The figures as a table')).length).toBe(30);
  });

  test('narrows to a provider and a website, which the address keeps', async () => {
    const { page } = await open('/captcha', { as: STAFF });
    await page.getByRole('button', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'Turnstile' }).click();
    await page.getByRole('img', { name: /^Refused: 0 in all/ }).waitFor();
    await page.getByRole('button', { name: 'Website' }).click();
    await page.getByRole('option', { name: 'Shop' }).click();
    await page.getByRole('img', { name: /^Accepted: 0 in all/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Shop' }).waitFor();
    expect(new URL(page.url()).searchParams.get('provider')).toBe('turnstile');
    expect(await page.getByRole('list', { name: 'Failing now' }).innerText()).toContain('1 website');
    await page.getByRole('button', { name: 'Show all websites' }).click();
    await page.getByRole('img', { name: /^Accepted: 7\d\d in all/ }).waitFor();
  });

  test('checks the credentials of all steps by keyboard, and leads to those that are refused', async () => {
    const { page, expectAccessible } = await open('/captcha', { as: STAFF });
    await page.getByRole('button', { name: 'Check credentials' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 step of 2 has credentials that its provider accepts.').waitFor();
    const wrong = page.getByRole('list', { name: 'Steps to look at' }).getByRole('listitem');
    expect(await wrong.innerText()).toContain(
      'Turnstile refuses the credentials, and with them every visitor.',
    );
    await expectAccessible();
    await wrong.getByRole('link', { name: 'Shop' }).click();
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('captcha');
  });

  test('tells incidents in words with their website', async () => {
    const { page } = await open('/captcha', { as: STAFF });
    const incidents = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem');
    await incidents.first().waitFor();
    const texts = await incidents.allInnerTexts();
    expect(texts.length).toBe(3);
    expect(texts[0]).toMatch(/^Shop · .+\n*Turnstile did not answer within three seconds, 50 times\./);
    expect(texts[1]).toContain('Turnstile did not answer within three seconds, 70 times.');
    expect(texts[2]).toContain(
      '3 visitors were refused: the provider does not accept the secret or API key of hCaptcha.',
    );
  });

  test('leads to a page of all incidents, which the provider narrows and a file holds', async () => {
    const { page, expectAccessible, expectSafe } = await open('/captcha', { as: STAFF });
    await page.getByRole('link', { name: 'All incidents of these days' }).click();
    await page.getByRole('heading', { name: 'Captcha incidents', level: 1 }).waitFor();
    const incidents = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem');
    await incidents.nth(2).waitFor();
    await page.getByRole('button', { name: /Provider$/ }).click();
    await page.getByRole('option', { name: 'hCaptcha' }).click();
    await page.waitForURL(/provider=hcaptcha/);
    await incidents.nth(2).waitFor({ state: 'detached' });
    expect(await incidents.allInnerTexts()).toEqual([expect.stringContaining('3 visitors were refused')]);
    await expectAccessible();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^incidents-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    expect(readCsv(readFileSync(await file.path(), 'utf8'))).toEqual([
      ['Website', 'Provider', 'First at (UTC)', 'Last at (UTC)', 'Times', 'What happened'],
      ['Shop', 'hCaptcha', INSTANT, INSTANT, '3', expect.stringContaining('3 visitors were refused')],
    ]);
    await expectSafe();
  });

  test('is there for staff alone', async () => {
    const { page, expectAccessible } = await open('/captcha', { as: OWNER });
    await page.getByText('No page has this address.').waitFor();
    expect(await page.getByRole('link', { name: 'Captcha' }).count()).toBe(0);
    await expectAccessible();
    const { page: staffs } = await open('/inbox', { as: STAFF });
    await staffs.getByRole('link', { name: 'Captcha' }).click();
    await eventually(async () => new URL(staffs.url()).pathname === '/panel/captcha');
  });

  test.each([...LOOKS, { ...LOOKS[2], locale: 'fr-FR' }])(
    'has a page of incidents that fits, and is accessible, in every look',
    async (look) => {
      const { page, expectFits, expectAccessible } = await open('/captcha/incidents', {
        as: STAFF,
        ...look,
      });
      await page.getByRole('list', { name: /^Incidents$/ }).waitFor();
      await expectFits();
      await expectAccessible();
      await picture(
        { page },
        `incidents-${look.colorScheme}-${look.viewport.width}-${'locale' in look ? 'fr' : 'en'}`,
      );
    },
  );

  test.each([...LOOKS, { ...LOOKS[2], locale: 'fr-FR' }])(
    'fits, and is accessible, in every look',
    async (look) => {
      const { page, expectFits, expectAccessible } = await open('/captcha', { as: STAFF, ...look });
      await page.getByRole('img').nth(3).waitFor();
      await page.getByRole('list', { name: /^Incidents$/ }).waitFor();
      await expectFits();
      await expectAccessible();
      await picture(
        { page },
        `captcha-${look.colorScheme}-${look.viewport.width}-${'locale' in look ? 'fr' : 'en'}`,
      );
    },
  );
});
