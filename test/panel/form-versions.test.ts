import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createBackfills } from '../../src/db/backfill/backfills.service.js';
import { formVersions } from '../../src/forms/history/form-versions.backfill.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let teamId: number;
let owner: PanelClient;
let member: PanelClient;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');
});
afterAll(() => app.close());

const DEFINITION = `
  name active sourceLocale submitButtonText confirmationMessage privacyNoticeText privacyNoticeUrl recipients recipientRules { when recipients }
  fields {
    name type label isRequired showLabel isMultiple placeholder helpText linkUrl attributes visibility
    options { value label translations { locale label } }
    translations { locale label placeholder helpText linkUrl }
  }
  translations { locale submitButtonText confirmationMessage privacyNoticeText privacyNoticeUrl }`;
const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { id slug version ${DEFINITION} }
}`;
const SAVE = `mutation ($id: ID!, $version: Int!, $input: FormInput!) {
  saveForm(id: $id, version: $version, input: $input) { version ${DEFINITION} }
}`;
const RESTORE = `mutation ($id: ID!, $version: Int!, $current: Int!) {
  restoreFormVersion(id: $id, version: $version, currentVersion: $current) { version ${DEFINITION} }
}`;
const VERSIONS = `query ($id: ID!, $first: Int, $after: String) {
  form(id: $id) {
    versions(first: $first, after: $after) {
      edges { node { version savedAt savedByName channel previousVersion sameAs changeCount changes { kind field key } } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;
const VERSION = `query ($id: ID!, $version: Int!, $since: Int) {
  formVersion(formId: $id, version: $version) {
    version changeCount(since: $since)
    changes(since: $since, first: 3) { kind field fieldLabel option optionLabel locale key before after }
    definition { ${DEFINITION} }
  }
}`;

const whole = {
  name: 'Demande',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  fields: [
    {
      name: 'email',
      type: 'email',
      label: 'E-mail',
      translations: [{ locale: 'en', label: 'E-mail address' }],
    },
    {
      name: 'topic',
      type: 'select',
      label: 'Sujet',
      options: [{ value: 'quote', label: 'Devis', translations: [{ locale: 'en', label: 'Quote' }] }],
    },
  ],
  translations: [{ locale: 'en', submitButtonText: 'Send' }],
  recipientRules: [
    {
      when: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
      recipients: ['sales@acme.test'],
    },
  ],
};

const EMPTY = { fields: [], translations: [], recipientRules: [] };

let serial = 0;
async function create(input: object = whole): Promise<{ id: string; slug: string }> {
  serial += 1;
  return (await owner.ask(CREATE, { teamId, slug: `form-${serial}`, input })).createForm;
}

const save = async (id: string, version: number, changes: object) =>
  (await owner.ask(SAVE, { id, version, input: { ...whole, ...changes } })).saveForm;

const versionsOf = async (id: string, page: object = {}) =>
  (await member.ask(VERSIONS, { id, ...page })).form.versions;

const listed = async (id: string): Promise<{ version: number }[]> =>
  (await versionsOf(id)).edges.map(({ node }: { node: { version: number } }) => node);

const numbers = async (id: string): Promise<number[]> => (await listed(id)).map(({ version }) => version);

describe('each save of a form', () => {
  test('is kept as a version, with who and when, the latest first', async () => {
    const before = Date.now();
    const { id } = await create();
    await save(id, 1, { name: 'Devis' });
    await save(id, 2, { name: 'Devis', fields: [...whole.fields].reverse() });
    const versions = await listed(id);
    expect(versions).toEqual([
      {
        version: 3,
        previousVersion: 2,
        sameAs: null,
        savedByName: 'owner@acme.test',
        channel: 'panel',
        savedAt: expect.any(String),
        changeCount: 1,
        changes: [{ kind: 'field_moved', field: expect.any(String), key: null }],
      },
      expect.objectContaining({
        version: 2,
        previousVersion: 1,
        changeCount: 1,
        changes: [{ kind: 'setting_changed', field: null, key: 'name' }],
      }),
      expect.objectContaining({ version: 1, previousVersion: null, changeCount: 0, changes: [] }),
    ]);
    const [latest] = versions as unknown as { savedAt: string }[];
    expect(Date.parse(latest!.savedAt)).toBeGreaterThanOrEqual(before);
    const { edges, pageInfo } = await versionsOf(id, { first: 2 });
    expect(edges.map(({ node }: { node: { version: number } }) => node.version)).toEqual([3, 2]);
    expect(pageInfo.hasNextPage).toBe(true);
    const rest = await versionsOf(id, { first: 2, after: pageInfo.endCursor });
    expect(rest.edges).toHaveLength(1);
    expect(rest.edges[0].node).toMatchObject({ version: 1, changeCount: 0 });
  });

  test('without a change is no version', async () => {
    const { id } = await create();
    await save(id, 1, {});
    expect(await numbers(id)).toEqual([1]);
  });

  test('of a copy begins a history of its own', async () => {
    const { id } = await create();
    await save(id, 1, { name: 'Devis' });
    const copy = 'mutation ($id: ID!, $slug: String!) { duplicateForm(id: $id, slug: $slug) { id } }';
    const { duplicateForm } = await owner.ask(copy, { id, slug: `copy-${serial}` });
    expect(await numbers(duplicateForm.id)).toEqual([1]);
  });

  test('by a provision document is one, unless nothing changes', async () => {
    const document = (name: string) => [team('acme', { forms: [contactForm({ slug: 'written', name })] })];
    await provision(app.services, document('One'));
    await provision(app.services, document('One'));
    await provision(app.services, document('Two'));
    const { id } = await app.services.db.orm.form.findFirstOrThrow({ where: { slug: 'written' } });
    expect(await listed(String(id))).toMatchObject([
      { version: 2, savedByName: null, channel: 'system', changeCount: 1 },
      { version: 1, savedByName: null, channel: 'system', changeCount: 0 },
    ]);
  });

  test('of many at once is one: of the saves over a version one goes through, and each version is kept once', async () => {
    const { id, slug } = await create();
    const outcomes = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) =>
        owner.send(SAVE, { id, version: 1, input: { ...whole, name: `Saved ${n}` } }),
      ),
      ...Array.from({ length: 3 }, (_, n) =>
        provision(app.services, [
          team('acme', { forms: [{ slug, submit_button_text: `Written ${n}` }] }),
        ]).then(() => ({ errors: undefined })),
      ),
    ]);
    const refused = outcomes.filter(({ errors }) => errors);
    expect(refused.every(({ errors }) => errors![0]!.extensions.code === 'CONFLICT')).toBe(true);
    const { version } = await app.services.db.orm.form.findUniqueOrThrow({ where: { id: Number(id) } });
    expect(version).toBe(1 + outcomes.length - refused.length);
    expect(await numbers(id)).toEqual(Array.from({ length: version }, (_, n) => version - n));
  });
});

