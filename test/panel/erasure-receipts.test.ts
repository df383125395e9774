import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDb } from '../../src/db/client.js';
import { createErasures } from '../../src/submissions/person/erasure.service.js';
import { generateReceiptKey, hashAddress, sealOf } from '../../src/submissions/person/erasure-receipt.js';
import { readTeamsOf } from '../../src/submissions/person/person.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { CONNECT_TIMEOUT_MS, dumpTables } from '../support/database.js';
import { provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const ERASE = `mutation ($teamId: ID!, $email: String!) { erasePerson(teamId: $teamId, email: $email) {
  id erasedByName addressHash finishedAt websites { websiteId submissions }
  counts { submissions notifications requestedEmails attempts bounces notes idempotencyKeys webhookDeliveries
           webhookAttempts spamVerdicts spamSamples spamRules visits held } } }`;

const CHECK = `query ($receiptId: ID!, $email: String!) {
  checkErasure(receiptId: $receiptId, email: $email) { matches isIntact } }`;

let app: TestApp;
let owner: PanelClient;
let teamId: number;
let site: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app.services, 'www.acme.test');
});
afterAll(() => app.close());

/** Records submissions of a person, whose address is in each value. */
async function leadsOf(email: string, count: number): Promise<string[]> {
  const ids = await recordedLeads(app.services, site, count);
  for (const id of ids) {
    await app.services.db.orm.submission.update({
      where: { id },
      data: { emails: [email], values: { email }, undeclared: { again: email }, pageTitle: email },
    });
  }
  return ids;
}

const visitOf = (pageUrl: string, more: object = {}) =>
  app.services.db.orm.visit.create({
    data: { websiteId: site, visitorHash: randomUUID(), pageUrl, ...more },
  });

const check = async (receiptId: string, email: string) =>
  (await owner.ask(CHECK, { receiptId, email })).checkErasure;

test('an erasure reaches every table, and its receipt says what, where, when and by whom', async () => {
  const { db } = app.services;
  const email = 'ada.l+x@example.com';
  const [first, second] = await leadsOf(email, 2);
  const at = new Date();
  const attempt = {
    number: 1,
    outcome: 'failed',
    detail: `550 ${email}`,
    startedAt: at,
    finishedAt: at,
  } as const;
  await db.orm.notificationAttempt.create({ data: { ...attempt, submissionId: first!, recipients: [] } });
  await db.orm.submissionNote.create({ data: { submissionId: second!, text: `Called ${email}` } });
  const emailId = randomUUID();
  await db.orm.requestedEmail.create({
    data: { id: emailId, submissionId: first!, kind: 'forwarded', recipients: [email], note: email },
  });
  await db.orm.requestedEmailAttempt.create({ data: { ...attempt, emailId, recipients: [email] } });
  await db.orm.bounce.create({
    data: {
      emailId,
      submissionId: first!,
      address: email,
      kind: 'bounced',
      status: '5.1.1',
      detail: `550 ${email}`,
      reportedAt: at,
    },
  });
  const about = { webhookId: randomUUID(), submissionId: second! };
  const [delivery] = await Promise.all([
    db.orm.webhookDelivery.create({ data: { ...about, type: 'submission.created' } }),
    db.orm.webhookDelivery.create({ data: { ...about, type: 'submission.state_changed' } }),
  ]);
  const told = { deliveryId: delivery.id, startedAt: at, durationMs: 1, status: 500, answer: email };
  await db.orm.webhookAttempt.create({ data: { ...told, number: 1 } });
  await db.orm.spamVerdict.create({
    data: {
      submissionId: second!,
      teamId,
      score: 5,
      threshold: 100,
      filter: 'mark',
      reasons: [{ detail: email }],
    },
  });
  await db.orm.spamSample.create({ data: { submissionId: second!, isSpam: false, features: [1, 2] } });
  const globexId = (await db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } })).id;
  await db.orm.spamRule.createMany({
    data: [
      { teamId, kind: 'blocked_sender', value: email },
      { teamId, kind: 'trusted_sender', value: email },
      { teamId, kind: 'blocked_sender', value: 'ada.l@example.com' },
      { teamId: globexId, kind: 'blocked_sender', value: 'ada.l@example.com' },
    ],
  });
  await visitOf('https://www.acme.test/thanks/ADA.L%2Bx%40example.com?utm_source=x');
  await visitOf('https://www.acme.test/a', {
    pageTitle: `Bonjour ${email}`,
    utmTerm: 'ada.l+x%40example.com',
  });
  const other = await visitOf('https://www.acme.test/ada.lx@example.com');

  const { erasePerson: receipt } = await owner.ask(ERASE, { teamId, email: 'Ada.L+X@Example.com' });
  expect(receipt).toMatchObject({
    erasedByName: 'owner@acme.test',
    finishedAt: expect.any(String),
    websites: [{ websiteId: site, submissions: 2 }],
    counts: {
      submissions: 2,
      notifications: 2,
      requestedEmails: 1,
      attempts: 2,
      bounces: 1,
      webhookDeliveries: 2,
      webhookAttempts: 1,
      spamVerdicts: 1,
      spamSamples: 1,
      spamRules: 2,
      notes: 1,
      idempotencyKeys: 0,
      visits: 2,
      held: 0,
    },
  });
  const dump = JSON.stringify(await dumpTables(app.database.url)).toLowerCase();
  expect(await check(receipt.id, email)).toEqual({ matches: true, isIntact: true });
  expect(dump).not.toMatch(/ada\.l(\+|%2b)x(@|%40)example/);
  expect(await db.orm.visit.findUnique({ where: { id: other.id } })).toEqual(other);
  expect(await db.orm.visit.count()).toBe(3);
  expect(await db.orm.spamRule.count({ where: { value: 'ada.l@example.com' } })).toBe(2);
  await db.orm.spamRule.deleteMany();
});

