import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { isWaitingForLock } from '../support/locks.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let staff: PanelClient;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});
afterAll(() => app.close());

const orm = () => app.services.db.orm;

test.each([
  ['is deleted', 'mutation ($ids: [ID!]!) { done: deleteSubmissions(ids: $ids) }', 1],
  ['becomes spam', 'mutation ($ids: [ID!]!) { done: setSubmissionState(ids: $ids, state: spam) }', 1],
])('a lead %s though a worker records its e-mail, and each waits for the other', async (_, change, done) => {
  const site = await websiteId(app.services, 'www.acme.test');
  const [id] = await recordedLeads(app.services, site, 1);
  const { answer } = await orm().$transaction(async (worker) => {
    await worker.notification.update({ where: { submissionId: id! }, data: { attempts: 1 } });
    const answer = staff.ask(change, { ids: [id] });
    await eventually(() => isWaitingForLock(app.database));
    // As the event about an e-mail that has failed. The change has waited for longer, so it is the one that is ended.
    await worker.$executeRaw`UPDATE submissions SET needs_review = true WHERE id = ${id!}::uuid`;
    return { answer };
  });
  expect(await answer).toEqual({ done });
});

test('websites of several teams are edited together in the order of their teams', async () => {
  const [first, second] = await orm().team.findMany({ orderBy: { id: 'asc' } });
  const sites = [second!, first!].map(({ id: teamId }, index) => ({
    id: `01999999-0000-7000-8000-00000000000${index}`,
    teamId,
    name: 'Site',
    host: 'ordered.test',
    url: 'https://ordered.test',
    locale: 'fr',
    email: 'info@ordered.test',
    signatureKeyCipher: new Uint8Array(),
  }));
  await orm().website.createMany({ data: sites });
  const { answer } = await orm().$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM teams WHERE id = ${first!.id} FOR NO KEY UPDATE`;
    const answer = staff.ask('mutation ($ids: [ID!]!) { editWebsites(ids: $ids, input: { locale: "en" }) }', {
      ids: sites.map(({ id }) => id),
    });
    await eventually(() => isWaitingForLock(app.database));
    // The edit has none but the websites yet.
    await tx.$executeRaw`SELECT 1 FROM teams WHERE id = ${second!.id} FOR NO KEY UPDATE NOWAIT`;
    return { answer };
  });
  await answer;
  expect(await orm().website.count({ where: { host: 'ordered.test', locale: 'en' } })).toBe(2);
});
