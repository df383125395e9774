import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads, setSearchWords } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

const DAY = new Date('2026-03-01T12:00:00.000Z');

const LIST = `query ($filter: SubmissionFilter, $first: Int, $after: String, $last: Int, $before: String) {
  submissions(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { id state createdAt } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

let app: TestApp;
let owner: PanelClient;
let member: PanelClient;
let staff: PanelClient;
let site: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [
    team('acme', {
      forms: [contactForm(), contactForm({ slug: 'quote' })],
      websites: [
        website('www.acme.test', { forms: [{ slug: 'contact' }] }),
        website('shop.acme.test', { forms: [{ slug: 'quote' }] }),
      ],
    }),
    team('globex'),
  ]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
  site = await websiteId(app.services, 'www.acme.test');
});
afterAll(() => app.close());

async function found(client: PanelClient, filter: object): Promise<string[]> {
  const { submissions } = await client.ask(LIST, { filter, first: 100 });
  return submissions.edges.map(({ node }: { node: { id: string } }) => node.id);
}

async function emptied(): Promise<void> {
  await app.services.db.orm.submission.deleteMany();
}

describe('a submission', () => {
  const ONE = `query ($id: ID!) { submission(id: $id) {
    id teamId websiteId formId formVersion locale state stateChangedAt emails needsReview createdAt
    fields { name label type value text } undeclared consents { name label locale }
    pageUrl pageTitle pageLocale captchaKey captchaGround tokenId attribution { referrer utmSource }
    notification { state nextAttemptAt attempts { number outcome smtpCode detail recipients } }
    notes { id text authorName } stateHistory { from to changedByName }
  } }`;

  test('is shown with labels in its language, undeclared fields and fields that the form no longer has', async () => {
    const { db, services } = { db: app.services.db, services: app.services };
    const token = await createToken(services, 'acme', 'owner@acme.test');
    const answer = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Ada',
        email: 'Ada@Example.com',
        topic: 'quote',
        budget: 12.5,
        extra: { a: [1] },
        page_url: 'https://www.acme.test/contact',
        page_title: 'Contact',
        form_locale: 'en',
      }),
    });
    const { lead_id: id } = (await answer.json()) as { lead_id: string };
    await db.orm.submission.update({
      where: { id },
      data: {
        values: { name: 'Ada', email: 'Ada@Example.com', topic: 'quote', gone: ['x', true] },
        consents: { gdpr: { label: 'I agree as of then.', locale: 'en' } },
        attribution: { referrer: 'https://search.test/', utm_source: 'letter' },
      },
    });
    await db.orm.notificationAttempt.create({
      data: {
        submissionId: id,
        number: 1,
        outcome: 'deferred',
        smtpCode: 451,
        detail: 'Later.',
        recipients: ['desk@acme.test'],
        startedAt: DAY,
        finishedAt: DAY,
      },
    });
    const { submission } = await member.ask(ONE, { id: id.toUpperCase() });
    expect(submission).toMatchObject({
      id,
      websiteId: site,
      locale: 'en',
      state: 'new',
      emails: ['ada@example.com'],
      formVersion: 1,
      fields: [
        { name: 'name', label: 'Nom', type: 'text', value: 'Ada', text: 'Ada' },
        { name: 'email', label: 'E-mail address', type: 'email', text: 'Ada@Example.com' },
        { name: 'topic', label: 'Sujet', value: 'quote', text: 'Devis' },
        { name: 'gone', label: 'gone', type: null, value: ['x', true], text: 'x, Yes' },
      ],
      undeclared: { extra: { a: [1] } },
      consents: [{ name: 'gdpr', label: 'I agree as of then.', locale: 'en' }],
      pageUrl: 'https://www.acme.test/contact',
      pageTitle: 'Contact',
      pageLocale: null,
      captchaKey: null,
      captchaGround: 'none',
      needsReview: false,
      attribution: { referrer: 'https://search.test/', utmSource: 'letter' },
      notification: {
        state: 'pending',
        nextAttemptAt: expect.any(String),
        attempts: [
          { number: 1, outcome: 'deferred', smtpCode: 451, detail: 'Later.', recipients: ['desk@acme.test'] },
        ],
      },
      notes: [],
      stateHistory: [],
    });
    expect(submission.tokenId).not.toBeNull();
  });

  test('is a NOT_FOUND when its id is malformed, unknown or of another team', async () => {
    const [foreign] = await recordedLeads(app.services, await websiteId(app.services, 'www.globex.test'), 1);
    for (const id of ['', 'x', '0198c2a4-7c1a-7000-8000-000000000001', foreign]) {
      expect(await owner.refused(ONE, { id })).toBe('NOT_FOUND');
    }
    expect((await staff.ask(ONE, { id: foreign })).submission.id).toBe(foreign);
  });
});

describe('filters', () => {
  /** What is recorded of each, beside what all have. */
  let ids: Record<string, string>;

  beforeAll(async () => {
    await emptied();
    const { db } = app.services;
    const shop = await websiteId(app.services, 'shop.acme.test');
    const globex = await websiteId(app.services, 'www.globex.test');
    const lead = async (websiteOf: string, minute: number) =>
      (await recordedLeads(app.services, websiteOf, 1, new Date(DAY.getTime() + minute * 60_000)))[0]!;
    ids = {
      plain: await lead(site, 0),
      shop: await lead(shop, 1),
      done: await lead(site, 2),
      english: await lead(site, 3),
      review: await lead(site, 4),
      failed: await lead(site, 5),
      text: await lead(site, 6),
      globex: await lead(globex, 7),
    };
    const change = (id: string | undefined, data: object) =>
      db.orm.submission.update({ where: { id }, data });
    await change(ids.done, { state: 'done' });
    await change(ids.english, { locale: 'en' });
    await change(ids.review, { needsReview: true });
    await setSearchWords(db, ids.text!, 'ada lovelace 100 sur ici o 12345678');
    await db.orm.notification.update({ where: { submissionId: ids.failed }, data: { state: 'failed' } });
  });

  const minute = (n: number) => new Date(DAY.getTime() + n * 60_000).toISOString();
  const cases: [string, () => Promise<object>, string[]][] = [
    ['nothing', async () => ({}), ['text', 'failed', 'review', 'english', 'done', 'shop', 'plain']],
    ['a website', async () => ({ websiteIds: [await websiteId(app.services, 'shop.acme.test')] }), ['shop']],
    [
      "another team's website",
      async () => ({ websiteIds: [await websiteId(app.services, 'www.globex.test')] }),
      [],
    ],
    [
      'a form',
      async () => ({
        formIds: (await app.services.db.orm.form.findMany({ where: { slug: 'quote' } })).map(({ id }) => id),
      }),
      ['shop'],
    ],
    ['no website at all', async () => ({ websiteIds: [] }), []],
    ['a state', async () => ({ states: ['done'] }), ['done']],
    ['states', async () => ({ states: ['done', 'spam', 'archived'] }), ['done']],
    ['a language', async () => ({ locale: 'en' }), ['english']],
    ['a language and a state', async () => ({ locale: 'en', states: ['done'] }), []],
    ['a period', async () => ({ from: minute(2), to: minute(4) }), ['english', 'done']],
    ['review', async () => ({ needsReview: true }), ['review']],
    ['no review', async () => ({ needsReview: false, from: minute(3) }), ['text', 'failed', 'english']],
    ['a failed e-mail', async () => ({ notificationStates: ['failed'] }), ['failed']],
    ['a text', async () => ({ text: 'LOVELACE' }), ['text']],
    ['words in another order, the last by its beginning', async () => ({ text: 'Sûr_ADA: lov' }), ['text']],
    ['the middle of a word', async () => ({ text: 'velace' }), []],
    ['words of which one is not there', async () => ({ text: 'ada byron lovelace' }), []],
    ['signs that mean something in a query', async () => ({ text: `ada & !'\\(lovelace:*` }), ['text']],
    ['a telephone number', async () => ({ text: '+33 (0)1 12.34-56 78' }), ['text']],
    ['a reference', async () => ({ text: ids.done }), ['done']],
    [
      'a reference in capitals, and a state',
      async () => ({ text: ids.done?.toUpperCase(), states: ['done'] }),
      ['done'],
    ],
    [
      'a reference and another website',
      async () => ({ text: ids.done, websiteIds: [await websiteId(app.services, 'shop.acme.test')] }),
      [],
    ],
    ["another team's reference", async () => ({ text: ids.globex }), []],
    [
      'a reference and a failed e-mail',
      async () => ({ text: ids.failed, notificationStates: ['failed'] }),
      ['failed'],
    ],
    [
      'a text and a website',
      async () => ({ text: 'v@x.test', websiteIds: [site], states: ['done'] }),
      ['done'],
    ],
    [
      'a text and a failed e-mail',
      async () => ({ text: 'x.test', notificationStates: ['failed'] }),
      ['failed'],
    ],
  ];

  test.each(cases)('by %s', async (_name, filter, expected) => {
    const given = await filter();
    expect(await found(owner, given)).toEqual(expected.map((name) => ids[name]));
    const { submissionCounts } = await owner.ask(
      'query ($filter: SubmissionFilter) { submissionCounts(filter: $filter) { total isExact } }',
      { filter: given },
    );
    expect(submissionCounts).toEqual({ total: expected.length, isExact: true });
  });

  test('of staff cover every team, or one', async () => {
    expect(await found(staff, {})).toEqual([
      ids.globex,
      ids.text,
      ids.failed,
      ids.review,
      ids.english,
      ids.done,
      ids.shop,
      ids.plain,
    ]);
    const { id } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    expect(await found(staff, { teamId: id, states: ['new'] })).toEqual([ids.globex]);
    expect(await found(staff, { states: ['new'], text: 'x.test' })).toHaveLength(6);
    expect(await owner.refused(LIST, { filter: { teamId: id } })).toBe('NOT_FOUND');
    expect(await staff.refused(LIST, { filter: { teamId: '99999' } })).toBe('NOT_FOUND');
  });

  test('count each state that they include', async () => {
    const { submissionCounts } = await owner.ask(
      `{ submissionCounts(filter: { states: [new, done, spam] }) { total byState { state count isExact } } }`,
    );
    expect(submissionCounts).toEqual({
      total: 7,
      byState: [
        { state: 'new', count: 6, isExact: true },
        { state: 'done', count: 1, isExact: true },
        { state: 'spam', count: 0, isExact: true },
      ],
    });
  });

  test.each([
    [{ text: 'a' }, 'filter.text'],
    [{ text: '...' }, 'filter.text'],
    [{ text: '🌱' }, 'filter.text'],
    [{ from: minute(4), to: minute(2) }, 'filter.to'],
    [{ locale: "fr'--" }, 'filter.locale'],
    [{ websiteIds: ['x'] }, 'filter.websiteIds.0'],
    [{ formIds: ['2147483648'] }, 'filter.formIds.0'],
  ])('refuse %j and name its path', async (filter, path) => {
    const counts = 'query ($filter: SubmissionFilter) { submissionCounts(filter: $filter) { total } }';
    for (const query of [LIST, counts]) {
      const { errors } = await owner.send(query, { filter });
      expect(errors?.[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        errors: { [path]: [expect.any(String)] },
      });
    }
  });

  test.each([
    Buffer.from('["0000-01-01T00:00:00Z","0198c2a4-7c1a-7000-8000-000000000001"]').toString('base64url'),
    Buffer.from('["2026-02-30T00:00:00Z","0198c2a4-7c1a-7000-8000-000000000001"]').toString('base64url'),
    Buffer.from('["yesterday","x"]').toString('base64url'),
    'x',
  ])('refuse the cursor %s', async (after) => {
    expect(await owner.refused(LIST, { after })).toBe('BAD_USER_INPUT');
  });
});