test('a rule about spam that names a person is shown and erased, of this team alone, also without a lead', async () => {
  const { spamRule, team: teams } = app.services.db.orm;
  const value = 'hal@x.test';
  const globexId = (await teams.findUniqueOrThrow({ where: { slug: 'globex' } })).id;
  await spamRule.createMany({
    data: [teamId, globexId].map((id) => ({ teamId: id, kind: 'blocked_sender', value })),
  });
  const person = async () =>
    (
      await owner.ask(
        '{ person(email: "HAL@x.test") { spamRules submissions firstAt lastAt team { slug } } }',
      )
    ).person;
  const nothing = { submissions: 0, firstAt: null, lastAt: null };
  expect(await person()).toEqual([{ ...nothing, spamRules: 1, team: { slug: 'acme' } }]);
  const { erasurePreview } = await owner.ask(
    'query ($teamId: ID!) { erasurePreview(teamId: $teamId, email: "HAL@x.test") { submissions spamRules } }',
    { teamId },
  );
  expect(erasurePreview).toEqual({ submissions: 0, spamRules: 1 });
  const { erasePerson: receipt } = await owner.ask(ERASE, { teamId, email: 'HAL@x.test' });
  expect(receipt.counts).toMatchObject({ submissions: 0, spamRules: 1 });
  expect(await check(receipt.id, value)).toEqual({ matches: true, isIntact: true });
  expect(await person()).toEqual([]);
  expect(await spamRule.findMany({ select: { teamId: true } })).toEqual([{ teamId: globexId }]);
  await spamRule.deleteMany();
});

test.each(["o'brien+a_b@x.test", 'o%27brien%2Ba_b@x.test', 'o%27brien+a%5Fb%40x%2Etest'])(
  'an erasure reaches the spelling %s of an address in a URL',
  async (spelling) => {
    const email = "o'brien+a_b@x.test";
    await leadsOf(email, 1);
    const { id } = await visitOf(`https://www.acme.test/thanks?utm_content=${spelling}`);
    const other = await visitOf('https://www.acme.test/thanks?utm_content=o%27brienna_b@x.test');
    await owner.ask(ERASE, { teamId, email });
    const { orm } = app.services.db;
    const { pageUrl } = await orm.visit.findUniqueOrThrow({ where: { id } });
    expect(pageUrl).toBe('https://www.acme.test/thanks?utm_content=erased');
    expect(await orm.visit.findUnique({ where: { id: other.id } })).toEqual(other);
  },
);

