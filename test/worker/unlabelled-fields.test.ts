import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, websiteId } from '../support/factories.js';
import { loggedIn } from '../support/panel.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  const form = contactForm({
    fields: [
      { name: 'email', type: 'email', label: 'E-mail' },
      { name: 'campaign', type: 'hidden', label: '' },
      { name: 'gclid', type: 'hidden', label: ' ' },
    ],
    translations: {},
  });
  await provision(app.services, [team('acme', { forms: [form] })]);
});

afterAll(() => app?.close());

test('a value of a field without a label is mailed and shown under the name of the field', async () => {
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const site = await websiteId(app.services, 'www.acme.test');
  const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'a@b.test', campaign: 'summer', gclid: 'Cj0K' }),
  });
  const { lead_id: id } = (await response.json()) as { lead_id: string };
  const { mail } = await app.sink.waitFor(({ raw }) => raw.includes(id));
  expect(mail.text).toMatch(/^campaign\s?: summer$/m);
  expect(mail.text).toMatch(/^gclid\s?: Cj0K$/m);
  const owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  const { submission } = await owner.ask(
    'query ($id: ID!) { submission(id: $id) { fields { label text } } }',
    { id },
  );
  expect(submission.fields).toEqual([
    { label: 'E-mail', text: 'a@b.test' },
    { label: 'campaign', text: 'summer' },
    { label: 'gclid', text: 'Cj0K' },
  ]);
});