describe('a version', () => {
  test('has the whole definition, as the form had it', async () => {
    const {
      id,
      slug: _,
      version: __,
      ...form
    } = (await owner.ask(CREATE, { teamId, slug: 'kept-whole', input: whole })).createForm;
    await save(id, 1, { name: 'Devis', ...EMPTY });
    const { formVersion } = await member.ask(VERSION, { id, version: 1 });
    expect(formVersion.definition).toEqual(form);
  });

  test('is compared with any other, either way, and tells how many differences there are', async () => {
    const { id } = await create();
    await save(id, 1, { name: 'Devis' });
    await save(id, 2, { name: 'Devis', confirmationMessage: 'À bientôt.', ...EMPTY });
    const { formVersion } = await member.ask(VERSION, { id, version: 3, since: 1 });
    const place = { field: null, fieldLabel: null, option: null, optionLabel: null, locale: null };
    expect(formVersion).toMatchObject({ changeCount: 7 });
    expect(formVersion.changes).toEqual([
      { ...place, kind: 'setting_changed', key: 'name', before: 'Demande', after: 'Devis' },
      {
        ...place,
        kind: 'setting_changed',
        key: 'recipientRules',
        before: whole.recipientRules,
        after: [],
      },
      {
        ...place,
        kind: 'setting_changed',
        key: 'confirmationMessage',
        before: 'Merci.',
        after: 'À bientôt.',
      },
    ]);
    const back = await member.ask(VERSION, { id, version: 1, since: 3 });
    expect(back.formVersion.changes[0]).toMatchObject({ before: 'Devis', after: 'Demande' });
    expect(await member.refused(VERSION, { id, version: 3, since: 9 })).toBe('NOT_FOUND');
  });

  test('that is not kept is not found, whatever its number', async () => {
    const { id } = await create();
    for (const version of [0, -1, 2, 2 ** 31 - 1, -(2 ** 31)]) {
      expect(await member.refused(VERSION, { id, version })).toBe('NOT_FOUND');
    }
    const many =
      'query ($id: ID!) { formVersion(formId: $id, version: 1) { changes(first: 1001) { kind } } }';
    expect(await member.refused(many, { id })).toBe('BAD_USER_INPUT');
  });

  test('does not keep the name of an account that is deleted', async () => {
    await createAccount(app.services, { email: 'gone@agency.test', staff: true });
    const gone = await loggedIn(app.url, app.services, 'gone@agency.test');
    const { id } = await create();
    await gone.ask(SAVE, { id, version: 1, input: { ...whole, name: 'Devis' } });
    expect((await listed(id))[0]).toMatchObject({ version: 2, savedByName: 'gone@agency.test' });
    await app.services.db.orm.user.delete({ where: { email: 'gone@agency.test' } });
    expect((await listed(id))[0]).toMatchObject({ version: 2, savedByName: null, channel: 'panel' });
  });

  test('goes with its form', async () => {
    const { id } = await create();
    await owner.ask('mutation ($id: ID!) { deleteForm(id: $id) }', { id });
    const { orm } = app.services.db;
    const where = { formId: Number(id) };
    expect([await orm.formVersion.count({ where }), await orm.formSnapshot.count({ where })]).toEqual([0, 0]);
  });

  test('shares its definition with an equal one, and goes once 500 later ones are kept', async () => {
    const { id } = await create();
    const formId = Number(id);
    const { orm } = app.services.db;
    await orm.$executeRaw`UPDATE forms SET version = 499 WHERE id = ${formId}`;
    await orm.$executeRaw`
      INSERT INTO form_versions (form_id, version, digest, saved_at)
      SELECT form_id, n, digest, now() FROM form_versions, generate_series(2, 499) AS n WHERE form_id = ${formId}`;
    const where = { formId };
    await save(id, 499, { name: 'Devis' });
    expect(await orm.formVersion.count({ where })).toBe(500);
    expect(await orm.formSnapshot.count({ where })).toBe(2);
    await save(id, 500, { name: 'Demande 2' });
    const first = await orm.formVersion.findFirst({ where, orderBy: { version: 'asc' } });
    expect(first?.version).toBe(2);
    await orm.$executeRaw`DELETE FROM form_versions WHERE form_id = ${formId} AND version BETWEEN 3 AND 499`;
    await save(id, 501, { name: 'Demande 3' });
    expect(await orm.formVersion.count({ where })).toBe(3);
    expect(await orm.formSnapshot.count({ where })).toBe(3);
  });
});

