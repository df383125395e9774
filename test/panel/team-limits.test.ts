import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { formInput } from '../support/panel-forms.js';

let app: TestApp;
let owner: PanelClient;
let teamId: number;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(() => app.close());

type Sent = Awaited<ReturnType<PanelClient['send']>>;

const codesOf = (answers: readonly Sent[]) =>
  answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'created').toSorted();

describe('forms of a team', () => {
  const create = (slug: string) =>
    owner.send(
      `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
        createForm(teamId: $teamId, slug: $slug, input: $input) { id }
      }`,
      { teamId, slug, input: formInput([{ name: 'name' }]) },
    );

  test('are 1,000 at most, also when several are created at once; a provision document may have more', async () => {
    const { orm } = app.services.db;
    await orm.$executeRaw`
      INSERT INTO forms (team_id, slug, name, source_locale, submit_button_text, confirmation_message, recipients, updated_at)
      SELECT ${teamId}, 'form-' || n, 'Form', 'fr', 'Envoyer', 'Merci.', '{}', now() FROM generate_series(1, 998) n`;
    expect(codesOf(await Promise.all([create('one'), create('two'), create('three')]))).toEqual([
      'CONFLICT',
      'CONFLICT',
      'created',
    ]);
    const { errors } = await create('four');
    expect(errors?.[0]).toMatchObject({
      message: 'A team has 1000 forms at most.',
      extensions: { code: 'CONFLICT' },
    });
    const { id } = await orm.form.findFirstOrThrow({ where: { teamId, slug: 'contact' } });
    const copy = 'mutation ($id: ID!) { duplicateForm(id: $id, slug: "copy") { id } }';
    expect(codesOf([await owner.send(copy, { id })])).toEqual(['CONFLICT']);
    await provision(app.services, [team('acme', { forms: [contactForm(), contactForm({ slug: 'more' })] })]);
    expect(await orm.form.count({ where: { teamId } })).toBe(1_001);
  });
});

describe('websites of a team', () => {
  const create = (host: string) =>
    owner.send(
      `mutation ($teamId: ID!, $input: NewWebsiteInput!) { createWebsite(teamId: $teamId, input: $input) { id } }`,
      { teamId, input: { name: host, host, url: `https://${host}`, locale: 'fr', email: `desk@${host}` } },
    );
  const importing = async (hosts: readonly string[], dryRun: boolean) => {
    const rows = hosts.map((host) => `${host},${host},https://${host},fr,desk@${host}`);
    const csv = ['name,host,url,locale,email', ...rows].join('\n');
    const answer = await owner.ask(
      `mutation ($teamId: ID!, $csv: String!, $dryRun: Boolean!) {
        importWebsites(teamId: $teamId, csv: $csv, dryRun: $dryRun) { created faults { row column reason message } }
      }`,
      { teamId, csv, dryRun },
    );
    return answer.importWebsites;
  };

  test('are 5,000 at most, also when several are created or imported at once; a document may have more', async () => {
    const { orm } = app.services.db;
    await orm.$executeRaw`
      INSERT INTO websites (id, team_id, name, host, url, locale, email, signature_key_cipher)
      SELECT gen_random_uuid(), ${teamId}, 'Website', n || '.acme.test', 'https://acme.test', 'fr', 'desk@acme.test', ''
        FROM generate_series(1, 4997) n`;
    const faults = [
      {
        row: 1,
        column: null,
        reason: 'too_many',
        message: 'must leave the team with 5000 websites at most',
      },
    ];
    const three = ['a.import.test', 'b.import.test', 'c.import.test'];
    expect(await importing(three, true)).toEqual({ created: 0, faults });
    expect(await importing(three, false)).toEqual({ created: 0, faults });
    const imports = await Promise.all([
      importing(three.slice(0, 1), false),
      importing(three.slice(1, 2), false),
      importing(three.slice(2), false),
    ]);
    expect(imports.map(({ created }) => created).toSorted()).toEqual([0, 1, 1]);
    await orm.website.delete({ where: { id: await websiteId(app.services, '1.acme.test') } });
    expect(codesOf(await Promise.all([create('one.test'), create('two.test')]))).toEqual([
      'CONFLICT',
      'created',
    ]);
    expect((await create('three.test')).errors?.[0]?.message).toBe('A team has 5000 websites at most.');
    await provision(app.services, [team('acme', { websites: [website('more.acme.test')] })]);
    expect(await orm.website.count({ where: { teamId } })).toBe(5_001);
  });
});
