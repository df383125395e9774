import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { verifyPassword } from '../../src/auth/passwords.js';
import { decryptStepSecret } from '../../src/captcha/editing/save-chain.js';
import {
  type PlacementSettings,
  removePlacement,
  savePlacement,
} from '../../src/forms/placements/save-placements.js';
import { createCipher } from '../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../src/lib/crypto/keyring.js';
import { applyDocument, describeSummary } from '../../src/provision/apply.js';
import { readDocument } from '../../src/provision/document.js';
import { ProvisionError } from '../../src/provision/faults.js';
import { createTeams, type Teams } from '../../src/teams/teams.service.js';
import { revokeAll } from '../../src/tokens/tokens.service.js';
import { lockWebsite } from '../../src/websites/editing/save-website.js';
import { openSignatureKey } from '../../src/websites/signatures/signature-key.js';
import { createTestDatabase, dumpTables, type TestDatabase } from '../support/database.js';
import { isWaitingForLock } from '../support/locks.js';
import { eventually } from '../support/wait.js';

const LOCALES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];
const ACTOR = { userId: null, channel: 'provision' } as const;
const PARIS = '01939a60-5c00-7a10-8b20-6c1f3a5e0001';

const cipher = createCipher(createKeyring(randomBytes(32)));
let teams: Teams;
let database: TestDatabase;
let example: string;

beforeAll(async () => {
  database = await createTestDatabase();
  teams = createTeams({
    db: database.db,
    revokeTokens: (tx, bearer, actor) => revokeAll(tx, bearer, actor, new Date()),
  });
  example = await readFile(new URL('../../examples/agency.yaml', import.meta.url), 'utf8');
});

afterAll(() => database.drop());

const apply = async (document: string | object) =>
  applyDocument(
    { db: database.db, cipher, teams },
    readDocument(typeof document === 'string' ? document : JSON.stringify(document), LOCALES),
    ACTOR,
  );

const faultsOf = (document: object): Promise<readonly string[]> =>
  apply(document).then(
    () => [],
    (error: unknown) => {
      if (error instanceof ProvisionError) return error.faults;
      throw error;
    },
  );

const toSales = (field: string, operator: string) => ({
  when: { match: 'all', rules: [{ field, operator }] },
  recipients: ['sales@lumen.test'],
});

/** A document about the example's team. */
const lumen = (team: object) => ({ teams: [{ slug: 'lumen', ...team }] });

const website = (id: string) =>
  database.db.orm.website.findUniqueOrThrow({
    where: { id },
    include: {
      departments: { orderBy: { departmentCode: 'asc' } },
      captchaSteps: { orderBy: { position: 'asc' } },
      placements: true,
    },
  });

const form = (slug: string) =>
  database.db.orm.form.findFirstOrThrow({
    where: { slug },
    include: {
      fields: { orderBy: { position: 'asc' }, include: { options: true, translations: true } },
      translations: { orderBy: { locale: 'asc' } },
    },
  });

describe('the example', () => {
  test('applies to an empty database', async () => {
    const summary = await apply(example);
    expect([...summary.updated, ...summary.removed]).toEqual([]);
    expect(summary.created).toEqual(
      expect.arrayContaining([
        'plan default',
        'user claire@lumen-paysage.test',
        'member lumen/hugo@lumen-paysage.test',
        'form lumen/contact',
        'website lumen/www.lumen-paysage.test',
        'placement lumen/www.lumen-paysage.test/contact',
      ]),
    );
    const user = await database.db.orm.user.findUniqueOrThrow({
      where: { email: 'claire@lumen-paysage.test' },
    });
    expect(await verifyPassword(user.passwordHash!, 'demo-owner-password')).toBe(true);
  });

  test('records an audit event for each object, without a secret', async () => {
    const events = await database.db.orm.auditEvent.findMany();
    expect([...new Set(events.map(({ action }) => action))].sort()).toEqual([
      'captcha_chain.updated',
      'department.created',
      'form.created',
      'form_link.created',
      'member.added',
      'plan.created',
      'team.created',
      'user.created',
      'website.created',
    ]);
    expect(events.every(({ channel }) => channel === 'provision')).toBe(true);
    expect(JSON.stringify(events)).not.toMatch(/password|1x00/);
  });

  test('changes no row the second time', async () => {
    const before = await dumpTables(database.url);
    const summary = await apply(example);
    expect(describeSummary(summary)).toBe('nothing changed');
    expect(await dumpTables(database.url)).toEqual(before);
  });

  test('keeps secrets encrypted, each for its own row', async () => {
    const { captchaSteps, ...paris } = await website(PARIS);
    expect(openSignatureKey(cipher, paris).signatureKey).toHaveLength(32);
    expect(captchaSteps.map(({ type, identifier }) => `${type}:${identifier}`)).toEqual([
      'turnstile:main',
      'altcha:own',
    ]);
    expect(decryptStepSecret(cipher, captchaSteps[0]!, 'secret')).toBe('1x0000000000000000000000000000000AA');
    expect(() => decryptStepSecret(cipher, { ...captchaSteps[0]!, identifier: 'other' }, 'secret')).toThrow();
    const stored = JSON.stringify(await dumpTables(database.url));
    expect(stored).not.toContain('1x0000000000000000000000000000000AA');
    expect(stored).not.toContain('demo-owner-password');
  });
});