describe('restoring a version', () => {
  test('makes a new version that equals it, and is in the audit trail', async () => {
    const { id, slug } = await create();
    const before = await member.ask(VERSION, { id, version: 1 });
    await save(id, 1, { name: 'Devis', ...EMPTY });
    const { restoreFormVersion } = await owner.ask(RESTORE, { id, version: 1, current: 2 });
    expect(restoreFormVersion).toEqual({ version: 3, ...before.formVersion.definition });
    expect((await listed(id))[0]).toMatchObject({ version: 3, sameAs: 1, savedByName: 'owner@acme.test' });
    const compared = await member.ask(VERSION, { id, version: 3, since: 1 });
    expect(compared.formVersion.changeCount).toBe(0);
    const where = { subjectType: 'form', subjectId: id, action: 'form.restored' };
    const [event] = await app.services.db.orm.auditEvent.findMany({ where });
    expect(event?.detail).toEqual({ slug, version: 3, restored: 1 });
  });

  test('that is the present one changes nothing', async () => {
    const { id } = await create();
    const { restoreFormVersion } = await owner.ask(RESTORE, { id, version: 1, current: 1 });
    expect(restoreFormVersion.version).toBe(1);
    expect(await numbers(id)).toEqual([1]);
  });

  test('is refused when the form has moved on, when it is not kept, and to a member', async () => {
    const { id } = await create();
    await save(id, 1, { name: 'Devis' });
    expect(await owner.refused(RESTORE, { id, version: 1, current: 1 })).toBe('CONFLICT');
    expect(await owner.refused(RESTORE, { id, version: 7, current: 2 })).toBe('NOT_FOUND');
    expect(await member.refused(RESTORE, { id, version: 1, current: 2 })).toBe('FORBIDDEN');
    expect(await numbers(id)).toEqual([2, 1]);
  });

  test('is refused with the faults of what is no longer valid', async () => {
    const { id } = await create();
    await app.services.db.orm.$executeRaw`
      UPDATE form_snapshots
         SET content = jsonb_set(content, '{fields,0,attributes}', '{"pattern": "(?=a)a"}') WHERE form_id = ${Number(id)}`;
    await save(id, 1, { name: 'Devis' });
    const { errors } = await owner.send(RESTORE, { id, version: 1, current: 2 });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: { 'definition.fields.0.attributes.pattern': [expect.stringContaining('(?=a)')] },
    });
    expect(await numbers(id)).toEqual([2, 1]);
  });
});

