import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { contactForm, provision, TEST_ACTOR, team, website, websiteId } from '../../support/factories.js';
import { recordedLeads, setSearchWords } from '../../support/leads.js';
import { hasFocus, LOOKS, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];
const HOST = 'www.acme.test';

let siteId: string;

beforeAll(async () => {
  const { services } = app();
  await provision(services, [team('acme', { forms: [contactForm()], websites: [website(HOST)] })]);
  siteId = await websiteId(services, HOST);
});

beforeEach(async () => {
  await app().services.db.orm.submission.deleteMany();
});

/** Records leads. Many are copies of one, without an e-mail of their own. */
async function leads(count: number): Promise<string[]> {
  const { services } = app();
  if (count <= 5) return recordedLeads(services, siteId, count);
  const ids = await recordedLeads(services, siteId, 1);
  await services.db.orm.$executeRaw`
    INSERT INTO submissions
    SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).*
      FROM submissions s, generate_series(2, ${count})`;
  return ids;
}

const rows = (page: Page) => page.getByRole('grid', { name: 'Leads' }).getByRole('row');
const count = (where: object = {}) => app().services.db.orm.submission.count({ where });

/** Opens the inbox with so many leads in it. */
async function openInbox(shown: string, as = OWNER, path = '/inbox') {
  const opened = await open(path, { as });
  await opened.page.getByText(shown, { exact: true }).waitFor();
  return opened;
}

test('e-mails that the quota holds back are told, however many other teams have had held back since', async () => {
  const { services } = app();
  await provision(services, [team('globex')]);
  const globex = await websiteId(services, 'www.globex.test');
  // Their random ids all but always come after those of leads that are recorded.
  await leads(5_500);
  await recordedLeads(services, globex, 2);
  const { orm } = services.db;
  // In this state from the beginning, since the worker would take a pending one; an attempt that has begun is fenced
  // off.
  await orm.$executeRaw`
    INSERT INTO notifications (submission_id, created_at, state)
    SELECT id, created_at, 'skipped_quota' FROM submissions
    ON CONFLICT (submission_id) DO UPDATE SET state = excluded.state, attempts = notifications.attempts + 1`;
  const { page } = await open('/inbox', { as: 'owner@globex.test' });
  await page.getByText('The quota holds back 2 e-mails.').waitFor();
  await page.getByRole('link', { name: 'Held by the quota' }).waitFor();
});

test('the inbox is walked by keyboard alone: selecting, moving and opening leads, and out of them again', async () => {
  const ids = await leads(5);
  const { page } = await openInbox('5 leads');
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  // By Tab, as who has no pointer comes to the list.
  const grid = page.getByRole('grid', { name: 'Leads' });
  await grid.waitFor();
  for (let tabs = 0; tabs < 60 && !(await hasFocus(grid)); tabs++) await press('Tab');
  expect(await hasFocus(grid)).toBe(true);
  /** Waits until a lead is open, which takes the cursor to it. */
  const isOpen = (row: number) => rows(page).nth(row).and(page.locator('[aria-current]')).waitFor();
  await press('ArrowDown');
  await isOpen(1);
  await press('x', 'j');
  await isOpen(2);
  await press('x');
  await page.getByText('2 selected').waitFor();
  expect(await page.getByRole('row', { selected: true }).count()).toBe(2);
  await press('j');
  await isOpen(3);
  await press('j');
  await isOpen(4);
  await press('X');
  await page.getByText('4 selected').waitFor();
  await press('x');
  await page.getByText('3 selected').waitFor();
  await press('e');
  await page.getByText('3 leads done').waitFor();
  await eventually(async () => (await count({ state: 'done' })) === 3);
  await press('k');
  const heading = page.getByRole('article').getByRole('heading', { level: 2 });
  await heading.waitFor();
  await press('Enter');
  await eventually(() => hasFocus(heading));
  const opened = new URL(page.url()).pathname.split('/').at(-1)!;
  expect(ids).toContain(opened);
  await press('Escape');
  await eventually(async () => hasFocus(grid));
});

