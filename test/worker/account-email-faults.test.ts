import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reconcile } from '../../src/notifications/reconcile.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { createAccount, loggedIn, panelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const INVITE =
  'mutation ($teamId: ID!, $input: InviteMemberInput!) { inviteMember(teamId: $teamId, input: $input) { email } }';
const REQUEST = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';
const INVITATIONS = 12;

let app: TestApp;
/** Attempts at a domain at which the mail server does not answer. */
let hanging = 0;

beforeAll(async () => {
  app = await startTestApp({
    worker: true,
    mailTimeouts: { connectMs: 10_000, answerMs: 1_000, slowMs: 5_000, confirmMs: 60_000 },
    smtp: {
      rcpt(address) {
        if (!address.endsWith('@hanging.test')) return null;
        hanging += 1;
        return 'hang';
      },
    },
  });
  await provision(app.services, [team('acme')]);
  await createAccount(app.services, { email: 'anna@good.test', password: 'battery staple' });
});
afterAll(() => app?.close());

test('invitations to a domain at which the mail server hangs do not hold up a password reset', async () => {
  const { orm } = app.services.db;
  const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  for (let n = 0; n < INVITATIONS; n += 1) {
    await owner.ask(INVITE, {
      teamId,
      input: { email: `new${n}@hanging.test`, name: 'Newcomer', role: 'member' },
    });
  }
  await reconcile(app.services);
  await panelClient(app.url).ask(REQUEST, { email: 'anna@good.test' });
  await eventually(async () => {
    await reconcile(app.services);
    return app.sink.messages.some(({ recipients }) => recipients.includes('anna@good.test'));
  });
  expect(hanging).toBeGreaterThan(0);
  expect(hanging).toBeLessThan(INVITATIONS / 2);
  const untried = { email: { endsWith: '@hanging.test' }, state: 'pending', attempts: 0 } as const;
  expect(await orm.oneTimeLink.count({ where: untried })).toBeGreaterThan(INVITATIONS / 2);
});
