import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { eventually } from '../support/wait.js';

const HOSTS = ['one.acme.test', 'two.acme.test', 'www.other.test'];

let app: TestApp;
let sql: pg.Client;
let ids: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp({ env: { TRUST_PROXY: 'loopback' } });
  const en = { submit_button_text: 'Send – “now”' };
  const site = (host: string) => website(host, { captcha: [{ key: 'altcha:own' }] });
  const forms = [contactForm({ translations: { en } })];
  await provision(app.services, [
    team('acme', { forms, websites: [site(HOSTS[0]!), site(HOSTS[1]!)] }),
    team('other', { forms, websites: [site(HOSTS[2]!)] }),
  ]);
  const found = await Promise.all(HOSTS.map((host) => websiteId(app.services, host)));
  ids = Object.fromEntries(HOSTS.map((host, index) => [host, found[index]!]));
  sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
});

afterAll(async () => {
  await sql.end();
  await app.close();
});

let client = 0;

async function config(host: string, query: string) {
  const headers = { origin: `https://${host}`, 'x-forwarded-for': `198.51.100.${++client}` };
  const response = await fetch(`${app.url}/api/websites/${ids[host]}/forms/config${query}`, { headers });
  return { status: response.status, etag: response.headers.get('etag'), text: await response.text() };
}

const keysOf = ({ text }: { text: string }) => Object.keys(JSON.parse(text).forms);

test('requests of one website for different entries get an answer each, with exactly their keys', async () => {
  const asked = ['contact~fr', 'contact~en', 'contact~en,contact~fr', 'contact~en,contact~en', 'none~en'];
  for (const entries of [...asked, ...asked, ...asked.toReversed()]) {
    const answer = await config(HOSTS[0]!, `?f=${entries}`);
    expect(answer.status).toBe(200);
    expect(keysOf(answer)).toEqual([...new Set(entries.split(','))]);
  }
});

test('a malformed query is refused with 422 also when the website has a cached answer', async () => {
  for (const query of ['', '?f=', '?f=contact~fr&f=contact~en', '?f=contact', '?f=contact~fr%20']) {
    await config(HOSTS[0]!, '?f=contact~fr');
    expect((await config(HOSTS[0]!, query)).status).toBe(422);
  }
});

test('equal websites of a team have equal answers and entity tags, and a change of one leaves the others as they were', async () => {
  const askAll = () => Promise.all(HOSTS.map((host) => config(host, '?f=contact~en')));
  const [one, two, other] = await askAll();
  expect(one!.text).toContain('Send – “now”');
  expect(two).toEqual(one);
  expect(other!.text).toBe(one!.text);
  await sql.query(`UPDATE form_links SET css_selector = '#changed' WHERE website_id = $1`, [ids[HOSTS[1]!]]);
  const changed = await eventually(async () => {
    const answer = await config(HOSTS[1]!, '?f=contact~en');
    return answer.etag !== two!.etag && answer;
  });
  expect(changed.text).toContain('"#changed"');
  expect(await askAll()).toEqual([one, changed, other]);
});

test('equal fields of two teams are interned, and a change of one leaves the others as they were', async () => {
  const { websites, forms } = app.services;
  const fieldsOf = async (host: string) => {
    const linked = await forms.findPlaced((await websites.find(ids[host]!))!, 'contact');
    return linked!.definition.fields;
  };
  const [mine, theirs] = [await fieldsOf(HOSTS[0]!), await fieldsOf(HOSTS[2]!)];
  expect(mine.length).toBeGreaterThan(1);
  for (const [index, field] of mine.entries()) expect(theirs[index]).toBe(field);
  await sql.query(
    `UPDATE form_fields SET label = 'Only theirs' FROM forms JOIN teams ON teams.id = team_id
      WHERE forms.id = form_id AND teams.slug = 'other' AND form_fields.name = $1`,
    [mine[0]!.name],
  );
  const changed = await eventually(async () => {
    const fields = await fieldsOf(HOSTS[2]!);
    return fields[0]!.label === 'Only theirs' && fields;
  });
  expect(changed[1]).toBe(mine[1]);
  expect(await fieldsOf(HOSTS[0]!)).toEqual(mine);
  expect(mine[0]!.label).not.toBe('Only theirs');
});