describe('an omitted setting is kept', () => {
  beforeEach(() => apply(example));

  test('of a website with an id: only the given settings change', async () => {
    const before = await website(PARIS);
    const summary = await apply(lumen({ websites: [{ id: PARIS, phone: '+33 1 71 00 00 00' }] }));
    expect(summary).toEqual({
      created: [],
      updated: ['website lumen/www.lumen-paysage.test'],
      removed: [],
    });
    const { updatedAt, phone, ...after } = await website(PARIS);
    expect(phone).toBe('+33 1 71 00 00 00');
    expect(updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    expect({ ...after, phone: before.phone, updatedAt: before.updatedAt }).toEqual(before);
  });

  test('of a website found by its host', async () => {
    const summary = await apply(lumen({ websites: [{ host: 'WWW.Lumen-Paysage.test', city: 'Lyon' }] }));
    expect(summary.updated).toEqual(['website lumen/www.lumen-paysage.test']);
    expect((await website(PARIS)).city).toBe('Lyon');
  });

  test('of a form: fields and texts, with one new version', async () => {
    const before = await form('contact');
    await apply(lumen({ forms: [{ slug: 'contact', submit_button_text: 'Partir' }] }));
    const after = await form('contact');
    expect(after.version).toBe(before.version + 1);
    expect(after.submitButtonText).toBe('Partir');
    expect(after.confirmationMessage).toBe(before.confirmationMessage);
    expect(after.fields).toEqual(before.fields);
    expect(after.translations).toEqual(before.translations);
  });

  test('of a translation, while null deletes a language', async () => {
    await apply(
      lumen({
        forms: [
          { slug: 'contact', translations: { en: { fields: { name: { label: 'Full name' } } }, de: null } },
        ],
      }),
    );
    const after = await form('contact');
    expect(after.translations.map(({ locale }) => locale)).toEqual(['en']);
    expect(after.translations[0]!.submitButtonText).toBe('Send');
    const labels = after.fields.map(({ translations }) => translations.map(({ label }) => label));
    expect(labels[0]).toEqual(['Full name']);
    expect(labels[1]).toEqual(['E-mail address']);
  });

  test('of a form whose source language changes, but for the translation into it', async () => {
    const fields = [{ name: 'name', type: 'text', label: 'Your name' }];
    const entry = { slug: 'contact', source_locale: 'en', submit_button_text: 'Go', fields };
    await apply(lumen({ forms: [entry] }));
    const after = await form('contact');
    expect(after).toMatchObject({ sourceLocale: 'en', submitButtonText: 'Go' });
    const translations = [after.translations, ...after.fields.map((field) => field.translations)].flat();
    expect(translations.map(({ locale }) => locale)).not.toContain('en');
  });

  test('of an account: its password', async () => {
    const email = 'claire@lumen-paysage.test';
    await apply({ users: [{ email: email.toUpperCase(), password: 'too short' }] });
    const user = await database.db.orm.user.findUniqueOrThrow({ where: { email } });
    expect(await verifyPassword(user.passwordHash!, 'demo-owner-password')).toBe(true);
  });

  test('of a captcha step: its secret', async () => {
    const link = { key: 'turnstile:main', site_key: 'another' };
    await apply(lumen({ websites: [{ id: PARIS, captcha: [{ key: 'altcha' }, link] }] }));
    const { captchaSteps } = await website(PARIS);
    expect(captchaSteps.map(({ type, siteKey }) => [type, siteKey])).toEqual([
      ['altcha', null],
      ['turnstile', 'another'],
    ]);
    expect(decryptStepSecret(cipher, captchaSteps[1]!, 'secret')).toBe('1x0000000000000000000000000000000AA');
  });
});

describe('a list replaces the stored list', () => {
  beforeEach(() => apply(example));

  test('fields and options, which keep their ids by name and value', async () => {
    const before = await form('contact');
    const topic = before.fields.find(({ name }) => name === 'topic')!;
    const options = [
      { value: 'other', label: 'Divers' },
      { value: 'trees', label: 'Arbres' },
    ];
    await apply(
      lumen({
        forms: [
          {
            slug: 'contact',
            fields: [
              { name: 'topic', type: 'radio', label: 'Thème', options },
              { name: 'email', type: 'email', label: 'E-mail' },
            ],
          },
        ],
      }),
    );
    const after = await form('contact');
    expect(after.version).toBe(before.version + 1);
    expect(after.fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['topic', false],
      ['email', false],
    ]);
    expect(after.fields[0]!.id).toBe(topic.id);
    const kept = after.fields[0]!.options.find(({ value }) => value === 'other')!;
    expect(kept.id).toBe(topic.options.find(({ value }) => value === 'other')!.id);
    expect(after.fields[0]!.options.map(({ value }) => value).sort()).toEqual(['other', 'trees']);
    const english = after.fields[0]!.translations.find(({ locale }) => locale === 'en');
    expect(english!.label).toBe('Subject');
  });

  test('departments, captcha chain and placements', async () => {
    const before = await website(PARIS);
    await apply(
      lumen({
        websites: [{ id: PARIS, departments: ['77', '75'], captcha: [], forms: [{ slug: 'quote' }] }],
      }),
    );
    const after = await website(PARIS);
    expect(after.departments.map(({ departmentCode }) => departmentCode)).toEqual(['75', '77']);
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    expect(after.captchaSteps).toEqual([]);
    expect(after.placements.map(({ cssSelector }) => cssSelector)).toEqual([null]);
  });

  test('but omitted forms are kept, and a placement changes no version', async () => {
    const before = await form('contact');
    await apply(lumen({ websites: [{ id: PARIS, forms: [{ slug: 'contact', enabled: false }] }] }));
    expect(await form('contact')).toEqual(before);
  });
});