describe('pages', () => {
  /** Goes through the whole inbox from one end, with pages of the sizes given, again and again. */
  async function walk(client: PanelClient, filter: object, sizes: number[], between: () => Promise<unknown>) {
    const seen: string[] = [];
    const isForward = sizes.length % 2 === 0;
    let cursor: string | null = null;
    for (let n = 0; ; n++) {
      const size = sizes[n % sizes.length]!;
      const page: object = isForward ? { first: size, after: cursor } : { last: size, before: cursor };
      const { submissions } = await client.ask(LIST, { filter, ...page });
      const nodes = submissions.edges.map(({ node }: { node: { id: string } }) => node.id);
      seen.push(...(isForward ? nodes : nodes.reverse()));
      await between();
      const { pageInfo } = submissions;
      cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
      if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return { seen, isForward };
    }
  }

  test('show each submission exactly once while others are recorded', async () => {
    await emptied();
    const globex = await websiteId(app.services, 'www.globex.test');
    // Many in the same instant, so that their ids decide.
    for (const [host, count, at] of [
      [site, 12, 0],
      [globex, 9, 0],
      [site, 7, 1],
      [site, 3, 2],
      [globex, 4, 3],
    ] as const) {
      await recordedLeads(app.services, host, count, new Date(DAY.getTime() + at));
    }
    const rows = await app.services.db.orm.submission.findMany({
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    const filters = [
      {},
      { states: ['new', 'done'] },
      { text: 'x.test' },
      { notificationStates: ['pending'] },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 2, max: 12 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...filters),
        fc.constantFrom('owner', 'staff'),
        async (sizes, filter, who) => {
          const isMine = ({ websiteId: of }: { websiteId: string }) => who === 'staff' || of !== globex;
          const expected = rows.filter(isMine).map(({ id }) => id);
          const fresh: string[] = [];
          // Newer than all: a walk from the newest has passed their place, one from the oldest meets them last.
          const between = async () => {
            if (fresh.length < 3) fresh.push(...(await recordedLeads(app.services, site, 1)));
          };
          const client = who === 'staff' ? staff : owner;
          const { seen, isForward } = await walk(client, filter, sizes, between);
          await app.services.db.orm.submission.deleteMany({ where: { id: { in: fresh } } });
          const old = seen.filter((id) => !fresh.includes(id));
          expect(old).toEqual(isForward ? expected : expected.reverse());
          expect(new Set(seen).size).toBe(seen.length);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('of the default length, whose statements are prepared, stay equal when repeated', async () => {
    await emptied();
    const globex = await websiteId(app.services, 'www.globex.test');
    await recordedLeads(app.services, site, 60, DAY);
    await recordedLeads(app.services, globex, 60, DAY);
    await recordedLeads(app.services, site, 20, new Date(DAY.getTime() + 1));
    const rows = await app.services.db.orm.submission.findMany({
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    for (const client of [owner, staff, owner, staff, owner, staff]) {
      const expected = rows
        .filter(({ websiteId: of }) => client === staff || of !== globex)
        .map(({ id }) => id);
      for (const sizes of [[50, 50], [50]]) {
        const { seen, isForward } = await walk(client, {}, sizes, async () => undefined);
        expect(seen).toEqual(isForward ? expected : expected.toReversed());
      }
    }
    const teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } })).id;
    expect((await walk(staff, { teamId }, [50, 50], async () => undefined)).seen).toHaveLength(60);
  });

  test('give the same edges again under an alias', async () => {
    const twice = await owner.ask(`{ submissions(first: 2) {
      edges { node { id fields { text } } } again: edges { node { id fields { text } } } } }`);
    expect(twice.submissions.edges).toHaveLength(2);
    expect(twice.submissions.again).toEqual(twice.submissions.edges);
  });

  test('find a rare text, and one that only old submissions have', async () => {
    await emptied();
    const { db } = app.services;
    const { formId, teamId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: site } });
    // More than are looked through at first: the oldest hundred have one word, every 1,500th another.
    await db.orm.$executeRaw`
      INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", search_words,
                               created_at)
      SELECT gen_random_uuid(), ${teamId}::int, ${site}::uuid, ${formId}::int, 1, 'fr', '{}',
             (CASE WHEN n <= 100 THEN 'early ' WHEN n % 1500 = 0 THEN 'seldom ' ELSE '' END || n)::tsvector,
             ${DAY}::timestamptz + n * interval '1 minute'
        FROM generate_series(1, 6000) n`;
    expect(await found(owner, { text: 'seldom' })).toHaveLength(4);
    expect(await found(staff, { text: 'seldom 3000' })).toHaveLength(1);
    const { submissions } = await owner.ask(LIST, { filter: { text: 'early' }, first: 60 });
    expect(submissions.edges).toHaveLength(60);
    expect(submissions.pageInfo.hasNextPage).toBe(true);
    const rest = await owner.ask(LIST, {
      filter: { text: 'early' },
      first: 60,
      after: submissions.pageInfo.endCursor,
    });
    expect(rest.submissions.edges).toHaveLength(40);
    expect(rest.submissions.pageInfo.hasNextPage).toBe(false);
    expect(await found(owner, { notificationStates: ['sent'] })).toEqual([]);
    await emptied();
  });
});

describe('handling', () => {
  test('sets the state of many submissions, and records the actor', async () => {
    const ids = await recordedLeads(app.services, site, 3);
    const set =
      'mutation ($ids: [ID!]!, $state: SubmissionState!) { setSubmissionState(ids: $ids, state: $state) }';
    expect(await owner.ask(set, { ids, state: 'in_progress' })).toEqual({ setSubmissionState: 3 });
    expect(await owner.ask(set, { ids: ids.slice(0, 2), state: 'done' })).toEqual({ setSubmissionState: 2 });
    expect(await owner.ask(set, { ids, state: 'done' })).toEqual({ setSubmissionState: 1 });
    const { submission } = await member.ask(
      `query ($id: ID!) { submission(id: $id) { state stateChangedAt stateChangedById
         stateHistory { from to changedById changedByName channel } } }`,
      { id: ids[0] },
    );
    const who = {
      changedById: submission.stateChangedById,
      changedByName: 'owner@acme.test',
      channel: 'panel',
    };
    expect(submission).toMatchObject({
      state: 'done',
      stateChangedAt: expect.any(String),
      stateHistory: [
        { from: 'new', to: 'in_progress', ...who },
        { from: 'in_progress', to: 'done', ...who },
      ],
    });
  });

  test('tells who has put a submission under legal hold, changed the reason and released it', async () => {
    const [id] = await recordedLeads(app.services, site, 1);
    const set = 'mutation ($id: ID!, $reason: String!) { setLegalHold(submissionId: $id, reason: $reason) }';
    await owner.ask(set, { id, reason: 'Dispute' });
    await staff.ask(set, { id, reason: 'Dispute 2026-14' });
    await owner.ask('mutation ($id: ID!) { releaseLegalHold(submissionId: $id) }', { id });
    const { submission } = await member.ask(
      `query ($id: ID!) { submission(id: $id) { stateHistory { to }
         legalHoldHistory { step changedAt changedByName channel } } }`,
      { id },
    );
    const at = { changedAt: expect.any(String), channel: 'panel' };
    expect(submission).toEqual({
      stateHistory: [],
      legalHoldHistory: [
        { step: 'set', changedByName: 'owner@acme.test', ...at },
        { step: 'reason_changed', changedByName: 'staff@agency.test', ...at },
        { step: 'released', changedByName: 'owner@acme.test', ...at },
      ],
    });
  });

  test('changes all submissions or none', async () => {
    const [mine] = await recordedLeads(app.services, site, 1);
    const [foreign] = await recordedLeads(app.services, await websiteId(app.services, 'www.globex.test'), 1);
    for (const change of ['setSubmissionState(ids: $ids, state: spam)', 'deleteSubmissions(ids: $ids)']) {
      const mutation = `mutation ($ids: [ID!]!) { ${change} }`;
      expect(await owner.refused(mutation, { ids: [mine, foreign] })).toBe('NOT_FOUND');
      expect(await member.refused(mutation, { ids: [mine] })).toBe('FORBIDDEN');
      expect(await owner.refused(mutation, { ids: Array(501).fill(mine) })).toBe('BAD_USER_INPUT');
      expect(await owner.refused(mutation, { ids: [] })).toBe('BAD_USER_INPUT');
    }
    const rows = await app.services.db.orm.submission.findMany({ where: { id: { in: [mine!, foreign!] } } });
    expect(rows.map(({ state }) => state)).toEqual(['new', 'new']);
  });

  test('stores notes, which only their author can delete', async () => {
    const [id] = await recordedLeads(app.services, site, 1);
    const add =
      'mutation ($id: ID!, $text: String!) { addSubmissionNote(submissionId: $id, text: $text) { id } }';
    const drop = 'mutation ($id: ID!) { deleteSubmissionNote(id: $id) }';
    const { addSubmissionNote: note } = await owner.ask(add, { id, text: ' Called back. ' });
    const admin = await loggedIn(app.url, app.services, 'admin@acme.test');
    await admin.ask(add, { id, text: 'Me too.' });
    const notes = 'query ($id: ID!) { submission(id: $id) { notes { text authorName } } }';
    expect((await member.ask(notes, { id })).submission.notes).toEqual([
      { text: 'Called back.', authorName: 'owner@acme.test' },
      { text: 'Me too.', authorName: 'admin@acme.test' },
    ]);
    expect(await admin.refused(drop, { id: note.id })).toBe('FORBIDDEN');
    expect(await owner.refused(add, { id, text: ' ' })).toBe('BAD_USER_INPUT');
    await owner.ask(drop, { id: note.id });
    expect(await owner.refused(drop, { id: note.id })).toBe('NOT_FOUND');
    expect((await member.ask(notes, { id })).submission.notes).toHaveLength(1);
  });

  test("answers about another team's note as about none", async () => {
    const [id] = await recordedLeads(app.services, await websiteId(app.services, 'www.globex.test'), 1);
    const { db } = app.services;
    const note = await db.orm.submissionNote.create({ data: { submissionId: id!, text: 'Theirs.' } });
    const drop = 'mutation ($id: ID!) { deleteSubmissionNote(id: $id) }';
    const answers = await Promise.all(
      [note.id, randomUUID()].map((noteId) => owner.send(drop, { id: noteId })),
    );
    const [theirs, none] = answers.map(({ errors }) => errors?.map(({ message }) => message));
    expect(theirs).toEqual(['Note not found.']);
    expect(none).toEqual(theirs);
    expect(await db.orm.submissionNote.count({ where: { id: note.id } })).toBe(1);
  });

  test('writes no note on a submission that is deleted at that moment', async () => {
    const [id] = await recordedLeads(app.services, site, 1);
    await app.services.db.orm.submission.delete({ where: { id } });
    const { id: userId } = await app.services.db.orm.user.findUniqueOrThrow({
      where: { email: 'owner@acme.test' },
    });
    const author = { userId, name: 'owner@acme.test' };
    expect(await app.services.handling.addNote(id!, author, 'Too late.')).toBeNull();
  });

  test('takes sixty notes of an account in a minute', async () => {
    const [id] = await recordedLeads(app.services, site, 1);
    const author = await loggedIn(app.url, app.services, 'admin@acme.test');
    await app.services.db.orm.submissionNote.deleteMany();
    const add = `mutation ($id: ID!) { addSubmissionNote(submissionId: $id, text: "Once more.") { id } }`;
    const answers = await Promise.all(Array.from({ length: 62 }, () => author.send(add, { id })));
    const codes = answers.flatMap(({ errors }) => errors?.map(({ extensions }) => extensions.code) ?? []);
    // A note of a test before may count as well.
    expect([2, 3]).toContain(codes.length);
    expect(new Set(codes)).toEqual(new Set(['RATE_LIMITED']));
    expect(await app.services.db.orm.submissionNote.count()).toBe(62 - codes.length);
  });

  test('requests e-mails again where there is something to send', async () => {
    const { db } = app.services;
    const [failed, pending] = await recordedLeads(app.services, site, 2);
    await db.orm.notification.update({ where: { submissionId: failed }, data: { state: 'failed' } });
    const { sendAgain } = await owner.ask(
      'mutation ($ids: [ID!]!) { sendAgain(ids: $ids) { submissionId outcome } }',
      { ids: [pending, failed] },
    );
    expect(sendAgain).toEqual([
      { submissionId: pending, outcome: 'nothing_to_send' },
      { submissionId: failed, outcome: 'handed_over' },
    ]);
    const audited = await db.orm.auditEvent.findMany({ where: { action: 'notification.asked_again' } });
    expect(audited.map(({ subjectId }) => subjectId)).toEqual([failed]);
  });

  test('deletes a submission with everything that belongs to it', async () => {
    const { db } = app.services;
    const ids = await recordedLeads(app.services, site, 2);
    await db.orm.submissionNote.create({ data: { submissionId: ids[0]!, text: 'Note' } });
    const drop = 'mutation ($ids: [ID!]!) { deleteSubmissions(ids: $ids) }';
    expect(await owner.ask(drop, { ids })).toEqual({ deleteSubmissions: 2 });
    expect(await db.orm.notification.count({ where: { submissionId: { in: ids } } })).toBe(0);
    expect(
      await db.orm.auditEvent.count({ where: { action: 'submission.deleted', subjectId: { in: ids } } }),
    ).toBe(2);
    expect(await owner.refused(drop, { ids })).toBe('NOT_FOUND');
  });
});
