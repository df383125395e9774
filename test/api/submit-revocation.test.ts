import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { isRecordWaiting } from '../support/locks.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
});

afterAll(() => app.close());

test('a token revoked between its check and the recording is a 401, and nothing is recorded', async () => {
  const { db } = app.services;
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const tokenId = Number(token.split('|')[0]);
  const visitor = createVisitor({
    url: app.url,
    origin: 'https://www.acme.test',
    websiteId: await websiteId(app.services, 'www.acme.test'),
  });
  const submit = () => visitor.submit({ headers: { authorization: `Bearer ${token}` } });
  expect(await submit()).toMatchObject({ status: 200 });

  const answer = await db.orm.$transaction(async (tx) => {
    await tx.token.update({ where: { id: tokenId }, data: { revokedAt: new Date() } });
    const submitting = submit();
    // It has been authenticated, since nothing before the recording waits for the token's row.
    await eventually(() => isRecordWaiting(app.database));
    return { submitting };
  });
  expect(await answer.submitting).toMatchObject({ status: 401, body: { message: 'Unauthenticated.' } });
  expect(await db.orm.submission.count()).toBe(1);
});
