import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { RecipientRule } from '../../src/forms/recipients/recipient-rules.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import type { SinkBehaviour } from '../support/smtp.js';

const [SALES, BOSS, HELP, DESK, SITE] = ['sales', 'boss', 'help', 'desk', 'site'].map(
  (name) => `${name}@acme.test`,
) as [string, string, string, string, string];

const topicIs = (value: string) => ({
  match: 'all',
  rules: [{ field: 'topic', operator: 'equals', value }],
});
const isBig = { match: 'all', rules: [{ field: 'budget', operator: 'gte', value: 1000 }] };

const FORM_RULES = [
  { when: topicIs('quote'), recipients: [SALES] },
  { when: isBig, recipients: [BOSS, SALES] },
];
const SITE_RULES = [{ when: topicIs('other'), recipients: [SITE] }];

const TIMELINE = `query ($id: ID!) { submission(id: $id) { notification {
  state recipients { address state rule { scope index when } }
} } }`;

const smtp: SinkBehaviour = {};
let app: TestApp;
let token: string;
let member: PanelClient;
let owner: PanelClient;

beforeAll(async () => {
  app = await startTestApp({ smtp });
  await provision(app.services, [
    team('acme', {
      forms: [
        contactForm({
          recipients: [DESK],
          recipient_rules: FORM_RULES,
          fields: [
            ...(contactForm().fields as object[]),
            { name: 'message', type: 'textarea', label: 'Message' },
          ],
        }),
      ],
      websites: [
        website('www.acme.test'),
        website('own.acme.test', { forms: [{ slug: 'contact', recipient_rules: SITE_RULES }] }),
      ],
    }),
  ]);
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});

afterEach(async () => {
  delete smtp.rcpt;
  await setRules(FORM_RULES as RecipientRule[]);
});

afterAll(() => app?.close());

async function setRules(rules: RecipientRule[]): Promise<void> {
  const { db, changeFeed } = app.services;
  await db.orm.form.updateMany({ data: { recipientRules: rules as never } });
  changeFeed.expire();
}

async function submit(body: object, host = 'www.acme.test'): Promise<string> {
  const site = await websiteId(app.services, host);
  const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'v@x.test', ...body }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { lead_id: string }).lead_id;
}

const attempt = (id: string) => app.services.notifications.send(id);

const sentFor = (id: string) => app.sink.messages.filter(({ raw }) => raw.includes(id));

const makeDue = (submissionId: string) =>
  app.services.db.orm.notification.update({ where: { submissionId }, data: { nextAttemptAt: new Date(0) } });

const timeline = async (id: string) => (await member.ask(TIMELINE, { id })).submission.notification;

test.each([
  ['one rule', { topic: 'quote' }, 'www.acme.test', [SALES]],
  ['several rules, each address once', { topic: 'quote', budget: '1000' }, 'www.acme.test', [SALES, BOSS]],
  ['no rule', { topic: 'other' }, 'www.acme.test', [DESK]],
  ['no rule, as the field of one is hidden', { topic: 'other', budget: '1000' }, 'www.acme.test', [DESK]],
  ["a placement's rule", { topic: 'other' }, 'own.acme.test', [SITE]],
  ["no rule of a placement that replaces the form's", { topic: 'quote' }, 'own.acme.test', [DESK]],
])('an e-mail reaches the recipients of %s', async (_, body, host, expected) => {
  const id = await submit(body, host);
  await attempt(id);
  expect(sentFor(id).map(({ recipients }) => recipients)).toEqual([expected]);
  const shown = await timeline(id);
  expect(shown.state).toBe('sent');
  expect(shown.recipients.map(({ address }: { address: string }) => address).sort()).toEqual(
    [...expected].sort(),
  );
});