describe('members', () => {
  beforeEach(() => apply(example));

  test.each([
    ['removed', []],
    ['demoted', [{ email: 'anna@lumen-paysage.test', role: 'member' }]],
  ])('one that is %s loses the tokens at once', async (_, members) => {
    const email = 'anna@lumen-paysage.test';
    await apply({ users: [{ email, name: 'Anna' }], ...lumen({ members: [{ email, role: 'admin' }] }) });
    const membership = await database.db.orm.membership.findFirstOrThrow({ where: { user: { email } } });
    const { teamId, userId } = membership;
    const token = await database.db.orm.token.create({
      data: { teamId, userId, name: 't', abilities: ['team:read'], secretHash: randomBytes(32) },
    });
    await apply(lumen({ members }));
    const after = await database.db.orm.token.findUniqueOrThrow({ where: { id: token.id } });
    expect(after.revokedAt).not.toBeNull();
  });
});

describe('what contradicts the database', () => {
  beforeEach(() => apply(example));

  const contact = {
    slug: 'contact',
    name: 'Contact',
    source_locale: 'fr',
    submit_button_text: 'Envoyer',
    confirmation_message: 'Merci',
  };
  const site = { name: 'Site', host: 'a.test', url: 'https://a.test', locale: 'fr', email: 'a@a.test' };

  test.each<[string, object, string[]]>([
    ['unknown plan', lumen({ plan: 'gold' }), ['teams[0].plan: there is no plan gold']],
    ['new plan without a name', { plans: [{ code: 'gold' }] }, ['plans[0].name: is required']],
    [
      'unknown member',
      lumen({ members: [{ email: 'nobody@a.test', role: 'owner' }] }),
      ['teams[0].members[0].email: there is no user nobody@a.test'],
    ],
    [
      'unknown department',
      lumen({ websites: [{ id: PARIS, departments: ['75', 'XX'] }] }),
      ['teams[0].websites[0].departments[1]: there is no department XX'],
    ],
    [
      'time zone that PostgreSQL does not know',
      lumen({ websites: [{ id: PARIS, time_zone: 'ECT' }] }),
      ['teams[0].websites[0].time_zone: must be a time zone such as Europe/Paris'],
    ],
    [
      'unknown form',
      lumen({ websites: [{ id: PARIS, forms: [{ slug: 'nothing' }] }] }),
      ['teams[0].websites[0].forms[0].slug: the team has no form nothing'],
    ],
    [
      'recipient rules on what the form does not have',
      lumen({
        forms: [{ slug: 'contact', recipient_rules: [toSales('nothing', 'is_empty')] }],
        websites: [
          { id: PARIS, forms: [{ slug: 'quote', recipient_rules: [toSales('nothing', 'is_not_empty')] }] },
        ],
      }),
      [
        'teams[0].forms[0].recipient_rules[0].when.rules[0].field: The form has no field "nothing".',
        'teams[0].websites[0].forms[0].recipient_rules[0].when.rules[0].field: The form has no field "nothing".',
      ],
    ],
    [
      'website of another team',
      { teams: [{ slug: 'other', name: 'Other', websites: [{ ...site, id: PARIS }] }] },
      ['teams[0].websites[0].id: is the id of a website of another team'],
    ],
    [
      'host of another website',
      lumen({
        websites: [{ ...site, id: '01939a60-5c00-7a10-8b20-6c1f3a5e0009', host: 'www.lumen-paysage.test' }],
      }),
      ['teams[0].websites[0].host: is the host of another website of the team'],
    ],
    [
      'website that an earlier entry has named by its id',
      lumen({ websites: [{ id: PARIS, city: 'Lyon' }, { host: 'www.lumen-paysage.test' }] }),
      ['teams[0].websites[1].host: is the website of an earlier entry'],
    ],
    [
      'website that an earlier entry has named by its host',
      lumen({ websites: [{ host: 'www.lumen-paysage.test' }, { id: PARIS, host: 'new.lumen.test' }] }),
      ['teams[0].websites[1].id: is the website of an earlier entry'],
    ],
    [
      'host of no page',
      lumen({ websites: [{ ...site, host: '*.lumen.test' }] }),
      [
        'teams[0].websites[0].host: must be the host of a page, such as www.example.com: no page has one with a wildcard or several',
      ],
    ],
    [
      'new website without its settings',
      lumen({ websites: [{ host: 'b.test' }] }),
      ['name', 'url', 'locale', 'email'].map((key) => `teams[0].websites[0].${key}: is required`),
    ],
    [
      'new link without its secret',
      lumen({ websites: [{ id: PARIS, captcha: [{ key: 'hcaptcha:main', site_key: 'k' }] }] }),
      ['teams[0].websites[0].captcha[0].secret: is required for hcaptcha:main'],
    ],
    [
      'translation of a field that is not stored',
      lumen({ forms: [{ slug: 'quote', translations: { en: { fields: { nothing: { label: 'x' } } } } }] }),
      ['teams[0].forms[0].translations.en.fields.nothing: is not a field of the form'],
    ],
    [
      'translation into the source language',
      lumen({ forms: [{ slug: 'quote', source_locale: 'en', translations: { en: {} } }] }),
      ['teams[0].forms[0].translations.en: is the source language, whose texts are those of the form itself'],
    ],
    [
      'a new source language without texts in it',
      lumen({ forms: [{ slug: 'contact', source_locale: 'en' }] }),
      ['teams[0].forms[0].translations.en: is the source language, whose texts are those of the form itself'],
    ],
    [
      'a document of several faults',
      lumen({
        plan: 'gold',
        forms: [{ ...contact, slug: 'new', name: undefined }],
        websites: [{ id: PARIS, departments: ['XX'], forms: [{ slug: 'new' }] }],
      }),
      [
        'teams[0].plan: there is no plan gold',
        'teams[0].forms[0].name: is required',
        'teams[0].websites[0].departments[0]: there is no department XX',
      ],
    ],
    [
      'a new account with a short password',
      { users: [{ email: 'late@a.test', name: 'Late', password: 'elevenchars' }] },
      ['users[0].password: must have 12 to 200 characters'],
    ],
  ])('%s is refused, and nothing is written', async (_, document, faults) => {
    const before = await dumpTables(database.url);
    const good = { users: [{ email: 'late@a.test', name: 'Late', password: 'a long password' }] };
    expect(await faultsOf({ ...good, ...document })).toEqual(faults);
    expect(await dumpTables(database.url)).toEqual(before);
  });
});

