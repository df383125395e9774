import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { FORMS } from '../../faults/hostile/forms.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import type { TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { call, startApiApp } from '../support/integrator.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let teamId: number;
let site: string;
let token: string;
let owner: PanelClient;
const log = createLogger('silent');
const warn = jest.spyOn(log, 'warn');

beforeAll(async () => {
  app = await startApiApp({ log, env: { CAPTCHA_DEFAULT: 'off' } });
  await provision(app.services, [team('acme', { websites: [website('www.acme.test')] })]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app.services, 'www.acme.test');
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(() => app.close());

const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { id unenforcedPatterns { field } }
}`;
const LINK = `mutation ($site: ID!, $form: ID!) {
  saveFormLink(websiteId: $site, formId: $form, input: {}) { enabled }
}`;

const submit = (slug: string, body: object) =>
  call(app.url, 'POST', `/websites/${site}/forms/${slug}/submit`, { token, body });

describe('a hostile form', () => {
  test.each(FORMS)(
    'is refused with its reason, or served: $name',
    async ({ name, input, refusal, values }) => {
      const slug = name.replace(/\W+/g, '-').slice(0, 60);
      const { data, errors } = await owner.send(CREATE, { teamId, slug, input });
      if (refusal) {
        const said = errors?.[0]?.extensions.errors ?? {};
        expect([errors?.[0]?.message, ...Object.values(said).flat()].join('\n')).toContain(refusal);
        expect(Object.keys(said).length).toBeLessThanOrEqual(100);
        return;
      }
      expect(errors).toBeUndefined();
      expect(data.createForm.unenforcedPatterns).toEqual([]);
      await owner.ask(LINK, { site, form: data.createForm.id });
      const answer = await eventually(async () => {
        const sent = await submit(slug, values ?? {});
        return sent.status === 404 ? null : sent;
      });
      expect([200, 413, 422]).toContain(answer.status);
    },
  );
});

test('a stored pattern that cannot be matched is not enforced, but served, logged once and listed', async () => {
  const input = {
    name: 'Old',
    sourceLocale: 'en',
    submitButtonText: 'Send',
    confirmationMessage: 'Thanks.',
    fields: [
      { name: 'code', type: 'text', label: 'Code', attributes: { pattern: '[0-9]+' } },
      { name: 'password', type: 'text', label: 'Password', attributes: { pattern: 'x' } },
    ],
  };
  const { createForm } = await owner.ask(CREATE, { teamId, slug: 'old', input });
  const pattern = '(?=.*\\d).{8,}';
  await app.services.db.orm.formField.updateMany({
    where: { formId: Number(createForm.id), name: 'password' },
    data: { attributes: { pattern } },
  });
  await owner.ask(LINK, { site, form: createForm.id });
  await eventually(async () => (await submit('old', { code: '1', password: 'short' })).status === 200);
  expect((await submit('old', { code: 'x', password: 'short' })).body).toMatchObject({
    errors: { code: ['Please use the format requested.'] },
  });

  const origin = 'https://www.acme.test';
  const config = await call(app.url, 'GET', `/websites/${site}/forms/config?f=old~en`, {
    headers: { origin },
  });
  expect(JSON.stringify(config.body)).toContain(JSON.stringify(pattern).slice(1, -1));

  const reason = 'A pattern cannot hold a look-ahead: (?=.*\\d)';
  const read = 'query ($id: ID!) { form(id: $id) { unenforcedPatterns { field pattern reason } } }';
  const { form } = await owner.ask(read, { id: createForm.id });
  expect(form.unenforcedPatterns).toEqual([{ field: 'password', pattern, reason }]);

  // A change of the team has the form read again, the same version of it.
  await app.services.db.orm.website.update({ where: { id: site }, data: { name: 'Other' } });
  await submit('old', { code: '1' });
  const told = warn.mock.calls.filter(([, message]) => message === 'Pattern not enforced');
  expect(told.map(([entry]) => entry)).toEqual([
    { formId: Number(createForm.id), version: 1, field: 'password', reason },
  ]);
});
