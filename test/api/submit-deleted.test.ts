import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Transaction } from '../../src/db/client.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { isRecordWaiting } from '../support/locks.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  const websites = [website('www.acme.test'), website('shop.acme.test'), website('blog.acme.test')];
  await provision(app.services, [team('acme', { websites })]);
});

afterAll(() => app.close());

/** Submits while a transaction deletes what the submission refers to, and commits before it is recorded. */
async function submitDuring(
  websiteHost: string,
  deleteIt: (tx: Transaction) => Promise<unknown>,
  key?: string,
) {
  const { db } = app.services;
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const visitor = createVisitor({
    url: app.url,
    origin: `https://${websiteHost}`,
    websiteId: await websiteId(app.services, websiteHost),
  });
  const headers = { authorization: `Bearer ${token}`, ...(key && { 'idempotency-key': key }) };
  const { submitting } = await db.orm.$transaction(async (tx) => {
    await deleteIt(tx);
    const submitting = visitor.submit({ headers });
    await eventually(() => isRecordWaiting(app.database));
    return { submitting };
  });
  return submitting;
}

const recorded = () => app.services.db.orm.submission.count();

test.each([
  ['blog.acme.test', undefined],
  ['shop.acme.test', '01939a60-5c00-7a10-8b20-6c1f3a5e0001'],
])('a website that is deleted before the recording (%s) is a 404', async (host, key) => {
  const id = await websiteId(app.services, host);
  const answer = await submitDuring(host, (tx) => tx.website.delete({ where: { id } }), key);
  expect(answer).toMatchObject({ status: 404, body: { message: 'Website not found.' } });
  expect(await recorded()).toBe(0);
});

test('a form that is deleted before the recording is a 404', async () => {
  const answer = await submitDuring('www.acme.test', (tx) => tx.form.deleteMany());
  expect(answer).toMatchObject({ status: 404, body: { message: 'Form not found.' } });
  expect(await recorded()).toBe(0);
});