test('an erasure leaves the addresses of others that end or begin like the erased one', async () => {
  const { orm } = app.services.db;
  await orm.visit.deleteMany();
  const others = [
    ...[
      'marta@b.fr',
      'jean.a@b.fr',
      'jean-a%40b.fr',
      'j_a@b.fr',
      'x%2Ba%40b.fr',
      'x%2Ea@b.fr',
      '%C3%A9a@b.fr',
    ],
    ...['\u00e9a@b.fr', 'a@b.free', 'a%40b.fr2'],
  ];
  const own = [
    'a@b.fr',
    'A%40B.fr',
    '%3Da%40b.fr',
    '...a@b.fr',
    'x/a@b.fr.html',
    '%20a@b.fr%26',
    '+a@b.fr',
    '<a@b.fr>',
  ];
  for (const text of [...others, ...own])
    await visitOf(`https://www.acme.test/?e=${text}`, { utmTerm: text });
  await orm.visit.create({
    data: {
      websiteId: site,
      visitorHash: 'both',
      pageUrl: '/?e=marta@b.fr,a@b.fr',
      pageTitle: 'a@b.fr marta@b.fr',
    },
  });
  const { erasePerson: receipt } = await owner.ask(ERASE, { teamId, email: 'a@b.fr' });
  const left = await orm.visit.findMany({
    where: { utmTerm: { not: null } },
    select: { utmTerm: true, pageUrl: true },
  });
  const texts = left.map(({ utmTerm }) => utmTerm);
  expect(texts).toEqual(expect.arrayContaining(others));
  expect(texts.filter((text) => !others.includes(text!)).sort()).toEqual(
    own.map((text) => text.replace(/a(@|%40)b\.fr/i, 'erased')).sort(),
  );
  expect(await orm.visit.findFirst({ where: { visitorHash: 'both' } })).toMatchObject({
    pageUrl: '/?e=marta@b.fr,erased',
    pageTitle: 'erased marta@b.fr',
  });
  expect(receipt.counts.visits).toBe(own.length + 1);
});

