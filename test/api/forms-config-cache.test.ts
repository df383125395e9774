import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';
import { eventually } from '../support/wait.js';

const ORIGIN = 'https://www.acme.test';
const ENTRIES = 'contact~fr,contact~en';

let app: TestApp;
let site: string;
let sql: pg.Client;

beforeAll(async () => {
  app = await startTestApp({ env: { TRUST_PROXY: 'loopback' } });
  const en = { submit_button_text: 'Send', fields: { topic: { options: { quote: 'Quote' } } } };
  await provision(app.services, [
    team('acme', {
      forms: [contactForm({ translations: { en } })],
      websites: [website('www.acme.test', { captcha: [{ key: 'altcha:own' }] })],
    }),
    team('other'),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
});

afterAll(async () => {
  await sql.end();
  await app.close();
});

let client = 0;

async function config({ method = 'GET', ifNoneMatch }: { method?: string; ifNoneMatch?: string } = {}) {
  const headers = {
    origin: ORIGIN,
    'x-forwarded-for': `198.51.${Math.floor(++client / 250)}.${client % 250}`,
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  };
  const url = `${app.url}/api/websites/${site}/forms/config?f=${ENTRIES}`;
  const response = await fetch(url, { method, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const tag = async () => (await config()).headers.get('etag')!;

test('the entity tag depends on the order of the entries, and not on what is no part of a form', async () => {
  const headers = { origin: ORIGIN };
  const tagOf = async (f: string) =>
    (await fetch(`${app.url}/api/websites/${site}/forms/config?f=${f}`, { headers })).headers.get('etag');
  expect(await tagOf('contact~en,contact~fr')).not.toBe(await tagOf(ENTRIES));
  const before = await tag();
  await sql.query(`UPDATE websites SET name = 'Renamed', email = 'new@acme.test'`);
  // Another change proves that the entries were invalidated.
  await sql.query(`UPDATE form_links SET css_selector = '#shown'`);
  await eventually(async () => (await tag()) !== before);
  await sql.query('UPDATE form_links SET css_selector = NULL');
  expect(await eventually(async () => (await tag()) === before)).toBe(true);
});

describe('an answer', () => {
  const configure = async (...languages: string[]) => {
    const { forms, websites } = app.services;
    const found = await websites.find(site);
    return forms.configure(found!, languages.map((language) => `contact~${language}`).join());
  };
  const unknown = (prefix: string) => [...'abcdefghijklmnopqrst'].map((letter) => `${prefix}${letter}`);

  test('has a form once for each of its languages serialized, whatever the entries call them', async () => {
    await configure('fr');
    const serialized = async (...languages: string[]) => {
      const stringify = jest.spyOn(JSON, 'stringify');
      await configure(...languages);
      const { length } = stringify.mock.calls;
      stringify.mockRestore();
      return length;
    };
    const once = await serialized('qa');
    expect(once).toBeGreaterThan(0);
    expect(await serialized(...unknown('x'))).toBe(once);
    const { body } = (await configure(...unknown('y')))!;
    const { forms } = JSON.parse(Buffer.from(body, 'latin1').toString());
    expect(forms['contact~ya']).toEqual(forms['contact~yb']);
  });

  test('leaves others a turn between two languages', async () => {
    await configure('fr');
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await configure('en', 'fr', ...unknown('z').slice(2));
    clearImmediate(next);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('a request for a configuration', () => {
  test.each([
    ['the tag', (current: string) => current, 304],
    ['weakened', (current: string) => `W/${current}`, 304],
    ['in a list', (current: string) => `"a,b", W/"other" ,${current}`, 304],
    ['anything', () => ' * ', 304],
    ['another', () => '"other"', 200],
    ['without its quotes', (current: string) => current.slice(1, -1), 200],
    ['inside another', (current: string) => `"x${current.slice(1)}`, 200],
    ['empty', () => '', 200],
  ])(
    'with If-None-Match, %s, is answered with the expected status and headers',
    async (_case, header, status) => {
      const current = await tag();
      const answer = await config({ ifNoneMatch: header(current) });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('etag')).toBe(current);
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300, must-revalidate');
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.text === '').toBe(status === 304);
      expect(answer.headers.has('content-type')).toBe(status === 200);
    },
  );

  test('by HEAD gets the headers of GET without a body, and 304 for the current entity tag', async () => {
    const get = await config();
    const head = await config({ method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'vary']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect((await config({ method: 'HEAD', ifNoneMatch: get.headers.get('etag')! })).status).toBe(304);
  });

  test.each([
    ['a name of the form', `UPDATE forms SET name = 'Renamed'`],
    ['a message of the form', `UPDATE forms SET confirmation_message = 'Merci beaucoup.'`],
    ['recipients of the form', `UPDATE forms SET recipients = '{new@acme.test}'`],
    ['a message of a translation', `UPDATE form_translations SET confirmation_message = 'Many thanks.'`],
    [
      'a translation in another language',
      `INSERT INTO form_translations (form_id, locale) SELECT id, 'de' FROM forms WHERE slug = 'contact'`,
    ],
    ['a message of the link', `UPDATE form_links SET confirmation_message = 'Bien reçu.'`],
    ['recipients of the link', `UPDATE form_links SET recipients = '{new@acme.test}'`],
  ])('gets another entity tag for the same body after a change of %s', async (_case, statement) => {
    const before = await config();
    await sql.query(statement);
    const after = await eventually(async () => {
      const answer = await config({ ifNoneMatch: before.headers.get('etag')! });
      return answer.status !== 304 && answer;
    });
    expect(after.text).toBe(before.text);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test.each([
    ['a text of the form', `UPDATE forms SET submit_button_text = 'Valider'`],
    ['a text of a field', `UPDATE form_fields SET label = 'Nom de famille' WHERE name = 'name'`],
    ['a condition', `UPDATE form_fields SET visibility = NULL WHERE name = 'budget'`],
    ['an option', `UPDATE field_options SET label = 'Estimation' WHERE value = 'quote'`],
    [
      'a new option',
      `INSERT INTO field_options (field_id, position, value, label)
       SELECT id, 9, 'new', 'Nouveau' FROM form_fields WHERE name = 'topic'`,
    ],
    ['a translation', `UPDATE form_translations SET submit_button_text = 'Submit'`],
    [
      'a new translation of a field',
      `INSERT INTO field_translations (field_id, locale, label)
       SELECT id, 'en', 'Family name' FROM form_fields WHERE name = 'name'`,
    ],
    ['a translation of an option', `UPDATE option_translations SET label = 'Estimate'`],
    ['a translation of an option gone', 'DELETE FROM option_translations'],
    ['every translation of a field cut off', 'TRUNCATE field_translations'],
    ['a translation gone', 'DELETE FROM form_translations'],
    ['a field gone', `DELETE FROM form_fields WHERE name = 'budget'`],
    ['a setting of the link', `UPDATE form_links SET css_selector = '#other'`],
    ['a disabled link', 'UPDATE form_links SET enabled = false'],
    ['an enabled link', 'UPDATE form_links SET enabled = true'],
    ['an inactive form', 'UPDATE forms SET active = false'],
    ['an active form', 'UPDATE forms SET active = true'],
    ['a form gone', `DELETE FROM forms WHERE team_id = (SELECT id FROM teams WHERE slug = 'acme')`],
  ])('gets a new answer within a second of plain SQL that changes %s', async (_case, statement) => {
    const before = await config();
    await sql.query(statement);
    const after = await eventually(
      async () => {
        const answer = await config({ ifNoneMatch: before.headers.get('etag')! });
        return answer.status !== 304 && answer;
      },
      { withinMs: 1000 },
    );
    expect(after.status).toBe(200);
    expect(after.text).not.toBe(before.text);
  });

  test.each([
    [
      'a website that moves',
      `UPDATE websites SET host = 'new.acme.test' WHERE id = $1`,
      403,
      'origin_not_allowed',
    ],
    ['and comes back', `UPDATE websites SET host = 'www.acme.test' WHERE id = $1`, 200, 'forms'],
    ['a suspended team', 'UPDATE teams SET active = false', 403, 'disabled'],
    ['a team that is back', 'UPDATE teams SET active = true', 200, 'forms'],
    ['a website gone', 'DELETE FROM websites WHERE id = $1', 404, 'not found'],
  ])('gets the answer to %s within a second of plain SQL', async (_case, statement, status, text) => {
    await sql.query(statement.replace('$1', `'${site}'`));
    const answer = await eventually(
      async () => {
        const found = await config();
        return found.status === status && found;
      },
      { withinMs: 1000 },
    );
    expect(answer.text).toContain(text);
  });
});

describe('the change feed', () => {
  const recorded = async () =>
    Number((await sql.query('SELECT count(*) FROM catalogue_changes')).rows[0].count);

  test('records no change for a submission, nor for columns that only the panel shows', async () => {
    const token = await createToken(app.services, 'other', 'owner@other.test');
    const to = await websiteId(app.services, 'www.other.test');
    const before = await recorded();
    const response = await fetch(`${app.url}/api/websites/${to}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'v@x.test' }),
    });
    expect(response.status).toBe(200);
    await app.services.notifications.settled();
    await sql.query(`INSERT INTO website_departments VALUES ('${to}', '2A')`);
    await sql.query('UPDATE websites SET name = name WHERE false');
    expect(await recorded()).toBe(before);
  });

  test('records one change for each transaction and team, and none for a transaction that is rolled back', async () => {
    const before = await recorded();
    await sql.query('BEGIN; UPDATE forms SET name = name; UPDATE form_fields SET label = label; COMMIT');
    expect(await recorded()).toBe(before + 1);
    await sql.query('BEGIN; UPDATE forms SET name = name; ROLLBACK');
    expect(await recorded()).toBe(before + 1);
  });

  test('does not make writers of the same team wait for one another', async () => {
    const { rows } = await sql.query<{ id: number }>('SELECT id FROM form_fields ORDER BY id LIMIT 2');
    const other = new pg.Client({ connectionString: app.database.url });
    await other.connect();
    const touch = (id: number) => `UPDATE form_fields SET label = label WHERE id = ${id}`;
    await sql.query(`BEGIN; ${touch(rows[0]!.id)}`);
    await other.query('SET statement_timeout = 1000');
    const { rowCount } = await other.query(touch(rows[1]!.id));
    await sql.query('COMMIT');
    await other.end();
    expect(rowCount).toBe(1);
  });

  test('deletes changes of more than a day ago with the next change', async () => {
    await sql.query(`UPDATE catalogue_changes SET changed_at = now() - interval '25 hours'`);
    await sql.query('UPDATE plans SET name = name');
    const { rows } = await sql.query('SELECT team_id FROM catalogue_changes');
    expect(rows).toEqual([{ team_id: 0 }]);
  });
});
