import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { isRecordWaiting } from '../support/locks.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let token: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('shop.acme.test')] }),
  ]);
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});

afterAll(() => app.close());

const submitTo = (id: string) =>
  createVisitor({ url: app.url, origin: 'https://www.acme.test', websiteId: id }).submit({
    headers: { authorization: `Bearer ${token}` },
  });

const release = new Error('The lock is let go.');

test('a website whose row is locked does not delay the submissions of others', async () => {
  const { db } = app.services;
  const lockedId = await websiteId(app.services, 'www.acme.test');
  const otherId = await websiteId(app.services, 'shop.acme.test');
  expect(await submitTo(lockedId)).toMatchObject({ status: 200 });

  let submitting: ReturnType<typeof submitTo> | undefined;
  const holding = db.orm.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM websites WHERE id = ${lockedId}::uuid FOR UPDATE`;
    submitting = submitTo(lockedId);
    await eventually(() => isRecordWaiting(app.database));
    expect(await submitTo(otherId)).toMatchObject({ status: 200 });
    expect(await isRecordWaiting(app.database)).toBe(true);
    throw release;
  });
  await expect(holding).rejects.toBe(release);
  expect(await submitting).toMatchObject({ status: 200 });
  expect(await db.orm.submission.count()).toBe(3);
});

test('a website whose host is being changed has its submissions recorded meanwhile', async () => {
  const id = await websiteId(app.services, 'www.acme.test');
  const changing = app.services.db.orm.$transaction(async (tx) => {
    await tx.website.update({ where: { id }, data: { host: 'moved.acme.test' } });
    expect(await submitTo(id)).toMatchObject({ status: 200 });
    throw release;
  });
  await expect(changing).rejects.toBe(release);
});
