import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ideographs, marks, REQUESTS } from '../../faults/hostile/hosts.js';
import type { TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';
import { call, startApiApp } from '../support/integrator.js';

let app: TestApp;
let site: string;
let token: string;

beforeAll(async () => {
  app = await startApiApp({ env: { CAPTCHA_DEFAULT: 'off' } });
  const fields = Array.from({ length: 8 }, (_, index) => ({
    name: `f${index}`,
    type: 'url',
    label: 'Address',
  }));
  const form = contactForm({ fields, translations: {} });
  await provision(app.services, [team('acme', { forms: [form], websites: [website('www.acme.test')] })]);
  site = await websiteId(app.services, 'www.acme.test');
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});
afterAll(() => app.close());

describe('a stranger', () => {
  test.each(REQUESTS)('is answered at once: $name', async ({ path, method, headers, body, status }) => {
    const times: number[] = [];
    // The first request of a process compiles code, and any other may wait for the machine; an address's cost stays.
    while (times.length < 5 && times.every((time) => time >= 1_000)) {
      const startedAt = performance.now();
      const answer = await fetch(`${app.url}/api/websites/${site}/${path}`, {
        method,
        headers: { origin: 'https://www.acme.test', ...headers },
        ...(body && { body }),
      });
      times.push(performance.now() - startedAt);
      expect(answer.status).toBe(status);
    }
    // The slowest of them took four seconds on a fast machine.
    expect(Math.min(...times)).toBeLessThan(1_000);
  });

  test('who came from a host that cannot be has no referrer', async () => {
    const { referrer } = await app.services.db.orm.visit.findFirstOrThrow();
    expect(referrer).toBeNull();
  });
});

describe('an address in a lead', () => {
  const submit = (body: object) =>
    call(app.url, 'POST', `/websites/${site}/forms/contact/submit`, { token, body });

  test.each([
    ['ideographs', ideographs(9_900)],
    ['marks', marks(9_900)],
    ['letters', 'a'.repeat(9_900)],
  ])('with a host of 9,900 %s is a fault of its field', async (_what, host) => {
    const { status, body } = await submit({ f0: `https://${host}.fr/`, f1: `https:////\\${host}` });
    expect(status).toBe(422);
    expect(body).toEqual({
      message: expect.any(String),
      errors: { f0: expect.any(Array), f1: expect.any(Array) },
    });
  });

  test('with a host as long as any, a long path and a long query is recorded', async () => {
    const address = `https://${'a.'.repeat(125)}fr:8080/${'p'.repeat(4_000)}?${'q'.repeat(4_000)}`;
    const { status } = await submit({ f0: address });
    expect(status).toBe(200);
  });
});
