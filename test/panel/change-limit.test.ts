import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const SET = `mutation ($selection: SubmissionSelection!) {
  setStateOfSelected(selection: $selection, state: done) { matched changed }
}`;
const SET_BY_IDS = 'mutation ($ids: [ID!]!) { setSubmissionState(ids: $ids, state: spam) }';
const SEND = `mutation ($selection: SubmissionSelection!) {
  sendSelectedAgain(selection: $selection) { matched }
}`;
const SEND_BY_IDS = 'mutation ($ids: [ID!]!) { sendAgain(ids: $ids) { outcome } }';
const DELETE = 'mutation ($ids: [ID!]!) { deleteSelected(selection: { ids: $ids }) { deleted } }';

let app: TestApp;
let site: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [
    team('acme', { forms: [contactForm()], websites: [website('www.acme.test')] }),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
});

afterAll(() => app?.close());

beforeEach(async () => {
  await app.services.db.orm.submission.deleteMany();
  await app.services.db.orm.auditEvent.deleteMany({ where: { subjectType: 'submission' } });
});

/** Logs an account in of which the limit lets so many submissions more be changed. */
async function withLeft(email: string, left: number): Promise<PanelClient> {
  const { db, limiter } = app.services;
  const { id } = await db.orm.user.findUniqueOrThrow({ where: { email } });
  const hit = { limit: 'changed-submissions', key: String(id) } as const;
  const { remaining } = await limiter.peek({ ...hit, weight: 0 });
  await limiter.consume({ ...hit, weight: remaining - left });
  return loggedIn(app.url, app.services, email);
}

const changes = () => app.services.db.orm.auditEvent.count({ where: { subjectType: 'submission' } });

test('an account changes as many submissions as the limit has room for, and then none', async () => {
  const { db } = app.services;
  const ids = await recordedLeads(app.services, site, 4);
  await db.orm.notification.updateMany({ data: { state: 'failed' } });
  const owner = await withLeft('owner@acme.test', 9);
  const all = { selection: { filter: {} } };

  expect(await owner.ask(SET, all)).toEqual({ setStateOfSelected: { matched: 4, changed: 4 } });
  // The same again changes nothing, and counts.
  expect(await owner.ask(SET, all)).toEqual({ setStateOfSelected: { matched: 4, changed: 0 } });
  expect(await changes()).toBe(4);

  const { errors } = await owner.send(SET, all);
  expect(errors?.[0]?.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterS: expect.any(Number) });
  expect(await owner.refused(SET_BY_IDS, { ids })).toBe('RATE_LIMITED');
  expect(await owner.refused(SEND, all)).toBe('RATE_LIMITED');
  expect(await owner.refused(SEND_BY_IDS, { ids })).toBe('RATE_LIMITED');
  expect(await changes()).toBe(4);
  expect(await db.orm.submission.count({ where: { state: 'done' } })).toBe(4);
  expect(await db.orm.notification.count({ where: { state: 'failed' } })).toBe(4);

  const [first = ''] = ids;
  expect(await owner.ask(SET_BY_IDS, { ids: [first, first, first.toUpperCase()] })).toEqual({
    setSubmissionState: 1,
  });
  expect(await owner.refused(SET_BY_IDS, { ids: [first] })).toBe('RATE_LIMITED');
  expect(await owner.ask(SET, { selection: { filter: { text: 'nothing of the kind' } } })).toEqual({
    setStateOfSelected: { matched: 0, changed: 0 },
  });

  const admin = await loggedIn(app.url, app.services, 'admin@acme.test');
  expect(await admin.ask(SET_BY_IDS, { ids })).toEqual({ setSubmissionState: 3 });
  expect(await owner.ask(DELETE, { ids })).toEqual({ deleteSelected: { deleted: 4 } });
});

test('of thirty changes in one document the limit lets those pass that fit', async () => {
  await recordedLeads(app.services, site, 5);
  const client = await withLeft('admin@acme.test', 52);
  const states = Array.from({ length: 30 }, (_, index) => (index % 2 ? 'new' : 'done'));
  const toggling = states.map(
    (state, index) => `c${index}: setStateOfSelected(selection: { filter: {} }, state: ${state}) { changed }`,
  );
  const { errors } = await client.send(`mutation { ${toggling.join(' ')} }`);
  expect(errors?.length).toBeGreaterThan(0);
  expect(await changes()).toBe(50);
});