describe('a search without two letters or digits', () => {
  test.each(['🌱', '!!!', '%', '-', 'x'])(
    '%s finds nothing, and offers no change and no export',
    async (q) => {
      await leads(3);
      const { page, expectSafe, expectFits } = await openInbox('3 leads');
      await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
      await page.getByRole('searchbox', { name: 'Search' }).fill(q);
      await page.getByText('A search needs at least two letters or digits.').waitFor();
      expect(await rows(page).count()).toBe(0);
      expect(await page.getByRole('checkbox').count()).toBe(0);
      for (const name of ['Export', 'Delete', 'Done', 'Send again', /^Select all/, 'Save this view']) {
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      }
      await picture({ page }, 'inbox-unsearchable');
      await page.setViewportSize(LOOKS[2].viewport);
      await expectFits();
      await picture({ page }, 'inbox-unsearchable-narrow');
      await page.getByRole('link', { name: 'Clear search and filters' }).click();
      await page.getByText('3 leads', { exact: true }).waitFor();
      await page.goto(`${app().url}/panel/inbox?q=${encodeURIComponent(q)}`);
      await page.getByText('A search needs at least two letters or digits.').waitFor();
      expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0);
      await expectSafe();
    },
  );
});

describe('deleting leads', () => {
  test('asks, names the lead and what goes with it, and leaves the others', async () => {
    const [id = ''] = await leads(2);
    const { page, expectAccessible, expectSafe } = await openInbox('2 leads', OWNER, `/inbox/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1 lead?' });
    await dialog.getByText(/with its e-mails, notes and history/).waitFor();
    await expectAccessible();
    await picture({ page }, 'inbox-delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await count()).toBe(2);
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('1 lead deleted').waitFor();
    await page.getByText('1 lead', { exact: true }).waitFor();
    expect([await count(), await count({ id })]).toEqual([1, 0]);
    expect(new URL(page.url()).pathname).toBe('/panel/inbox');
    await expectSafe();
  });

  test('loads the page anew where the release that it is of is gone, and asks then', async () => {
    await leads(2);
    const { page } = await open('/inbox', { as: OWNER, expected: /404/ });
    await page.route('**/assets/delete-dialog-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Delete' }).click();
    await loaded;
    await page.unroute('**/assets/delete-dialog-*.js');
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 leads?' }).waitFor();
  });

  test('leaves what is under legal hold, and says so', async () => {
    const [id = ''] = await leads(3);
    const { page } = await openInbox('3 leads', OWNER, `/inbox/${id}`);
    await page.getByRole('button', { name: /legal hold/i }).click();
    const reason = page.getByRole('dialog').getByRole('textbox');
    await reason.fill('Dispute');
    await page.getByRole('dialog').getByRole('button', { name: 'Hold', exact: true }).click();
    await reason.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 leads?' });
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('2 leads deleted; 1 stays: it is under legal hold').waitFor();
    expect(await count({ id })).toBe(1);
    expect(await count()).toBe(1);
  });

  test('is refused at once for the open lead while it is under legal hold', async () => {
    const [id = ''] = await leads(1);
    const data = { legalHoldAt: new Date(), legalHoldReason: 'Dispute' };
    await app().services.db.orm.submission.update({ where: { id }, data });
    const { page, expectAccessible } = await openInbox('1 lead', OWNER, `/inbox/${id}`);
    await page.getByText(/^Under legal hold since .*: Dispute$/).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1 lead?' });
    await dialog.getByText('The lead is under legal hold, so it cannot be deleted.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete for good' }).isDisabled()).toBe(true);
    await expectAccessible();
    await picture({ page }, 'inbox-delete-held');
  });

  test('says that there are more than could be counted', async () => {
    await leads(10_001);
    const { page } = await openInbox('10,000+ leads');
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByRole('button', { name: 'Select all 10,000+ that match' }).click();
    await page.getByText('10,000+ selected').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 10,000+ leads?' });
    await dialog.getByText('and 9,995+ more').waitFor();
  });

  test('is not offered to a member', async () => {
    const [id = ''] = await leads(1);
    const { page } = await openInbox('1 lead', MEMBER, `/inbox/${id}`);
    await page.getByRole('heading', { name: 'History' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });

  test('that fails half way says so, and what is left stays in the list', async () => {
    await leads(2);
    const { page } = await open('/inbox', { as: OWNER, expected: /500/ });
    await page.getByText('2 leads', { exact: true }).waitFor();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('mutation deleteSelected(')
        ? route.fulfill({ status: 500, json: { errors: [{ message: 'Broken.' }] } })
        : route.fallback(),
    );
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByText('Something went wrong in the gateway.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await count()).toBe(2);
    await page.getByText('2 selected').waitFor();
  });
});

test('an undo that fails leaves the list as it is', async () => {
  await leads(2);
  const { page } = await open('/inbox', { as: OWNER, expected: /500/ });
  await page.getByText('2 leads', { exact: true }).waitFor();
  await rows(page).nth(1).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('1 lead done').waitFor();
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('mutation setStateOfSelected(')
      ? route.fulfill({ status: 500, json: { errors: [{ message: 'Broken.' }] } })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Something went wrong in the gateway.').waitFor();
  // The heading, and the lead that was left.
  await eventually(async () => (await rows(page).count()) === 2);
  expect(await count({ state: 'done' })).toBe(1);
});

test('a change whose answer is lost shows as the gateway has it', async () => {
  await leads(1);
  const { page } = await open('/inbox?folder=all', { as: OWNER, expected: /Failed to load/ });
  const row = rows(page).nth(1);
  await row.getByText('New', { exact: true }).waitFor();
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('mutation setStateOfSelected(')) return route.fallback();
    await route.fetch();
    return route.abort();
  });
  await row.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('The gateway cannot be reached.').waitFor();
  await row.getByText('Done', { exact: true }).waitFor();
  expect(await count({ state: 'done' })).toBe(1);
});

test('a lead that is gone meanwhile is told and leaves the list, and the others are changed', async () => {
  const [id = '', other = ''] = await leads(3);
  const { page } = await openInbox('3 leads');
  const { submission } = app().services.db.orm;
  await submission.delete({ where: { id } });
  await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('2 leads done').waitFor();
  await page.getByText('1 lead is no longer there. The list has been read again.').waitFor();
  expect(await count({ state: 'done' })).toBe(2);
  await submission.delete({ where: { id: other } });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 lead', { exact: true }).waitFor();
  await eventually(async () => (await count({ state: 'new' })) === 1);
  // The heading, and the lead that is new again.
  await eventually(async () => (await rows(page).count()) === 2);
});

test('a lead that is gone is told to who would send its e-mail again', async () => {
  await leads(1);
  const { page } = await openInbox('1 lead');
  await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
  await app().services.db.orm.submission.deleteMany();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('1 lead is no longer there. The list has been read again.').waitFor();
  await eventually(async () => (await rows(page).count()) === 0);
});

test('an undo leaves what a colleague has changed meanwhile, shows it so and says so', async () => {
  const [id = '', other = ''] = await leads(2);
  const { page } = await openInbox('2 leads');
  await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('2 leads done').waitFor();
  await eventually(async () => (await count({ state: 'done' })) === 2);
  await app().services.handling.setState([id], 'spam', TEST_ACTOR);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 lead was changed meanwhile and stays as it is').waitFor();
  await page.getByText('1 lead', { exact: true }).waitFor();
  // The heading, and the lead that is new again.
  await eventually(async () => (await rows(page).count()) === 2);
  expect([await count({ id, state: 'spam' }), await count({ id: other, state: 'new' })]).toEqual([1, 1]);
});

describe('a lead that has become spam since the list was read', () => {
  const told = '1 lead was changed meanwhile and stays as it is';

  test('stays so when the leads shown are changed, whatever states those have', async () => {
    const [id = '', other = '', third = ''] = await leads(3);
    const { handling } = app().services;
    await handling.setState([other], 'done', TEST_ACTOR);
    const { page } = await openInbox('3 leads', OWNER, '/inbox?folder=all');
    await handling.setState([id], 'spam', TEST_ACTOR);
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('2 leads archived').waitFor();
    await page.getByText(told).waitFor();
    await rows(page).getByText('Spam', { exact: true }).waitFor();
    expect(await count({ id, state: 'spam' })).toBe(1);
    expect(await count({ id: { in: [other, third] }, state: 'archived' })).toBe(2);
  });

  test('stays so when a button of the open lead is pressed', async () => {
    const [id = ''] = await leads(1);
    const { page } = await open(`/inbox/${id}?folder=all`, { as: OWNER });
    const button = page.getByRole('button', { name: 'Done' });
    await button.waitFor();
    await app().services.handling.setState([id], 'spam', TEST_ACTOR);
    await button.click();
    await page.getByText(told).waitFor();
    expect(await count({ id, state: 'spam' })).toBe(1);
  });
});

test('what became of a lead is unknown when only the answer for others came', async () => {
  const [id = ''] = await leads(2);
  await app().services.handling.setState([id], 'done', TEST_ACTOR);
  const { page } = await open('/inbox?folder=all', { as: OWNER, expected: /Failed to load/ });
  await page.getByText('2 leads', { exact: true }).waitFor();
  let calls = 0;
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('mutation setStateOfSelected(')) return route.fallback();
    calls += 1;
    if (calls === 1) return route.fallback();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('1 lead archived').waitFor();
  await page.getByText(/^What became of 1 lead is unknown/).waitFor();
  expect(await count({ state: 'archived' })).toBe(2);
});

describe('a second change of a lead', () => {
  /** Makes a lead done and then in progress, where the answer to the first comes only after the second. */
  async function changeTwice(answerFirst: (route: Route) => Promise<void>, expected?: RegExp) {
    await leads(1);
    const { page } = await open('/inbox?folder=all', { as: OWNER, ...(expected && { expected }) });
    const row = rows(page).nth(1);
    await row.getByText('New', { exact: true }).waitFor();
    let answer!: () => void;
    const first = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('"state":"done"')) return route.fallback();
      await first;
      return answerFirst(route);
    });
    await row.click();
    await row.and(page.locator('[aria-current]')).waitFor();
    await page.keyboard.press('e');
    await row.getByText('Done', { exact: true }).waitFor();
    await page.keyboard.press('i');
    await row.getByText('In progress', { exact: true }).waitFor();
    answer();
    await page.getByText('1 lead in progress').waitFor();
    await row.getByText('In progress', { exact: true }).waitFor();
    return page;
  }

  test('waits for the answer to the first', async () => {
    await changeTwice((route) => route.fallback());
    expect(await count({ state: 'in_progress' })).toBe(1);
  });

  test('is made also when the first one fails', async () => {
    const page = await changeTwice(
      (route) => route.fulfill({ status: 500, json: { errors: [{ message: 'Broken.' }] } }),
      /500/,
    );
    expect(await count({ state: 'in_progress' })).toBe(1);
    await page.getByText('Something went wrong in the gateway.').waitFor();
  });
});

/** Refuses changes of states after some calls, each for a second: until `end`, and again from `begin` on. */
async function limitChanges(page: Page, { after }: { after: number }) {
  let [calls, isReached] = [0, true];
  await page.route('**/graphql', (route) => {
    if (!route.request().postData()?.includes('mutation setStateOfSelected(')) return route.fallback();
    calls += 1;
    if (!isReached || calls <= after) return route.fallback();
    const error = { message: 'Too many requests.', extensions: { code: 'RATE_LIMITED', retryAfterS: 1 } };
    return route.fulfill({ json: { errors: [error], data: null } });
  });
  return {
    begin: () => {
      isReached = true;
    },
    end: () => {
      isReached = false;
    },
  };
}

test('a change of few leads for which a limit has no room says when it may be tried again', async () => {
  await leads(2);
  const { page } = await openInbox('2 leads');
  await limitChanges(page, { after: 0 });
  await rows(page).nth(1).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('There have been too many attempts. Try again in 1 second.').waitFor();
  await page.getByText('2 leads', { exact: true }).waitFor();
  expect(await count({ state: 'done' })).toBe(0);
});

test('leads of a team in which the viewer is a member can be neither selected nor changed by a key', async () => {
  const { services } = app();
  await provision(services, [team('globex')]);
  const { orm } = services.db;
  const [{ id: userId }, { id: teamId }] = await Promise.all([
    orm.user.findUniqueOrThrow({ where: { email: OWNER } }),
    orm.team.findUniqueOrThrow({ where: { slug: 'globex' } }),
  ]);
  await orm.$transaction((tx) => services.teams.setRole(tx, { teamId, userId }, 'member', TEST_ACTOR));
  const earlier = new Date(Date.now() - 60_000);
  const mine = [
    ...(await recordedLeads(services, siteId, 1)),
    ...(await recordedLeads(services, siteId, 1, new Date(earlier.getTime() - 1))),
  ];
  const [foreign] = await recordedLeads(services, await websiteId(services, 'www.globex.test'), 1, earlier);
  const { page, expectAccessible, expectSafe } = await openInbox('3 leads', OWNER, `/inbox/${foreign}`);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  for (const key of ['x', 'e', 'Shift+ArrowDown']) await page.keyboard.press(key);
  await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
  await page.getByText('2 selected').waitFor();
  expect(await rows(page).getByRole('checkbox').count()).toBe(2);
  expect(await page.getByRole('button', { name: /^Select all/ }).count()).toBe(0);
  await expectAccessible();
  await page.getByRole('button', { name: 'Done' }).first().click();
  await page.getByText('2 leads done').waitFor();
  const done = await orm.submission.findMany({ where: { state: 'done' }, select: { id: true } });
  expect(done.map(({ id }) => id).sort()).toEqual(mine.sort());
  await page.goto(`${app().url}/panel/inbox?team=${teamId}`);
  await page.getByText('1 lead', { exact: true }).waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await expectSafe();
  await orm.membership.delete({ where: { teamId_userId: { teamId, userId } } });
});

test('another list begins at its first lead, and the keys with it', async () => {
  await leads(60);
  const { orm } = app().services.db;
  const half = await orm.submission.findMany({ take: 30, select: { id: true } });
  await orm.submission.updateMany({
    where: { id: { in: half.map(({ id }) => id) } },
    data: { state: 'done' },
  });
  const { page } = await openInbox('30 leads');
  /** How far the list is scrolled; -1 while it is not there. */
  const scrolled = () =>
    page.evaluate(`document.getElementById('leads')?.parentElement.scrollTop ?? -1`) as Promise<number>;
  await rows(page).nth(1).waitFor();
  // A key that outruns the list may find no next lead.
  await eventually(async () => {
    await page.keyboard.press('j');
    return (await scrolled()) > 0;
  });
  await page.getByRole('link', { name: /^Done/ }).click();
  await eventually(async () => new URL(page.url()).searchParams.get('folder') === 'done');
  await eventually(async () => (await scrolled()) === 0);
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).pathname).toBe('/panel/inbox');
  await page.keyboard.press('j');
  const link = rows(page).nth(1).getByRole('link').first();
  await eventually(async () => {
    const [opened] = /(?<=\/inbox\/).+/.exec(new URL(page.url()).pathname) ?? [];
    return opened !== undefined && (await link.getAttribute('href'))?.includes(opened);
  });
});

test('a key that is held changes one lead', async () => {
  await leads(3);
  const { page } = await openInbox('3 leads');
  await page.keyboard.press('j');
  await page.getByRole('article').getByRole('heading', { level: 2 }).waitFor();
  for (let held = 0; held < 3; held++) await page.keyboard.down('e');
  await page.keyboard.up('e');
  await page.getByText('2 leads', { exact: true }).waitFor();
  expect(await count({ state: 'done' })).toBe(1);
});

test('a lead that was opened by its address and is not in the list takes the keys of its state', async () => {
  const [id = ''] = await leads(2);
  await app().services.db.orm.submission.update({ where: { id }, data: { state: 'done' } });
  const { page } = await openInbox('1 lead', OWNER, `/inbox/${id}`);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('1 lead archived').waitFor();
  expect(await count({ id, state: 'archived' })).toBe(1);
});

describe('more than 500 leads at once', () => {
  /** Lets the second portion of a mutation wait, so that its progress can be seen. @returns what lets it go. */
  async function holdSecond(page: Page, mutation: string): Promise<() => void> {
    let letGo = () => {};
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let portions = 0;
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes(`mutation ${mutation}(`)) {
        portions += 1;
        if (portions === 2) await free;
      }
      await route.continue();
    });
    return () => letGo();
  }

  /** Answers the second portion of a mutation instead of the gateway. */
  async function failSecond(
    page: Page,
    mutation: string,
    answer: Parameters<Route['fulfill']>[0],
  ): Promise<void> {
    let portions = 0;
    await page.route('**/graphql', (route) => {
      if (!route.request().postData()?.includes(`mutation ${mutation}(`)) return route.fallback();
      portions += 1;
      return portions === 2 ? route.fulfill(answer) : route.fallback();
    });
  }

  test('are deleted as far as it came where it fails half way, and the rest once that is tried again', async () => {
    await leads(520);
    const { page } = await open('/inbox', { as: OWNER, expected: /500/ });
    await page.getByText('520 leads', { exact: true }).waitFor();
    const grid = page.getByRole('grid', { name: 'Leads' });
    await eventually(async () => {
      await grid.press('End');
      return (await grid.getAttribute('aria-rowcount')) === '521';
    });
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByText('520 selected').waitFor();
    await failSecond(page, 'deleteSelected', { status: 500, json: { errors: [{ message: 'Broken.' }] } });
    await page.getByRole('button', { name: 'Delete' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Delete 520 leads?' });
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByText('Something went wrong in the gateway.').waitFor();
    await page.getByText('500 leads deleted').waitFor();
    expect(await count()).toBe(20);
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('20 leads deleted').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await count()).toBe(0);
  });

  test('are not said to have stayed as they were where an answer was lost', async () => {
    await leads(620);
    const { page } = await open('/inbox', { as: OWNER, expected: /Failed to load/ });
    await page.getByText('620 leads', { exact: true }).waitFor();
    await selectAll(page, '620');
    let portions = 0;
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation setStateOfSelected(')) return route.fallback();
      portions += 1;
      if (portions === 1) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^Paused until/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('500 leads done').waitFor();
    await page.getByText(/^What became of up to \d+ leads is unknown/).waitFor();
    expect(await page.getByText('The rest has stayed as it was.', { exact: true }).count()).toBe(0);
    expect(await count({ state: 'done' })).toBe(620);
  });

  /** Selects all that the list finds. */
  async function selectAll(page: Page, total: string): Promise<void> {
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByRole('button', { name: `Select all ${total} that match` }).click();
    await page.getByText(`${total} selected`).waitFor();
  }

  test('are marked done in portions, which shows how far it is', async () => {
    await leads(620);
    const { page, expectAccessible } = await openInbox('620 leads');
    await selectAll(page, '620');
    const letGo = await holdSecond(page, 'setStateOfSelected');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    await page.getByText('500 of 620').waitFor();
    await expectAccessible();
    letGo();
    await page.getByText('620 leads done').waitFor();
    expect(await count({ state: 'done' })).toBe(620);
  });

  test('are those of the moment in which they were selected, though later ones are shown since', async () => {
    await leads(120);
    const { page } = await openInbox('120 leads');
    await page.clock.install();
    await page.reload();
    await page.getByText('120 leads', { exact: true }).waitFor();
    await selectAll(page, '120');
    const [later = ''] = await recordedLeads(app().services, siteId, 1);
    await page.clock.runFor(20_000);
    await page.getByRole('button', { name: '1 new lead – show' }).click();
    const isChosen = (index: number) => rows(page).nth(index).getByRole('checkbox').isChecked();
    await eventually(async () => !(await isChosen(1)));
    expect(await isChosen(2)).toBe(true);
    await page.getByText('120 selected').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.clock.runFor(1_000);
    await page.getByText('120 leads done').waitFor();
    expect(await count({ state: 'done' })).toBe(120);
    expect(await count({ id: later, state: 'new' })).toBe(1);
  });

  test('are changed by no key while another change of many runs', async () => {
    await leads(620);
    const { page } = await openInbox('620 leads');
    await selectAll(page, '620');
    const letGo = await holdSecond(page, 'setStateOfSelected');
    await page.keyboard.press('e');
    await page.getByText('500 of 620').waitFor();
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    const archive = page.getByRole('button', { name: 'Archive', exact: true });
    expect(await archive.isDisabled()).toBe(true);
    await page.keyboard.press('a');
    // A change that begins takes the selection, and its buttons, away.
    expect(await archive.count()).toBe(1);
    letGo();
    await page.getByText('620 leads done').waitFor();
    expect(await count({ state: 'done' })).toBe(620);
    expect(await count({ state: 'archived' })).toBe(0);
  });

  test('that fail half way stay changed as far as it came, and that can be undone', async () => {
    await leads(620);
    const { page } = await open('/inbox', { as: OWNER, expected: /500/ });
    await page.getByText('620 leads', { exact: true }).waitFor();
    await selectAll(page, '620');
    await failSecond(page, 'setStateOfSelected', { status: 500, json: { errors: [{ message: 'Broken.' }] } });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Something went wrong in the gateway.').waitFor();
    await page.getByText('500 leads done').waitFor();
    await page.getByText('120 leads', { exact: true }).waitFor();
    expect(await count({ state: 'done' })).toBe(500);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('620 leads', { exact: true }).waitFor();
    expect(await count({ state: 'done' })).toBe(0);
  });

  test('go on after a failure that passes', async () => {
    await leads(620);
    const { page } = await open('/inbox', { as: OWNER, expected: /503/ });
    await page.getByText('620 leads', { exact: true }).waitFor();
    await selectAll(page, '620');
    await failSecond(page, 'setStateOfSelected', { status: 503, body: '' });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('620 leads done').waitFor();
    expect(await count({ state: 'done' })).toBe(620);
  });

  test('are not changed by the second press of a double click, nor is the selection', async () => {
    await leads(620);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 360, height: 740 },
    ]) {
      const { page } = await open('/inbox', { as: OWNER, locale: 'fr-FR', viewport });
      await page.getByText('620 demandes', { exact: true }).waitFor();
      const all = page.getByRole('button', { name: 'Sélectionner les 620 qui correspondent' });
      await page
        .getByRole('checkbox', { name: /Sélectionner/ })
        .first()
        .check();
      await all.dblclick();
      await page.getByText('620 sélectionnées').waitFor();
      await page.getByRole('button', { name: 'Sélectionner seulement celles affichées' }).waitFor();
      expect(await page.getByRole('progressbar').count()).toBe(0);
    }
    expect(await count({ state: 'new' })).toBe(620);
  });

  test('keep the focus at the button by which all were selected, which takes that back', async () => {
    await leads(620);
    const { page } = await openInbox('620 leads');
    await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
    await page.getByRole('button', { name: 'Select all 620 that match' }).press('Enter');
    await page.getByText('620 selected').waitFor();
    const shown = page.getByRole('button', { name: 'Select only those shown' });
    await eventually(() => hasFocus(shown));
    await shown.press('Enter');
    await page.getByText('50 selected').waitFor();
  });

  test('stay as they were once that is cancelled, and what is done can be undone', async () => {
    await leads(1_120);
    const { page, expectAccessible } = await openInbox('1,120 leads');
    await selectAll(page, '1,120');
    const letGo = await holdSecond(page, 'setStateOfSelected');
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('500 of 1,120').waitFor();
    await expectAccessible();
    await picture({ page }, 'inbox-cancel-many');
    await page.getByRole('button', { name: 'Cancel' }).click();
    letGo();
    await page.getByText('1,000 leads archived').waitFor();
    await page.getByText('The rest has stayed as it was.').waitFor();
    expect(await count({ state: 'archived' })).toBe(1_000);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await count({ state: 'new' })) === 1_120);
  });

  test('are cancelled also while they wait for a limit', async () => {
    await leads(620);
    const { page } = await openInbox('620 leads');
    await selectAll(page, '620');
    await limitChanges(page, { after: 1 });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^Paused until/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('500 leads done').waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    expect(await count({ state: 'done' })).toBe(500);
  });

  test('are deleted no further once that is cancelled', async () => {
    await leads(1_120);
    const { page } = await openInbox('1,120 leads');
    await selectAll(page, '1,120');
    const letGo = await holdSecond(page, 'deleteSelected');
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1,120 leads?' });
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByText('500 of 1,120').waitFor();
    await dialog.getByRole('button', { name: 'Delete no more' }).click();
    letGo();
    await page.getByText('1,000 leads deleted').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await count()).toBe(120);
  });

  test('wait where a limit of the gateway is reached, and go on by themselves, an undo as well', async () => {
    await leads(620);
    const { page, expectAccessible } = await openInbox('620 leads');
    await selectAll(page, '620');
    const limit = await limitChanges(page, { after: 1 });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^Paused until/).waitFor();
    await page.getByText('500 of 620').waitFor();
    await expectAccessible();
    expect(await count({ state: 'done' })).toBe(500);
    limit.end();
    await page.getByText('620 leads done').waitFor();
    expect(await count({ state: 'done' })).toBe(620);

    limit.begin();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/^Paused until/).waitFor();
    await page.getByText('0 of 620').waitFor();
    limit.end();
    await page.getByText('620 leads', { exact: true }).waitFor();
    await eventually(async () => (await count({ state: 'done' })) === 0);
  });

  test('of which the page is left go on', async () => {
    await leads(620);
    const { page } = await openInbox('620 leads');
    await selectAll(page, '620');
    const limit = await limitChanges(page, { after: 1 });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^Paused until/).waitFor();
    await page.getByRole('link', { name: 'Websites' }).click();
    await page.getByRole('heading', { name: 'Websites', level: 1 }).waitFor();
    limit.end();
    await page.getByText('620 leads done').waitFor();
    expect(await count({ state: 'done' })).toBe(620);
  });

  test('are deleted in portions, which shows how far it is, and nothing else can be done meanwhile', async () => {
    await leads(620);
    const { page, expectAccessible } = await openInbox('620 leads');
    await selectAll(page, '620');
    const letGo = await holdSecond(page, 'deleteSelected');
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 620 leads?' });
    await dialog.getByText('and 615 more').waitFor();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByRole('progressbar', { name: 'Progress of the deletion' }).waitFor();
    await dialog.getByText('500 of 620').waitFor();
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await picture({ page }, 'inbox-delete-many');
    await expectAccessible();
    letGo();
    await page.getByText('620 leads deleted').waitFor();
    expect(await count()).toBe(0);
  });
});

test('the list is narrowed to leads that came without a captcha, in the address too', async () => {
  const [id = ''] = await leads(3);
  await app().services.db.orm.submission.update({ where: { id }, data: { needsReview: true } });
  await setSearchWords(app().services.db, id, 'reviewed');
  const { page } = await openInbox('3 leads');
  await page.getByRole('button', { name: 'To review' }).click();
  await page.getByText('1 lead', { exact: true }).waitFor();
  await rows(page).filter({ hasText: 'Review' }).waitFor();
  expect(new URL(page.url()).searchParams.get('review')).toBe('true');
  await page.reload();
  await page.getByText('1 lead', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'To review', pressed: true }).count()).toBe(1);
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Unsure');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'To review' }).click();
  await page.getByText('3 leads', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Unsure' }).click();
  await page.getByText('1 lead', { exact: true }).waitFor();
});

test.each(LOOKS)('the question before a deletion fits and is accessible: %j', async (look) => {
  const [id = ''] = await leads(1);
  const opened = await open(`/inbox/${id}`, { as: OWNER, locale: 'fr-FR', ...look });
  await opened.page.getByRole('button', { name: 'Supprimer', exact: true }).click();
  await opened.page.getByRole('dialog', { name: 'Supprimer 1 demande ?' }).waitFor();
  await opened.expectAccessible();
  await opened.expectFits();
  await picture(opened, `inbox-delete-${look.colorScheme}-${look.viewport.width}`);
});