describe('a form that a process of the version before has saved', () => {
  /** Saves a form as 0.2.0 does, which keeps no version. */
  async function saveAsBefore(id: string, version: number): Promise<void> {
    const { orm } = app.services.db;
    const { id: actorId } = await orm.user.findUniqueOrThrow({ where: { email: 'admin@acme.test' } });
    await orm.form.update({ where: { id: Number(id) }, data: { version, name: `Before ${version}` } });
    await orm.auditEvent.create({
      data: {
        teamId,
        actorId,
        channel: 'panel',
        action: 'form.updated',
        subjectType: 'form',
        subjectId: id,
        detail: { version },
        createdAt: new Date('2026-01-02T03:04:05Z'),
      },
    });
  }

  const backfill = () =>
    createBackfills({ db: app.services.db, log: createLogger('silent'), registry: [formVersions] });

  test('has the version that it saved as soon as it is saved anew, with who and when', async () => {
    const { id } = await create();
    await saveAsBefore(id, 2);
    await saveAsBefore(id, 3);
    expect(await numbers(id)).toEqual([1]);
    await save(id, 3, { name: 'Devis' });
    expect(await listed(id)).toMatchObject([
      { version: 4, previousVersion: 3 },
      {
        version: 3,
        previousVersion: 1,
        savedByName: 'admin@acme.test',
        channel: 'panel',
        savedAt: '2026-01-02T03:04:05.000Z',
      },
      { version: 1 },
    ]);
  });

  test('has its present version once the backfill has met it, in the first pass or the second', async () => {
    const { db } = app.services;
    const [first, second] = [await create(), await create()];
    await saveAsBefore(first.id, 2);
    await db.orm.backfill.deleteMany();
    await backfill().run(1);
    expect(await listed(first.id)).toMatchObject([
      { version: 2, savedByName: 'admin@acme.test', changeCount: 1 },
      { version: 1 },
    ]);
    await saveAsBefore(second.id, 2);
    await db.orm.backfill.updateMany({ data: { startedAt: new Date(0) } });
    await backfill().run();
    expect(await numbers(second.id)).toEqual([2, 1]);
    expect(await db.orm.backfill.findUnique({ where: { name: 'form_versions' } })).toMatchObject({
      passes: 2,
    });
  });

  test('of which nothing is known has the time of its last change', async () => {
    const { id } = await create();
    const { orm } = app.services.db;
    await orm.formSnapshot.deleteMany({ where: { formId: Number(id) } });
    await orm.auditEvent.deleteMany({ where: { subjectType: 'form', subjectId: id } });
    const { updatedAt } = await orm.form.findUniqueOrThrow({ where: { id: Number(id) } });
    await orm.backfill.deleteMany();
    await backfill().run();
    expect(await listed(id)).toMatchObject([
      { version: 1, savedAt: updatedAt.toISOString(), savedByName: null, channel: null },
    ]);
  });
});

test('a submission tells whether the version that it was made with is kept', async () => {
  const { orm } = app.services.db;
  const [id] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
  const query = 'query ($id: ID!) { submission(id: $id) { formVersion isFormVersionKept form { version } } }';
  expect((await member.ask(query, { id })).submission).toMatchObject({ isFormVersionKept: true });
  await orm.submission.update({ where: { id: id! }, data: { formVersion: 77 } });
  expect((await member.ask(query, { id })).submission).toMatchObject({
    formVersion: 77,
    isFormVersionKept: false,
    form: { version: 1 },
  });
});