test('an erasure goes through thousands of visits with long texts that have nearly the address', async () => {
  const { orm } = app.services.db;
  await orm.visit.deleteMany();
  await orm.$executeRaw`
    INSERT INTO visits (id, website_id, visitor_hash, page_url, page_title, referrer)
    SELECT gen_random_uuid(), ${site}::uuid, n::text, 'https://www.acme.test/?' || repeat('q=xvictim@example.com&', 90),
           'xvictim@example.com', 'https://www.other.test/?' || repeat('q=1&', 500)
      FROM generate_series(1, 10000) AS n`;
  const { pageUrl } = await visitOf('https://www.acme.test/?e=victim@example.com');
  expect(pageUrl).toContain('victim@');
  // As a gateway, which ends a statement after 1.9 seconds.
  const db = createDb(app.database.url, {
    statementTimeoutMs: 1_900,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const erasures = createErasures({ ...app.services, db });
  const receipt = await erasures.erase(teamId, 'victim@example.com', TEST_ACTOR);
  await db.close();
  expect(receipt.counts.visits).toBe(1);
  expect(await orm.visit.count({ where: { pageUrl: { contains: '=victim' } } })).toBe(0);
  await orm.visit.deleteMany();
});

test('an erasure reaches each visit among thousands that have no address or another', async () => {
  const { orm } = app.services.db;
  await orm.visit.deleteMany();
  await orm.$executeRaw`
    INSERT INTO visits (id, website_id, visitor_hash, page_url, created_at)
    SELECT gen_random_uuid(), ${site}::uuid, n::text, 'https://www.acme.test/?q=' ||
             CASE WHEN n % 1100 = 0 THEN 'mia%40x.test' WHEN n BETWEEN 2100 AND 2350 THEN 'other@x.test' ELSE 'shoes' END,
           now() + n * interval '1 second'
      FROM generate_series(1, 5500) AS n`;
  const receipt = await app.services.erasures.erase(teamId, 'mia@x.test', TEST_ACTOR);
  expect(receipt.counts.visits).toBe(5);
  const left = await orm.visit.groupBy({ by: ['pageUrl'], _count: true, orderBy: { pageUrl: 'asc' } });
  const counts = left.map(({ pageUrl, _count }) => `${pageUrl.split('=')[1]}: ${_count}`);
  expect(counts).toEqual(['erased: 5', 'other@x.test: 250', 'shoes: 5245']);
  await orm.visit.deleteMany();
});

test('each team that has a person is listed, however many leads of the person another one has', async () => {
  const { db } = app.services;
  await leadsOf('rita@x.test', 2);
  const globex = await websiteId(app.services, 'www.globex.test');
  const [lead] = await recordedLeads(app.services, globex, 1, new Date());
  await db.orm.submission.update({ where: { id: lead! }, data: { emails: ['rita@x.test'] } });
  const teams = await readTeamsOf(db, { teamIds: null }, { email: 'Rita@x.test', limit: 1 });
  expect(teams.map(({ submissions }) => submissions).toSorted()).toEqual([1, 2]);
  await db.orm.submission.deleteMany({ where: { emails: { has: 'rita@x.test' } } });
});

test('a receipt confirms its address and no other, in any case of letters', async () => {
  await leadsOf('bea@x.test', 1);
  const { erasePerson: receipt } = await owner.ask(ERASE, { teamId, email: 'bea@x.test' });
  expect(await check(receipt.id, 'BEA@x.test')).toEqual({ matches: true, isIntact: true });
  expect(await check(receipt.id, 'carl@x.test')).toEqual({ matches: false, isIntact: true });
  expect(await owner.refused(CHECK, { receiptId: receipt.id, email: 'nobody' })).toBe('BAD_USER_INPUT');
});

test('a receipt of a version that counted less is intact, and does not say zero of what it did not count', async () => {
  const { db, cipher } = app.services;
  const id = randomUUID();
  const keyCipher = generateReceiptKey(cipher, id);
  const receipt = {
    id,
    teamId,
    keyCipher,
    erasedByName: 'Ada',
    startedAt: new Date(),
    finishedAt: new Date(),
    addressHash: hashAddress(cipher, { id, keyCipher }, 'old@x.test'),
    counts: {
      submissions: 1,
      notifications: 1,
      requestedEmails: 0,
      attempts: 0,
      notes: 0,
      idempotencyKeys: 0,
      visits: 0,
      held: 0,
    },
    websites: {},
  };
  await db.orm.erasureReceipt.create({ data: { ...receipt, seal: sealOf(cipher, receipt) } });
  expect(await check(id, 'old@x.test')).toEqual({ matches: true, isIntact: true });
  const { erasureReceipts } = await owner.ask(
    `query ($teamId: ID!) { erasureReceipts(teamId: $teamId, first: 1) {
       edges { node { id counts { submissions webhookDeliveries spamSamples spamRules } } } } }`,
    { teamId },
  );
  const counts = { submissions: 1, webhookDeliveries: null, spamSamples: null, spamRules: null };
  expect(erasureReceipts.edges).toEqual([{ node: { id, counts } }]);
  await db.orm.erasureReceipt.delete({ where: { id } });
});

test('two receipts of one person have nothing in common', async () => {
  const hashes: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    hashes.push((await owner.ask(ERASE, { teamId, email: 'dora@x.test' })).erasePerson.addressHash);
  }
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(hashes[0]).not.toBe(hashes[1]);
});

test.each([
  ['its counts', 'counts = counts || \'{"submissions": 7}\''],
  ['its websites', `websites = '{"${randomUUID()}": 1}'`],
  ['its time', "finished_at = finished_at + interval '1 day'"],
  ['the name in it', "erased_by_name = 'Somebody else'"],
  ['its seal, which is taken away', 'seal = NULL'],
])('a receipt is not intact after a change of %s', async (_what, change) => {
  const { id } = (await owner.ask(ERASE, { teamId, email: 'eve@x.test' })).erasePerson;
  await app.services.db.orm.$executeRawUnsafe(`UPDATE erasure_receipts SET ${change} WHERE id = '${id}'`);
  expect(await check(id, 'eve@x.test')).toEqual({ matches: true, isIntact: false });
});

test('a hold that is set unless there is one leaves the reason of another, and audits nothing', async () => {
  const [id] = await leadsOf('gus@x.test', 1);
  const set = async (reason: string, unlessHeld: boolean) => {
    const mutation = `mutation ($id: ID!, $reason: String!, $unlessHeld: Boolean!) {
      setLegalHold(submissionId: $id, reason: $reason, unlessHeld: $unlessHeld) }`;
    const { setLegalHold } = await owner.ask(mutation, { id, reason, unlessHeld });
    const { orm } = app.services.db;
    const { legalHoldReason } = await orm.submission.findUniqueOrThrow({ where: { id: id! } });
    const events = await orm.auditEvent.count({ where: { subjectId: id!, action: 'legal_hold.set' } });
    return [setLegalHold, legalHoldReason, events];
  };
  expect(await set('Dispute.', true)).toEqual([true, 'Dispute.', 1]);
  expect(await set('Inquiry.', true)).toEqual([false, 'Dispute.', 1]);
  expect(await set('Dispute.', true)).toEqual([true, 'Dispute.', 1]);
  expect(await set('Inquiry.', false)).toEqual([true, 'Inquiry.', 2]);
  await app.services.legalHolds.release(id!, TEST_ACTOR);
  const both = await Promise.all([set('One.', true), set('Two.', true)]);
  expect(both.map(([isSet]) => isSet).sort()).toEqual([false, true]);
  await app.services.db.orm.submission.deleteMany();
});

test('an erasure leaves what is under legal hold, and says how many that are', async () => {
  const [held, free] = await leadsOf('fay@x.test', 2);
  const hold = 'mutation ($id: ID!, $reason: String!) { setLegalHold(submissionId: $id, reason: $reason) }';
  await owner.ask(hold, { id: held, reason: ' Dispute. ' });
  const note = { submissionId: held!, text: 'Stays with the lead.', createdAt: new Date() };
  await app.services.db.orm.submissionNote.create({ data: note });
  const one = await owner.ask('query ($id: ID!) { submission(id: $id) { legalHold { since reason } } }', {
    id: held,
  });
  expect(one.submission.legalHold).toEqual({ since: expect.any(String), reason: 'Dispute.' });

  const preview = await owner.ask(
    `query ($teamId: ID!) { erasurePreview(teamId: $teamId, email: "fay@x.test") {
       submissions held notes emails isExact websites { submissions website { name } } } }`,
    { teamId },
  );
  expect(preview.erasurePreview).toEqual({
    submissions: 1,
    held: 1,
    notes: 0,
    emails: 0,
    isExact: true,
    websites: [{ submissions: 1, website: { name: 'www.acme.test' } }],
  });
  const { erasePerson: receipt } = await owner.ask(ERASE, { teamId, email: 'fay@x.test' });
  expect(receipt.counts).toMatchObject({ submissions: 1, held: 1 });
  const deletion = 'mutation ($ids: [ID!]!) { deleteSelected(selection: { ids: $ids }) { matched deleted } }';
  expect(await owner.ask(deletion, { ids: [held] })).toEqual({ deleteSelected: { matched: 1, deleted: 0 } });
  const rest = await app.services.db.orm.submission.findMany({ where: { id: { in: [held!, free!] } } });
  expect(rest.map(({ id }) => id)).toEqual([held]);

  await owner.ask(hold, { id: held, reason: 'Another dispute.' });
  await owner.ask(hold, { id: held, reason: 'Another dispute.' });
  await owner.ask('mutation ($id: ID!) { releaseLegalHold(submissionId: $id) }', { id: held });
  expect(await owner.ask(deletion, { ids: [held] })).toEqual({ deleteSelected: { matched: 1, deleted: 1 } });
  const events = await app.services.db.orm.auditEvent.findMany({
    where: { subjectId: held!, action: { startsWith: 'legal_hold.' } },
    orderBy: { id: 'asc' },
  });
  expect(events.map(({ action, detail }) => [action, detail])).toEqual([
    ['legal_hold.set', {}],
    ['legal_hold.set', { changed: ['reason'] }],
    ['legal_hold.released', {}],
  ]);
});

test('a person is shown with the teams within view alone', async () => {
  await leadsOf('gus@x.test', 2);
  const [foreign] = await recordedLeads(app.services, await websiteId(app.services, 'www.globex.test'), 1);
  await app.services.db.orm.submission.update({ where: { id: foreign! }, data: { emails: ['gus@x.test'] } });
  const query = `{ person(email: "GUS@x.test") { submissions mayErase team { slug } }
    submissions(filter: { email: "GUS@x.test" }) { edges { node { teamId emails } } } }`;
  const member = await loggedIn(app.url, app.services, 'member@acme.test');
  for (const [viewer, mayErase] of [
    [owner, true],
    [member, false],
  ] as const) {
    const { person, submissions } = await viewer.ask(query);
    expect(person).toEqual([{ submissions: 2, mayErase, team: { slug: 'acme' } }]);
    expect(submissions.edges).toHaveLength(2);
  }
});

test('the receipts of a team are listed by pages, the latest first', async () => {
  const query = `query ($teamId: ID!, $after: String) { erasureReceipts(teamId: $teamId, first: 1, after: $after) {
    edges { node { id } } pageInfo { hasNextPage endCursor } } }`;
  const ids: string[] = [];
  for (let after: string | null = null, isMore = true; isMore; ) {
    const {
      erasureReceipts,
    }: {
      erasureReceipts: {
        edges: { node: { id: string } }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
    } = await owner.ask(query, { teamId, after });
    ids.push(...erasureReceipts.edges.map(({ node }) => node.id));
    after = erasureReceipts.pageInfo.endCursor;
    isMore = erasureReceipts.pageInfo.hasNextPage;
  }
  const stored = await app.services.db.orm.erasureReceipt.findMany({ orderBy: { startedAt: 'desc' } });
  expect(ids).toEqual(stored.map(({ id }) => id));
});
