import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { isWaitingForLock } from '../support/locks.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const SET = `mutation ($selection: SubmissionSelection!, $state: SubmissionState!) {
  setStateOfSelected(selection: $selection, state: $state) { matched changed next previous { state ids } }
}`;
const SEND = `mutation ($selection: SubmissionSelection!) {
  sendSelectedAgain(selection: $selection) { matched next outcomes { outcome ids } }
}`;
const DELETE = `mutation ($selection: SubmissionSelection!) {
  deleteSelected(selection: $selection) { matched deleted next }
}`;

const PORTION = 500;

let app: TestApp;
let owner: PanelClient;
let member: PanelClient;
let stranger: PanelClient;
let staff: PanelClient;
let site: string;
let foreignSite: string;
let teamId: number;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [
    team('acme', {
      forms: [contactForm()],
      websites: [website('www.acme.test'), website('shop.acme.test')],
    }),
    team('globex'),
  ]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  const enter = (email: string) => loggedIn(app.url, app.services, email);
  [owner, member, stranger, staff] = await Promise.all([
    enter('owner@acme.test'),
    enter('member@acme.test'),
    enter('owner@globex.test'),
    enter('staff@agency.test'),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
  foreignSite = await websiteId(app.services, 'www.globex.test');
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});

afterAll(() => app?.close());

beforeEach(async () => {
  await app.services.db.orm.submission.deleteMany();
});

/** Records many submissions of a website at once, a second apart, in the first two states in turn. */
async function many(websiteOf: string, count: number): Promise<void> {
  const { db } = app.services;
  const { formId, teamId: of } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: websiteOf } });
  await db.orm.$executeRaw`
    INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", search_words,
                             state, created_at)
    SELECT gen_random_uuid(), ${of}::int, ${websiteOf}::uuid, ${formId}::int, 1, 'fr', '{}', 'x test',
           (ARRAY['new', 'in_progress'])[1 + n % 2]::submission_state, now() - n * interval '1 second'
      FROM generate_series(1, ${count}::int) n`;
}

const inState = (state: 'new' | 'in_progress' | 'done' | 'spam') =>
  app.services.db.orm.submission.count({ where: { state } });

/** Goes through a selection call by call, as a page that shows its progress. */
async function through(client: PanelClient, mutation: string, selection: object, variables: object = {}) {
  const answers = [];
  for (let after: string | null | undefined; after !== null; ) {
    const data = await client.ask(mutation, { selection: { ...selection, after }, ...variables });
    const [answer] = Object.values(data) as { matched: number; next: string | null }[];
    answers.push(answer!);
    after = answer!.next;
  }
  return answers;
}

describe('all that a filter finds', () => {
  test.each([
    ['plainly', {}],
    ['by a text', { text: 'x.test' }],
  ])('are given a state in portions, and their former ones again', async (_how, more) => {
    await many(site, 2 * PORTION + 203);
    const filter = { teamId, ...more };
    const answers = await through(owner, SET, { filter }, { state: 'done' });
    expect(answers).toMatchObject([
      { matched: PORTION, changed: PORTION, next: expect.any(String) },
      { matched: PORTION, changed: PORTION, next: expect.any(String) },
      { matched: 203, changed: 203, next: null },
    ]);
    expect(await inState('done')).toBe(2 * PORTION + 203);

    for (const { previous } of answers as unknown as { previous: { state: string; ids: string[] }[] }[]) {
      for (const { state, ids } of previous) await owner.ask(SET, { selection: { ids }, state });
    }
    expect([await inState('new'), await inState('in_progress'), await inState('done')]).toEqual([
      601, 602, 0,
    ]);
  });

  test('are those of the moment at which the list was read, and what arrives meanwhile stays', async () => {
    await many(site, PORTION + 10);
    const createdBefore = new Date();
    const [late] = await recordedLeads(app.services, site, 1, new Date(createdBefore.getTime() + 1));
    const selection = { filter: { teamId }, createdBefore };
    const first = await owner.ask(SET, { selection, state: 'spam' });
    const [later] = await recordedLeads(app.services, site, 1);
    const { next } = first.setStateOfSelected;
    const rest = await owner.ask(SET, { selection: { filter: { teamId }, after: next }, state: 'spam' });
    expect(rest.setStateOfSelected).toMatchObject({ matched: 10, changed: 10, next: null });
    const spared = await app.services.db.orm.submission.findMany({ where: { state: { not: 'spam' } } });
    expect(spared.map(({ id }) => id).sort()).toEqual([late, later].sort());
  });

  test('change once when a call is repeated', async () => {
    await many(site, PORTION + 5);
    const selection = { filter: { teamId } };
    const recorded = () =>
      app.services.db.orm.auditEvent.count({ where: { action: 'submission.state_changed' } });
    const before = await recorded();
    const first = await owner.ask(SET, { selection, state: 'done' });
    const again = await owner.ask(SET, { selection, state: 'done' });
    expect(again.setStateOfSelected).toEqual({ ...first.setStateOfSelected, changed: 0, previous: [] });
    expect(await recorded()).toBe(before + PORTION);
    expect(await app.services.db.orm.submission.count({ where: { state: 'done' } })).toBe(PORTION);
  });

  test('are deleted, and no other', async () => {
    await many(site, PORTION + 1);
    await many(foreignSite, 3);
    expect(await through(owner, DELETE, { filter: { states: ['new'] } })).toEqual([
      { matched: 250, deleted: 250, next: null },
    ]);
    expect(await through(owner, DELETE, { filter: {} })).toEqual([
      { matched: 251, deleted: 251, next: null },
    ]);
    expect(await app.services.db.orm.submission.count()).toBe(3);
    expect(await owner.ask(DELETE, { selection: { filter: {} } })).toEqual({
      deleteSelected: { matched: 0, deleted: 0, next: null },
    });
  });

  test('are sent again where an e-mail was not sent', async () => {
    const { db } = app.services;
    const ids = await recordedLeads(app.services, site, 4);
    const end = (index: number, state: 'failed' | 'no_recipient' | 'sent') =>
      db.orm.notification.update({ where: { submissionId: ids[index] }, data: { state } });
    await end(0, 'failed');
    await end(1, 'no_recipient');
    await end(2, 'sent');
    const send = async (filter: object) =>
      (await owner.ask(SEND, { selection: { filter } })).sendSelectedAgain;
    expect(await send({ notificationStates: ['sent', 'pending'] })).toMatchObject({
      matched: 0,
      outcomes: [],
    });
    expect(await send({ notificationStates: ['failed', 'sent'] })).toEqual({
      matched: 1,
      next: null,
      outcomes: [{ outcome: 'handed_over', ids: [ids[0]] }],
    });
    expect(await send({})).toMatchObject({ outcomes: [{ outcome: 'handed_over', ids: [ids[1]] }] });
    expect(await send({})).toMatchObject({ matched: 0 });
    const pending = await db.orm.notification.count({ where: { state: 'pending' } });
    expect(pending).toBe(3);
  });
});

describe('an expected state', () => {
  const UNDO = `mutation ($ids: [ID!]!, $state: SubmissionState!, $expectedState: SubmissionState) {
    setStateOfSelected(selection: { ids: $ids }, state: $state, expectedState: $expectedState) {
      matched changed previous { state ids } skipped { state ids }
    }
  }`;
  const emailOf = async (submissionId: string) =>
    (await app.services.db.orm.notification.findUniqueOrThrow({ where: { submissionId } })).state;

  test('leaves what a colleague has marked as spam meanwhile, so that its e-mail stays withheld', async () => {
    const [marked = '', undone = '', again = ''] = await recordedLeads(app.services, site, 3);
    const ids = [marked, undone, again];
    await owner.ask(SET, { selection: { ids }, state: 'done' });
    await staff.ask(SET, { selection: { ids: [marked] }, state: 'spam' });
    await staff.ask(SET, { selection: { ids: [again] }, state: 'new' });
    const { setStateOfSelected } = await owner.ask(UNDO, { ids, state: 'new', expectedState: 'done' });
    expect(setStateOfSelected).toEqual({
      matched: 3,
      changed: 1,
      previous: [{ state: 'done', ids: [undone] }],
      skipped: [{ state: 'spam', ids: [marked] }],
    });
    expect([await inState('new'), await inState('spam')]).toEqual([2, 1]);
    expect([await emailOf(marked), await emailOf(undone)]).toEqual(['withheld', 'pending']);
  });

  test('is compared once a change that is being committed is', async () => {
    const [id = ''] = await recordedLeads(app.services, site, 1);
    await owner.ask(SET, { selection: { ids: [id] }, state: 'done' });
    let undo: Promise<unknown> | undefined;
    await app.services.db.orm.$transaction(async (tx) => {
      await tx.submission.update({ where: { id }, data: { state: 'spam' } });
      undo = owner.ask(UNDO, { ids: [id], state: 'new', expectedState: 'done' });
      await eventually(() => isWaitingForLock(app.services));
    });
    expect(await undo).toMatchObject({
      setStateOfSelected: { changed: 0, skipped: [{ state: 'spam', ids: [id] }] },
    });
    expect(await inState('spam')).toBe(1);
  });

  test('that is not given is any', async () => {
    const [id] = await recordedLeads(app.services, site, 1);
    await owner.ask(SET, { selection: { ids: [id] }, state: 'spam' });
    expect(await owner.ask(UNDO, { ids: [id], state: 'new' })).toMatchObject({
      setStateOfSelected: { changed: 1, skipped: [] },
    });
  });
});

test('a text of letters that make no word finds nothing', async () => {
  await many(site, 2);
  // Two letters that are nothing but accents once they are decomposed.
  const filter = { text: '\u037a\u037a' };
  const { data } = await owner.send(DELETE, { selection: { filter } });
  expect(data).toMatchObject({ deleteSelected: { matched: 0, deleted: 0 } });
  const list = `query ($filter: SubmissionFilter) {
    submissions(filter: $filter) { edges { node { id } } }
    submissionCounts(filter: $filter) { total }
  }`;
  expect((await owner.send(list, { filter })).data).toEqual({
    submissions: { edges: [] },
    submissionCounts: { total: 0 },
  });
  expect(await app.services.db.orm.submission.count()).toBe(2);
});

test('named submissions have an outcome each', async () => {
  const [failed, pending] = await recordedLeads(app.services, site, 2);
  await app.services.db.orm.notification.update({
    where: { submissionId: failed },
    data: { state: 'failed' },
  });
  const { sendSelectedAgain } = await owner.ask(SEND, { selection: { ids: [pending, failed] } });
  expect(sendSelectedAgain).toEqual({
    matched: 2,
    next: null,
    outcomes: [
      { outcome: 'nothing_to_send', ids: [pending] },
      { outcome: 'handed_over', ids: [failed] },
    ],
  });
});

test('named submissions that a colleague has deleted meanwhile are skipped, and told by their number', async () => {
  const ids = await recordedLeads(app.services, site, 3);
  await staff.ask(DELETE, { selection: { ids: ids.slice(0, 1) } });
  expect(await owner.ask(SET, { selection: { ids }, state: 'done' })).toEqual({
    setStateOfSelected: {
      matched: 2,
      changed: 2,
      next: null,
      previous: [{ state: 'new', ids: expect.arrayContaining(ids.slice(1)) }],
    },
  });
  expect(await inState('done')).toBe(2);
  expect(await owner.ask(SEND, { selection: { ids } })).toMatchObject({ sendSelectedAgain: { matched: 2 } });
  expect(await member.refused(SET, { selection: { ids }, state: 'new' })).toBe('FORBIDDEN');
});

test('a submission that is deleted while its change waits for it is none of those found', async () => {
  const [id = ''] = await recordedLeads(app.services, site, 1);
  let change: Promise<unknown> | undefined;
  await app.services.db.orm.$transaction(async (tx) => {
    await tx.submission.delete({ where: { id } });
    change = owner.ask(SET, { selection: { ids: [id] }, state: 'done' });
    await eventually(() => isWaitingForLock(app.services));
  });
  expect(await change).toMatchObject({ setStateOfSelected: { matched: 0, changed: 0 } });
});

describe('a deletion by ids', () => {
  const remove = async (client: PanelClient, ids: (string | undefined)[]) =>
    (await client.ask(DELETE, { selection: { ids } })).deleteSelected;

  test('that is repeated, as after a lost answer, deletes what is left and is not refused', async () => {
    const ids = await recordedLeads(app.services, site, 3);
    expect(await remove(owner, ids.slice(0, 2))).toEqual({ matched: 2, deleted: 2, next: null });
    expect(await remove(owner, ids)).toEqual({ matched: 1, deleted: 1, next: null });
    expect(await remove(owner, ids)).toEqual({ matched: 0, deleted: 0, next: null });
  });

  test('answers the same about leads of other teams as about none, and leaves them', async () => {
    const [foreign] = await recordedLeads(app.services, foreignSite, 1);
    const [mine] = await recordedLeads(app.services, site, 1);
    const answerTo = async (client: PanelClient, id: string | undefined) =>
      JSON.stringify(await client.send(DELETE, { selection: { ids: [id] } }));
    for (const client of [owner, member]) {
      expect(await answerTo(client, foreign)).toBe(await answerTo(client, randomUUID()));
    }
    expect(await remove(owner, [foreign, mine])).toEqual({ matched: 1, deleted: 1, next: null });
    const left = await app.services.db.orm.submission.findMany({ select: { id: true } });
    expect(left).toEqual([{ id: foreign }]);
  });

  test('is refused as a whole to a member, also where some of the leads are gone', async () => {
    const ids = await recordedLeads(app.services, site, 2);
    await remove(owner, ids.slice(0, 1));
    expect(await member.refused(DELETE, { selection: { ids } })).toBe('FORBIDDEN');
    expect(await inState('new')).toBe(1);
  });
});

describe('a filter', () => {
  const filters = (): [PanelClient, object, string][] => [
    [member, { teamId }, 'FORBIDDEN'],
    [member, {}, 'FORBIDDEN'],
    [stranger, { teamId }, 'NOT_FOUND'],
    [staff, { teamId: '99999' }, 'NOT_FOUND'],
  ];

  test('changes nothing for who may not manage, or of another team', async () => {
    const [id] = await recordedLeads(app.services, site, 1);
    for (const [client, filter, code] of filters()) {
      for (const mutation of [SET, SEND, DELETE]) {
        const state = mutation === SET && { state: 'done' };
        expect(await client.refused(mutation, { selection: { filter }, ...state })).toBe(code);
      }
    }
    for (const selection of [{ filter: { websiteIds: [site] } }, { ids: [id] }]) {
      for (const mutation of [SET, SEND, DELETE]) {
        const [answer] = Object.values(await stranger.ask(mutation, { selection, state: 'done' }));
        expect(answer).toMatchObject({ matched: 0, next: null });
      }
    }
    expect(await inState('new')).toBe(1);
  });

  test('leaves out the teams in which the viewer is a member only; of staff it covers all', async () => {
    const { db, teams } = app.services;
    const { id: userId } = await db.orm.user.findUniqueOrThrow({ where: { email: 'owner@acme.test' } });
    const globex = await db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    const membership = { teamId: globex.id, userId };
    await db.orm.$transaction((tx) => teams.setRole(tx, membership, 'member', TEST_ACTOR));
    await recordedLeads(app.services, site, 2);
    await recordedLeads(app.services, foreignSite, 3);
    const set = async (client: PanelClient, state: string) =>
      (await client.ask(SET, { selection: { filter: {} }, state })).setStateOfSelected.changed;
    expect(await set(owner, 'done')).toBe(2);
    expect(await set(staff, 'spam')).toBe(5);
    await db.orm.membership.delete({ where: { teamId_userId: membership } });
  });
});

test.each<[object, string]>([
  [{}, 'selection.filter'],
  [{ ids: ['x'], filter: {} }, 'selection.filter'],
  [{ ids: [] }, 'selection.ids'],
  [{ ids: Array(501).fill('0198c2a4-7c1a-7000-8000-000000000001') }, 'selection.ids'],
  [{ ids: ['x'], createdBefore: new Date() }, 'selection.ids'],
  ...['a', '🌱', '!!!', '%', '-', ' '].map((text): [object, string] => [
    { filter: { text } },
    'selection.filter.text',
  ]),
  [{ filter: {}, after: 'x' }, 'selection.after'],
])('the selection %j is refused by its path', async (selection, path) => {
  const { errors } = await owner.send(DELETE, { selection });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    errors: { [path]: [expect.any(String)] },
  });
});

test('a change of state that waits for another is the later one in the history', async () => {
  const [id] = await recordedLeads(app.services, site, 1);
  const { orm } = app.services.db;
  const { answer, other } = await orm.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM submissions WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
    const answer = owner.ask(SET, { selection: { ids: [id] }, state: 'done' });
    await eventually(() => isWaitingForLock(app.database));
    const other = new Date();
    return { answer, other };
  });
  await answer;
  const { stateChangedAt } = await orm.submission.findUniqueOrThrow({ where: { id } });
  expect(stateChangedAt!.getTime()).toBeGreaterThanOrEqual(other.getTime());
});
