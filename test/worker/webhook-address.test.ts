import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { endpointSettings, provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [team('acme')]);
});

afterAll(async () => {
  await app?.close();
  await receiver?.close();
});

test('a former address that answers 410 does not disable the endpoint, which has another by then', async () => {
  const { db, webhooks, webhookDeliveries } = app.services;
  const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const settings = (path: string) => endpointSettings(receiver.url + path);
  const { id } = await webhooks.create(teamId, settings('/old'), TEST_ACTOR);
  let answer: (() => void) | undefined;
  receiver.behave('/old', (response) => {
    answer = () => response.writeHead(410).end();
  });
  await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
  await db.orm.webhookDelivery.updateMany({ data: { nextAttemptAt: new Date(Date.now() - 1_000) } });
  await webhookDeliveries.deliver(id);
  const goAway = await eventually(async () => answer ?? null);
  await webhooks.update((await webhooks.find(id))!, settings('/new'), TEST_ACTOR);
  goAway();
  await webhookDeliveries.drained();
  const { state, url } = await db.orm.webhook.findUniqueOrThrow({ where: { id } });
  expect({ state, url }).toEqual({ state: 'active', url: `${receiver.url}/new` });
});