test('the timeline tells which rule chose each recipient, and none of a default', async () => {
  const big = await submit({ topic: 'quote', budget: '2500' });
  const before = await timeline(big);
  const expected = [
    { address: SALES, state: 'waiting', rule: { scope: 'form', index: 0, when: topicIs('quote') } },
    { address: BOSS, state: 'waiting', rule: { scope: 'form', index: 1, when: isBig } },
  ];
  expect(before).toEqual({ state: 'pending', recipients: expected });
  await attempt(big);
  expect((await timeline(big)).recipients).toEqual(
    expect.arrayContaining(expected.map((one) => ({ ...one, state: 'accepted' }))),
  );

  const own = await submit({ topic: 'other' }, 'own.acme.test');
  expect((await timeline(own)).recipients).toEqual([
    { address: SITE, state: 'waiting', rule: { scope: 'placement', index: 0, when: topicIs('other') } },
  ]);
  const none = await submit({ topic: 'other' });
  expect((await timeline(none)).recipients).toEqual([{ address: DESK, state: 'waiting', rule: null }]);
});

test('retries reach the recipients of the first attempt with the same message and unit, whatever changes', async () => {
  const used = async () =>
    (await app.services.db.orm.quotaUsage.aggregate({ _sum: { used: true } }))._sum.used ?? 0;
  const id = await submit({ topic: 'quote', budget: '5000' });
  const before = await used();
  const tried: string[] = [];
  smtp.rcpt = (address) => {
    tried.push(address);
    return address === BOSS ? '451 4.7.1 Greylisted' : null;
  };
  await attempt(id);
  const [first] = sentFor(id);
  await setRules([{ when: topicIs('quote') as never, recipients: [HELP] }]);
  await makeDue(id);
  await attempt(id);
  smtp.rcpt = () => null;
  await makeDue(id);
  await attempt(id);

  expect(tried).toEqual([SALES, BOSS, BOSS]);
  const messages = sentFor(id);
  expect(messages.map(({ recipients }) => recipients)).toEqual([[SALES], [BOSS]]);
  expect(messages[1]!.raw.equals(first!.raw)).toBe(true);
  expect(await used()).toBe(before + 1);
  expect(
    (await timeline(id)).recipients.map(({ rule }: { rule: { index: number } }) => rule.index).sort(),
  ).toEqual([0, 1]);
});

test('an e-mail that failed is sent again to the recipients of the rules of today', async () => {
  const send = (id: string) =>
    owner.ask('mutation ($ids: [ID!]!) { sendSelectedAgain(selection: { ids: $ids }) { matched } }', {
      ids: [id],
    });
  smtp.rcpt = () => '550 5.1.1 No such user';
  const id = await submit({ topic: 'quote' });
  const other = await submit({ topic: 'other' });
  await attempt(id);
  await attempt(other);
  delete smtp.rcpt;
  await setRules([{ when: topicIs('quote') as never, recipients: [HELP] }]);
  await send(id);
  await attempt(id);
  expect(sentFor(id).map(({ recipients }) => recipients)).toEqual([[HELP]]);
  expect((await timeline(id)).recipients).toEqual(
    expect.arrayContaining([
      { address: HELP, state: 'accepted', rule: { scope: 'form', index: 0, when: topicIs('quote') } },
    ]),
  );
  await send(other);
  await attempt(other);
  expect(sentFor(other).map(({ recipients }) => recipients)).toEqual([[DESK]]);

  smtp.rcpt = () => '550 5.1.1 No such user';
  const last = await submit({ topic: 'quote' });
  await attempt(last);
  delete smtp.rcpt;
  await setRules([]);
  await send(last);
  await attempt(last);
  expect(sentFor(last).map(({ recipients }) => recipients)).toEqual([[DESK]]);
});

test('rules of today that would search a lead for too long leave its recipients as they are', async () => {
  smtp.rcpt = () => '550 5.1.1 No such user';
  const id = await submit({ topic: 'quote', message: 'a'.repeat(9_000) });
  await attempt(id);
  delete smtp.rcpt;
  const long = { field: 'message', operator: 'contains', value: `ab${'a'.repeat(253)}` };
  const when = { match: 'any', rules: [...Array(50).fill(long), ...topicIs('quote').rules] };
  await setRules([{ when: when as never, recipients: [HELP] }]);
  await owner.ask('mutation ($ids: [ID!]!) { sendSelectedAgain(selection: { ids: $ids }) { matched } }', {
    ids: [id],
  });
  await attempt(id);
  expect(sentFor(id).map(({ recipients }) => recipients)).toEqual([[SALES]]);
});
