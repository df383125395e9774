import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inboxFilterSchema } from '../../src/submissions/inbox/inbox-filter.schema.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads, setSearchWords } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient, panelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const CSV = '/panel/exports/submissions.csv';
const NDJSON = '/panel/exports/submissions.ndjson';
const ADDRESS = '/panel/exports/address.ndjson';

let app: TestApp;
let member: PanelClient;
let site: string;
let teamId: number;
let foreignTeamId: number;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  site = await websiteId(app.services, 'www.acme.test');
  const teams = await app.services.db.orm.team.findMany({ orderBy: { slug: 'asc' } });
  [teamId, foreignTeamId] = teams.map(({ id }) => id) as [number, number];
});
afterAll(() => app.close());

/** Records a submission of the website with what is given. */
async function lead(data: object, host = site): Promise<string> {
  const [id] = await recordedLeads(app.services, host, 1);
  await app.services.db.orm.submission.update({ where: { id }, data });
  return id!;
}

describe('CSV', () => {
  test('has 2,000 columns of fields at most, and the values of further fields in the last one', async () => {
    const { orm } = app.services.db;
    const form = await orm.form.create({
      data: {
        teamId,
        slug: 'wide',
        name: 'Wide',
        sourceLocale: 'fr',
        submitButtonText: 'Envoyer',
        confirmationMessage: 'Merci.',
      },
    });
    await orm.$executeRaw`
      INSERT INTO form_fields (form_id, position, name, type, label)
      SELECT ${form.id}, n, 'field_' || n, 'text', 'Field' FROM generate_series(0, 2499) n`;
    const id = await lead({ values: { name: 'Ada', field_10: 'ten', field_2499: 'last' } });
    const text = await (await member.fetch(CSV)).text();
    const [header, ...rows] = text.split('\r\n');
    const columns = header!.split(',');
    expect(columns).toHaveLength(11 + 2_000 + 1);
    // The fields of the contact form come first, since it was created before.
    expect(columns.slice(11, 15)).toEqual(['name', 'email', 'topic', 'budget']);
    expect(columns.at(-2)).toBe('field_1995');
    const row = rows.find((line) => line.startsWith(id));
    expect(row?.split(',')[columns.indexOf('field_10')]).toBe('ten');
    expect(row).toMatch(/,"\{""field_2499"":""last""\}"$/);
    await orm.submission.delete({ where: { id } });
    await orm.form.delete({ where: { id: form.id } });
  });

  test('has a column for each field, one for undeclared fields, and no formula', async () => {
    const formulas = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      ' =1',
      '＝1',
      '＋1',
      '－1',
      '＠1',
      '"=1',
      'hello;=HYPERLINK("x")',
      'a\t=cmd',
      'Bonjour,\n- un, =deux',
      'plain; text, 5 - 3 +33 @home',
    ];
    for (const name of formulas) await lead({ values: { name, email: 'v@x.test' } });
    const id = await lead({
      values: {
        name: 'Ada "the" Countess, é\nLovelace',
        budget: -12.5,
        // No double holds it.
        email: '-9007199254740993',
        topic: ['quote', 'other'],
        gone: 'kept',
      },
      undeclared: { extra: { deep: [1] } },
      pageUrl: 'https://www.acme.test/contact',
    });
    await lead({}, await websiteId(app.services, 'www.globex.test'));
    const response = await member.fetch(CSV);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const day = new Date().toISOString().slice(0, 10);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="submissions-${day}.csv"`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const text = bytes.subarray(3).toString();
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(
      'Submission,Received at,Website,Form,Language,State,Notification,Page,Captcha link,Captcha ground,' +
        'Needs review,name,email,topic,budget,Other',
    );
    expect(text).toContain(
      `false,"Ada ""the"" Countess, é\nLovelace",-9007199254740993,"quote, other",-12.5,"{""gone"":""kept"",""extra"":{""deep"":[1]}}"`,
    );
    expect(lines[1]).toContain(`${id},`);
    expect(lines[1]).toContain(',www.acme.test,contact,fr,new,pending,https://www.acme.test/contact,');
    for (const cell of [
      ...["'=1+1", "'+1", "'-1", "'@SUM(A1)", "\t'=1", `"\r'=1"`, `"\n'=1"`, " '=1"],
      ...["'＝1", "'＋1", "'－1", "'＠1", `"""'=1"`, `"hello;'=HYPERLINK(""x"")"`, "a\t'=cmd"],
      ...[`"Bonjour,\n'- un, '=deux"`, '"plain; text, 5 - 3 +33 @home"'],
    ]) {
      expect(text).toContain(`,${cell},`);
    }
    expect(text).not.toContain('globex');
  });

  test('is the header alone without submissions', async () => {
    const text = await (await member.fetch(`${CSV}?states=spam`)).text();
    expect(text).toMatch(/^\uFEFF?Submission,Received at,[^\r\n]*,Other(\r\n)?$/);
  });
});

describe('NDJSON', () => {
  test('has the submissions that match the filter, newest first', async () => {
    const from = new Date(Date.now() - 1).toISOString();
    const { db } = app.services;
    const a = await lead({ state: 'done' });
    const b = await lead({ state: 'spam' });
    await lead({});
    await setSearchWords(db, a, 'ada lovelace');
    await setSearchWords(db, b, 'ada byron');
    const lines = async (query: Record<string, string>) => {
      const text = await (await member.fetch(`${NDJSON}?${new URLSearchParams(query)}`)).text();
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    const both = await lines({ text: 'ADA', from, websiteIds: site, teamId: String(teamId) });
    expect(both.map(({ id }) => id)).toEqual([b, a]);
    expect(both[1]).toMatchObject({
      id: a,
      website: { id: site, host: 'www.acme.test' },
      form: { slug: 'contact' },
      state: 'done',
      values: { email: 'v@x.test' },
      notification: { state: 'pending' },
    });
    expect(await lines({ states: 'done,archived', from })).toHaveLength(1);
    expect(await lines({ states: 'done', needsReview: 'true' })).toHaveLength(0);
    expect((await member.fetch(`${NDJSON}?states=spam`)).headers.get('content-type')).toBe(
      'application/x-ndjson',
    );
  });

  test('has each submission once over many batches', async () => {
    const { db } = app.services;
    const { formId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: site } });
    await db.orm.$executeRaw`
      INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", search_words,
                               created_at)
      SELECT gen_random_uuid(), ${teamId}::int, ${site}::uuid, ${formId}::int, 1, 'fr', '{}', 'xxxx',
             timestamptz '2026-01-01' + (n / 3) * interval '1 second' FROM generate_series(1, 5000) n`;
    for (const query of ['', '?text=xxx']) {
      const text = await (await member.fetch(`${NDJSON}${query}`)).text();
      const ids = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(query ? 5_000 : await db.orm.submission.count({ where: { teamId } }));
    }
  });

  test('reads a hundred at a time, also of a search that scans more, since each may be large', async () => {
    const filter = inboxFilterSchema.parse({ text: 'xxx' });
    const scope = { teamIds: [teamId], websiteIds: null, formIds: null };
    const sizes: number[] = [];
    for await (const rows of app.services.exports.submissions(scope, filter)) sizes.push(rows.length);
    expect(Math.max(...sizes)).toBe(100);
    expect(sizes.reduce((total, size) => total + size)).toBe(5_000);
  });

  test('stops when the client disconnects', async () => {
    const { db } = app.services;
    await db.orm.submission.updateMany({
      where: { teamId },
      data: { undeclared: { much: 'y'.repeat(20_000) } },
    });
    await new Promise<void>((resolve, reject) => {
      const call = httpRequest(
        `${app.url}${NDJSON}`,
        { headers: { cookie: member.cookie() } },
        (response) => {
          response.once('data', () => {
            response.destroy();
            resolve();
          });
          response.on('error', () => undefined);
        },
      );
      call.on('error', reject);
      call.end();
    });
    // A disconnected export reads nothing: no statement is in flight, and none follows.
    const reads = async () => {
      const [row] = await db.orm.$queryRaw<{ reads: number }[]>`
        SELECT count(*)::int AS reads FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active'
           AND query LIKE '%submissions%'`;
      return row?.reads;
    };
    await eventually(async () => (await reads()) === 0);
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  });
});

describe('the export of an address', () => {
  test('has the notes and the states of the e-mails', async () => {
    const id = await lead({ emails: ['ada@x.test'], undeclared: {} });
    await app.services.db.orm.submissionNote.create({ data: { submissionId: id, text: 'Called back.' } });
    await lead({ emails: ['ada@x.test'] }, await websiteId(app.services, 'www.globex.test'));
    const response = await member.fetch(`${ADDRESS}?teamId=${teamId}&email=ADA%40x.test`);
    const lines = (await response.text())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({
        id,
        emails: ['ada@x.test'],
        notes: [expect.objectContaining({ text: 'Called back.' })],
        notification: { state: 'pending', sent_at: null, attempts: [] },
      }),
    ]);
  });

  test('has bounces, the spam verdict with its sentences, what was taught, and whether a legal hold applies', async () => {
    const { db, legalHolds } = app.services;
    const emails = ['bea@x.test'];
    const id = await lead({ emails });
    await lead({ emails });
    const at = new Date('2026-11-25T10:00:00.000Z');
    await db.orm.bounce.create({
      data: {
        emailId: id,
        submissionId: id,
        address: 'bea@x.test',
        kind: 'bounced',
        status: '5.1.1',
        detail: '550 No such user',
        reportedAt: at,
      },
    });
    const reasons = [{ signal: 'haste', points: 10, count: 3 }];
    await db.orm.spamVerdict.create({
      data: {
        submissionId: id,
        teamId,
        score: 10,
        threshold: 100,
        filter: 'quarantine',
        reasons,
        judgedAt: at,
      },
    });
    await db.orm.spamSample.create({
      data: { submissionId: id, isSpam: false, features: [1], taughtAt: at },
    });
    await legalHolds.set(id, 'Dispute.', TEST_ACTOR);
    const response = await member.fetch(`${ADDRESS}?teamId=${teamId}&email=bea%40x.test`);
    const [first, second] = (await response.text()).trim().split('\n');
    expect(JSON.parse(first!)).toMatchObject({
      id,
      bounces: [
        {
          address: 'bea@x.test',
          kind: 'bounced',
          status: '5.1.1',
          detail: '550 No such user',
          reported_at: at.toISOString(),
        },
      ],
      spam_verdict: {
        score: 10,
        threshold: 100,
        filter: 'quarantine',
        judged_at: at.toISOString(),
        reasons: [{ signal: 'haste', points: 10, en: expect.any(String), fr: expect.any(String) }],
      },
      spam_sample: { is_spam: false, taught_at: at.toISOString() },
      legal_hold: { since: expect.any(String) },
    });
    expect(first).not.toContain('Dispute.');
    expect(JSON.parse(second!)).toMatchObject({
      bounces: [],
      spam_verdict: null,
      spam_sample: null,
      legal_hold: null,
    });
  });

  test('has every submission of the team once, in the order of their ids, also where they are many', async () => {
    const { orm } = app.services.db;
    await orm.$executeRaw`
      INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails)
      SELECT gen_random_uuid(), w.team_id, w.id, l.form_id, 1, 'fr', '{}', '{eve@x.test}'
        FROM websites w JOIN form_links l ON l.website_id = w.id, generate_series(1, 401)`;
    const own = await orm.submission.findMany({
      where: { teamId, emails: { has: 'eve@x.test' } },
      orderBy: { id: 'asc' },
    });
    const response = await member.fetch(`${ADDRESS}?teamId=${teamId}&email=Eve%40x.test`);
    const lines = (await response.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(own.map(({ id }) => id));
    expect(lines).toHaveLength(401);
    await orm.submission.deleteMany({ where: { emails: { has: 'eve@x.test' } } });
  });

  test('has the rules about spam that name it, also without a lead', async () => {
    const { spamRule } = app.services.db.orm;
    const createdAt = new Date('2026-11-25T10:00:00.000Z');
    const rule = { teamId, kind: 'trusted_sender', value: 'cat@x.test', createdAt } as const;
    await spamRule.createMany({ data: [rule, { ...rule, value: 'dog@x.test' }] });
    const response = await member.fetch(`${ADDRESS}?teamId=${teamId}&email=CAT%40x.test`);
    expect(
      (await response.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        team_id: teamId,
        spam_rule: { kind: 'trusted_sender', value: 'cat@x.test', created_at: createdAt.toISOString() },
      },
    ]);
    await spamRule.deleteMany();
  });
});

describe('the audit trail', () => {
  const downloads = () =>
    app.services.db.orm.auditEvent.findMany({
      where: { action: 'export.downloaded' },
      orderBy: { createdAt: 'desc' },
    });

  test('names actor, export and the keys of the filter, but none of its values', async () => {
    const before = (await downloads()).length;
    const { id: actorId } = await app.services.db.orm.user.findUniqueOrThrow({
      where: { email: 'member@acme.test' },
    });
    await (await member.fetch(`${NDJSON}?text=lovelace&states=done`)).text();
    await (await member.fetch(`${ADDRESS}?teamId=${teamId}&email=lovelace%40x.test`)).text();
    await (await member.fetch(`${CSV}?text=a`)).text();
    await (await member.fetch(`${CSV}?teamId=${foreignTeamId}`)).text();
    const made = (await downloads()).slice(0, -before || undefined);
    const common = { teamId, actorId, channel: 'panel', ip: '127.0.0.1', subjectType: 'export' };
    expect(made).toMatchObject([
      { ...common, subjectId: 'address.ndjson', detail: { narrowedBy: [] } },
      { ...common, subjectId: 'submissions.ndjson', detail: { narrowedBy: ['states', 'text'] } },
    ]);
    expect(JSON.stringify(made)).not.toContain('lovelace');
  });

  test.each([
    ['of several teams', 'owner@both.test', false],
    ['of the staff', 'auditor@agency.test', true],
  ])('of a website’s team alone has an export of that website by an account %s', async (_, email, staff) => {
    const userId = await createAccount(app.services, { email, staff });
    const teams = staff ? [] : [teamId, foreignTeamId];
    for (const each of teams)
      await app.services.db.orm.membership.create({ data: { userId, teamId: each, role: 'owner' } });
    const client = await loggedIn(app.url, app.services, email);
    expect(await (await client.fetch(`${NDJSON}?websiteIds=${site}`)).status).toBe(200);
    const made = (await downloads()).filter(({ actorId }) => actorId === userId);
    expect(made.map((event) => event.teamId)).toEqual([teamId]);
  });
});

describe('an export is refused', () => {
  const cases: [string, string, number][] = [
    ['a text that is too short', `${CSV}?text=a`, 422],
    ['a text without words', `${NDJSON}?text=%F0%9F%8C%B1`, 422],
    ['an empty text', `${CSV}?text=`, 422],
    ['a parameter that does not exist', `${CSV}?q=x`, 422],
    ['a parameter that every object inherits', `${CSV}?constructor=x`, 422],
    ['a state that does not exist', `${NDJSON}?states=new,lost`, 422],
    ['an instant that is none', `${NDJSON}?from=yesterday`, 422],
    ['no address', `${ADDRESS}?teamId=1&email=x`, 422],
    ['no team', `${ADDRESS}?email=ada%40x.test`, 422],
  ];
  test.each(cases)('%s', async (_name, path, status) => {
    const response = await member.fetch(path);
    expect(response.status).toBe(status);
    const body = (await response.json()) as object;
    expect(body).toEqual({ message: 'The given data was invalid.', errors: expect.any(Object) });
  });

  test('of another team', async () => {
    for (const path of [`${CSV}?teamId=`, `${NDJSON}?teamId=`, `${ADDRESS}?email=ada%40x.test&teamId=`]) {
      const response = await member.fetch(`${path}${foreignTeamId}`);
      expect([response.status, await response.json()]).toEqual([404, { message: 'Team not found.' }]);
    }
  });

  test('without a login', async () => {
    for (const path of [CSV, NDJSON, ADDRESS]) {
      const response = await panelClient(app.url).fetch(path);
      expect([response.status, await response.json()]).toEqual([401, { message: 'Unauthenticated.' }]);
    }
  });
});