test('concurrent provisions run one after the other', async () => {
  await apply({ plans: [{ code: 'default', name: 'Standard' }] });
  const document = {
    teams: [
      {
        slug: 'twins',
        name: 'Twins',
        websites: [
          { name: 'One', host: 'one.test', url: 'https://one.test', locale: 'fr', email: 'one@one.test' },
        ],
      },
    ],
  };
  const summaries = await Promise.all([apply(document), apply(document), apply(document)]);
  const described = summaries.map(describeSummary).sort();
  expect(described).toEqual([
    'created team twins\ncreated website twins/one.test',
    'nothing changed',
    'nothing changed',
  ]);
});

test.each(['adds', 'removes'])(
  'a provision waits for a save of the panel that %s the same placement',
  async (change) => {
    await apply(example);
    const { orm } = database.db;
    const { placements, teamId } = await website(PARIS);
    const { id: formId } = await form('quote');
    const placed = placements.find((placement) => placement.formId === formId)!;
    const { websiteId: _, teamId: __, ...settings } = placed as typeof placed & PlacementSettings;
    const site = { id: PARIS, teamId };
    if (change === 'adds')
      await orm.placement.delete({ where: { websiteId_formId: { websiteId: PARIS, formId } } });
    let applied: ReturnType<typeof apply> | undefined;
    await orm.$transaction(async (tx) => {
      await lockWebsite(tx, PARIS);
      if (change === 'adds') await savePlacement(tx, site, settings, ACTOR);
      else await removePlacement(tx, site, formId, ACTOR);
      applied = apply(
        lumen({ websites: [{ id: PARIS, forms: [{ slug: 'quote', css_selector: '#other' }] }] }),
      );
      applied.catch(() => undefined);
      await eventually(() => isWaitingForLock(database));
    });
    await applied;
    expect((await website(PARIS)).placements).toEqual([
      expect.objectContaining({ formId, cssSelector: '#other' }),
    ]);
  },
);

