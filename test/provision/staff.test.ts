import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { applyDocument } from '../../src/provision/apply.js';
import { readDocument } from '../../src/provision/document.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team } from '../support/factories.js';
import { createAccount, loggedIn } from '../support/panel.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
});

afterAll(() => app?.close());

test('an account that a document takes from the staff no longer looks at the panel as a client', async () => {
  const { viewAs, config, db } = app.services;
  const email = 'staff@agency.test';
  const userId = await createAccount(app.services, { email, password: 'a long password', staff: true });
  await loggedIn(app.url, app.services, email);
  const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const { id: sessionId } = await db.orm.session.findFirstOrThrow({ where: { userId } });
  await viewAs.begin({ sessionId, userId }, teamId, { userId, channel: 'panel' });
  const document = readDocument(JSON.stringify({ users: [{ email, staff: false }] }), config.locales);
  await applyDocument(app.services, document, TEST_ACTOR);
  const session = await db.orm.session.findUniqueOrThrow({ where: { id: sessionId } });
  expect(session.viewAsTeamId).toBeNull();
  expect(await db.orm.auditEvent.count({ where: { action: 'team.view_ended' } })).toBe(1);
});
