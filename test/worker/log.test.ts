import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { pino } from 'pino';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { BOUNCES } from '../support/delivery-reports.js';
import { createToken, provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn } from '../support/panel.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

type Line = Readonly<Record<string, unknown>>;

const lines: Line[] = [];
let app: TestApp;
let token: string;
let receiver: Receiver;
let bouncePort: number;

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  [receiver, bouncePort] = await Promise.all([startReceiver(), freePort()]);
  app = await startTestApp({
    worker: true,
    log,
    env: {
      OUTBOUND_ALLOW: '127.0.0.1',
      BOUNCE_DOMAIN: 'bounces.formgate.test',
      BOUNCE_PORT: String(bouncePort),
      CAPTCHA_DEFAULT: 'off',
    },
    mailTimeouts: { connectMs: 10_000, answerMs: 10_000, slowMs: 50, confirmMs: 60_000 },
    smtp: { confirm: () => confirmation },
  });
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('mute.acme.test')] }),
  ]);
  await app.services.db.orm.website.updateMany({ where: { host: 'mute.acme.test' }, data: { email: '' } });
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});

afterAll(async () => {
  await app.close();
  await receiver.close();
});

let confirmation = Promise.resolve(undefined);

async function submit(host: string, requestId: string): Promise<Line> {
  const site = await websiteId(app.services, host);
  const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    },
    body: '{"email":"v@x.test"}',
  });
  expect(response.status).toBe(200);
  const { lead_id: leadId } = (await response.json()) as { lead_id: string };
  return { requestId, leadId, websiteId: site };
}

/** Waits for the line, and returns the lines about the lead up to now. */
async function linesUntil(message: string, { leadId }: Line): Promise<Line[]> {
  const about = () => lines.filter((line) => line.leadId === leadId);
  await eventually(() => about().some(({ msg }) => msg === message));
  return about();
}

test('the lines of gateway and worker about a submission carry the ids of request, lead and website', async () => {
  let confirm: (value: undefined) => void = () => undefined;
  confirmation = new Promise((resolve) => {
    confirm = resolve;
  });
  const ids = await submit('www.acme.test', 'followed-through');
  await linesUntil('Mail server is slow to confirm', ids);
  confirm(undefined);
  const about = await linesUntil('Notification attempted', ids);
  expect(about.map(({ msg }) => msg).sort()).toEqual([
    'Mail server is slow to confirm',
    'Notification attempted',
    'Request',
  ]);
  for (const line of about) expect(line).toMatchObject(ids);
});

test('the worker’s line about a submission without a recipient carries its three ids', async () => {
  const ids = await submit('mute.acme.test', 'nobody-to-mail');
  expect(await linesUntil('Notification ended without an attempt', ids)).toContainEqual(
    expect.objectContaining({ ...ids, state: 'no_recipient' }),
  );
});

test('the lines about an e-mail that is withheld as spam carry the three ids', async () => {
  const { services, url } = app;
  const team = { where: { slug: 'acme' } };
  await services.db.orm.team.update({ ...team, data: { spamFilter: 'quarantine', spamThreshold: 1 } });
  const site = await websiteId(services, 'www.acme.test');
  const visitor = createVisitor({ url, websiteId: site, origin: 'https://www.acme.test' });
  const body = {
    email: 'v@x.test',
    message: 'We offer backlinks and guest posts, see https://rank.example/offer https://rank.example/more',
  };
  const headers = { ...(await visitor.sign()), 'x-request-id': 'looks-like-spam' };
  const answer = await visitor.submit({ body, headers });
  const ids = { requestId: 'looks-like-spam', leadId: answer.body.lead_id, websiteId: site };
  const about = await linesUntil('Notification withheld', ids);
  for (const line of about) expect(line).toMatchObject(ids);
});

test('the line about a webhook’s delivery of a submission carries its three ids', async () => {
  const { services } = app;
  const { id: teamId } = await services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  await services.webhooks.create(
    teamId,
    {
      url: `${receiver.url}/log`,
      events: ['submission.created'],
      websiteIds: [],
      formIds: [],
      description: '',
      enabled: true,
    },
    TEST_ACTOR,
  );
  const ids = await submit('www.acme.test', 'told-by-webhook');
  const about = await linesUntil('Webhook attempted', ids);
  await services.db.orm.webhook.deleteMany();
  for (const line of about) expect(line).toMatchObject(ids);
});

test('the line about a delivery report carries the three ids of its submission', async () => {
  const ids = await submit('www.acme.test', 'came-back');
  await linesUntil('Notification attempted', ids);
  const { sender } = await app.sink.waitFor(
    ({ mail }) => mail.messageId?.includes(String(ids.leadId)) ?? false,
  );
  await createTransport({ host: '127.0.0.1', port: bouncePort, ignoreTLS: true }).sendMail({
    envelope: { from: '', to: sender },
    raw: BOUNCES.Postfix!({ to: 'contact@acme.test', returnPath: sender }),
  });
  expect(await linesUntil('Delivery report received', ids)).toContainEqual(expect.objectContaining(ids));
});

test('panel and downloads show the request of a submission, and null for one that an earlier version recorded', async () => {
  const { services } = app;
  const site = await websiteId(services, 'www.acme.test');
  const { leadId } = await submit('www.acme.test', 'asked-about-later');
  const [old] = await recordedLeads(services, site, 1);
  await services.db.orm.submission.update({ where: { id: old! }, data: { requestId: null } });
  services.notifications.handOver(old!);
  const [attempted] = (await linesUntil('Notification attempted', { leadId: old })).slice(-1);
  expect(attempted).toMatchObject({ requestId: null, leadId: old, websiteId: site });

  const owner = await loggedIn(app.url, services, 'owner@acme.test');
  const query = 'query ($id: ID!) { submission(id: $id) { requestId } }';
  expect(await owner.ask(query, { id: leadId })).toEqual({ submission: { requestId: 'asked-about-later' } });
  expect(await owner.ask(query, { id: old })).toEqual({ submission: { requestId: null } });

  const download = await (await owner.fetch('/panel/exports/submissions.ndjson')).text();
  const records = download
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const shown = new Map(records.map(({ id, request_id }) => [id, request_id]));
  expect([shown.get(leadId), shown.get(old)]).toEqual(['asked-about-later', null]);
});