describe('spam', () => {
  const team = () =>
    database.db.orm.team.findUniqueOrThrow({
      where: { slug: 'lumen' },
      include: { spamRules: { orderBy: { value: 'asc' } } },
    });

  test('sets what a team and a form say about spam, and keeps what is left out', async () => {
    await apply(example);
    const first = {
      spam: {
        filter: 'mark',
        threshold: 120,
        kept_days: null,
        blocked_domains: ['@Pest.test'],
        blocked_words: ['backlinks', 'casino'],
        trusted_senders: ['Boss@lumen.test'],
      },
    };
    expect((await apply(lumen(first))).updated).toEqual(['spam settings lumen']);
    expect((await apply(lumen(first))).updated).toEqual([]);
    await apply(lumen({ spam: { threshold: 90, blocked_words: ['casino'] } }));
    const { spamFilter, spamThreshold, spamKeptDays, spamRules } = await team();
    expect({ spamFilter, spamThreshold, spamKeptDays }).toEqual({
      spamFilter: 'mark',
      spamThreshold: 90,
      spamKeptDays: null,
    });
    expect(spamRules.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
      ...['trusted_sender boss@lumen.test', 'blocked_word casino', 'blocked_domain pest.test'],
    ]);
  });

  test('gives a form a filter of its own, and takes it away with null', async () => {
    await apply(example);
    const { slug } = await database.db.orm.form.findFirstOrThrow({ where: { team: { slug: 'lumen' } } });
    await apply(lumen({ forms: [{ slug, spam_filter: 'off' }] }));
    expect((await form(slug)).spamFilter).toBe('off');
    await apply(lumen({ forms: [{ slug, spam_filter: null }] }));
    expect((await form(slug)).spamFilter).toBeNull();
  });

  test('refuses a filter that there is not, a threshold out of bounds, and a domain of free mail', async () => {
    const spam = { filter: 'maybe', threshold: 10, blocked_domains: ['gmail.com'] };
    const faults = await faultsOf(lumen({ spam }));
    for (const key of ['filter', 'threshold', 'blocked_domains']) {
      expect(faults.some((fault) => fault.includes(key))).toBe(true);
    }
  });
});
