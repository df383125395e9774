import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bodyOf, DOCUMENTS } from '../../faults/hostile/documents.js';
import type { TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { startApiApp } from '../support/integrator.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let owner: PanelClient;

beforeAll(async () => {
  app = await startApiApp();
  await provision(app.services, [team('acme')]);
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(() => app.close());

test.each(DOCUMENTS)(
  'a hostile document, $name, is refused or answered briefly',
  async ({ request, refused }) => {
    const answer = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bodyOf(request),
    });
    const text = await answer.text();
    const { errors } = JSON.parse(text) as { errors?: { message: string }[] };
    expect([answer.status < 500, errors?.map(({ message }) => message)]).toEqual([
      true,
      refused ? expect.any(Array) : undefined,
    ]);
    expect(text.length).toBeLessThan(100_000);
  },
);
