import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { reconcile } from '../../src/notifications/reconcile.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { begin } from '../support/begin.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';
import { describeWithRedis, openTestRedis, startRedisServer, type TestRedis } from '../support/redis.js';
import { eventually } from '../support/wait.js';

const QUOTA = 3;

/** Begins early, as a connection that was refused is tried again after seconds only. */
let redisAway: ReturnType<typeof submitWithRedisAway>;

beforeAll(() => {
  if (process.env.TEST_HAS_REDIS) redisAway = begin(submitWithRedisAway);
});

/** Submits without Redis, lets it begin, and waits for the e-mail; returns the statuses of the answers meanwhile. */
async function submitWithRedisAway() {
  const port = await freePort();
  const app = await startTestApp({ worker: true, redisUrl: `redis://127.0.0.1:${port}` });
  await provision(app.services, [team('acme')]);
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const site = await websiteId(app.services, 'www.acme.test');
  const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"email":"v@x.test"}',
  });
  const { lead_id } = (await response.json()) as { lead_id: string };
  const { status: readyWithout } = await fetch(`${app.url}/readyz`);

  const redis = await startRedisServer(port);
  await app.sink.waitFor(({ raw }) => raw.includes(lead_id));
  const { status: readyWith } = await fetch(`${app.url}/readyz`);
  await app.close();
  await redis.stop();
  return { submitted: response.status, readyWithout, readyWith };
}

function behavesOn(openQueue: () => Promise<TestRedis | null>) {
  let app: TestApp;
  let redis: TestRedis | null;
  let token: string;

  beforeAll(async () => {
    redis = await openQueue();
    app = await startTestApp({ worker: true, ...(redis && { redisUrl: redis.url }) });
    await provision(app.services, [
      team('acme', {
        forms: [contactForm({ recipients: ['form@acme.test'] })],
        websites: [
          website('www.acme.test', {
            locale: 'en',
            forms: [{ slug: 'contact', recipients: ['link@acme.test'] }],
          }),
          website('form.acme.test'),
        ],
      }),
      team('plain'),
    ]);
    token = await createToken(app.services, 'acme', 'owner@acme.test');
  });

  afterAll(async () => {
    await app?.close();
    await redis?.stop();
  });

  async function submit(host: string, body: object, bearer = token): Promise<string> {
    const site = await websiteId(app.services, host);
    const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { lead_id: string }).lead_id;
  }

  const notification = (leadId: string) =>
    app.services.db.orm.notification.findUniqueOrThrow({
      where: { submissionId: leadId },
      include: { attemptLog: true },
    });

  const inState = (leadId: string, state: string) =>
    eventually(async () => {
      const row = await notification(leadId);
      return row.state === state && row;
    });

  test('a submission is mailed with labels in the website’s language and Reply-To', async () => {
    const leadId = await submit('www.acme.test', {
      name: 'Ada',
      email: 'ada@example.com',
      topic: 'quote',
      extra: 'kept',
      page_url: 'https://www.acme.test/contact',
    });
    const row = await inState(leadId, 'sent');
    expect(row).toMatchObject({ attempts: 1, attemptLog: [{ outcome: 'sent', smtpCode: 250 }] });
    const { recipients, mail } = await app.sink.waitFor(({ raw }) => raw.includes(leadId));
    expect(recipients).toEqual(['link@acme.test']);
    expect(mail.replyTo).toEqual([{ name: '', address: 'ada@example.com' }]);
    expect(mail.text).toContain('E-mail address: ada@example.com');
    expect(mail.text).toContain('extra: kept');
    expect(mail.text).toContain('https://www.acme.test/contact');
    expect(mail.html).toContain('ada@example.com');
  });

  test('the e-mail says where the visitor came from', async () => {
    const site = await websiteId(app.services, 'www.acme.test');
    const visit = await fetch(`${app.url}/api/websites/${site}/visits`, {
      method: 'POST',
      headers: { origin: 'https://www.acme.test', 'content-type': 'application/json' },
      body: JSON.stringify({
        page_url: 'https://www.acme.test/?utm_source=news&utm_campaign=spring',
        referrer: 'https://search.test/',
      }),
    });
    const { visitor_hash } = (await visit.json()) as { visitor_hash: string };
    const id = await submit('www.acme.test', { email: 'v@x.test', visitor_hash });
    const { mail } = await app.sink.waitFor(({ raw }) => raw.includes(id));
    expect(mail.text).toContain(
      '\nCame from: https://search.test/\nCampaign: utm_source=news, utm_campaign=spring\n',
    );
  });

  test('recipients are those of the form, else the website’s address', async () => {
    const plain = await createToken(app.services, 'plain', 'owner@plain.test');
    const cases: [string, string, string][] = [
      ['form.acme.test', token, 'form@acme.test'],
      ['www.plain.test', plain, 'hello@www.plain.test'],
    ];
    for (const [host, bearer, expected] of cases) {
      const leadId = await submit(host, { email: 'v@x.test' }, bearer);
      const { recipients } = await app.sink.waitFor(({ raw }) => raw.includes(leadId));
      expect(recipients).toEqual([expected]);
    }
  });

  test('a notification that was never queued is found and sent', async () => {
    const { db } = app.services;
    const leadId = await submit('form.acme.test', { email: 'v@x.test' });
    await inState(leadId, 'sent');
    // As if the gateway had died between its commit and the hand-over, a while ago.
    await db.orm.notificationAttempt.deleteMany({ where: { submissionId: leadId } });
    await db.orm.notification.update({
      where: { submissionId: leadId },
      data: { state: 'pending', attempts: 0, nextAttemptAt: new Date(Date.now() - 60_000) },
    });
    await inState(leadId, 'sent');
  });

  test('a notification that is queued many times is sent once', async () => {
    const { notifications } = app.services;
    const leadId = await submit('form.acme.test', { email: 'v@x.test' });
    for (let again = 0; again < 20; again++) notifications.handOver(leadId);
    await Promise.all(Array.from({ length: 20 }, () => notifications.send(leadId)));
    await reconcile(app.services);
    await inState(leadId, 'sent');
    await notifications.settled();
    expect((await notification(leadId)).attempts).toBe(1);
    expect(app.sink.messages.filter(({ raw }) => raw.includes(leadId))).toHaveLength(1);
  });

  test('beyond the quota a submission is recorded and not mailed', async () => {
    await provision(app.services, [team('small', { plan: 'small' })], {
      code: 'small',
      name: 'Small',
      notifications_per_month: QUOTA,
    });
    const bearer = await createToken(app.services, 'small', 'owner@small.test');
    const leads = await Promise.all(
      Array.from({ length: QUOTA + 4 }, () => submit('www.small.test', { email: 'v@x.test' }, bearer)),
    );
    const states = await eventually(async () => {
      const rows = await Promise.all(leads.map(notification));
      return rows.every(({ state }) => state !== 'pending') && rows.map(({ state }) => state);
    });
    expect(states.filter((state) => state === 'sent')).toHaveLength(QUOTA);
    expect(states.filter((state) => state === 'skipped_quota')).toHaveLength(4);
  });
}

describe('on PostgreSQL', () => behavesOn(async () => null));

describeWithRedis('on Redis', () => behavesOn(openTestRedis));

describeWithRedis('with Redis away', () => {
  test('submit answers 200, readiness 503, and the e-mail is sent when Redis is back', async () => {
    expect(await redisAway).toEqual({ submitted: 200, readyWithout: 503, readyWith: 200 });
  });
});
