import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { visibleFields } from '../../src/forms/definition/conditions.js';
import type { PlacedForm } from '../../src/forms/serving/forms.service.js';
import { CONTEXT_FIELDS } from '../../src/forms/validation/context-fields.js';
import { storableText } from '../../src/lib/text/storable-text.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';

const TYPES = [
  'text',
  'textarea',
  'email',
  'tel',
  'url',
  'number',
  'date',
  'time',
  'checkbox',
  'consent',
  'hidden',
];
const NAMES = [...TYPES, 'select', 'list'];
const OPTIONS = ['a', 'b', '1'].map((value) => ({ value, label: value }));

let app: TestApp;
let token: string;
let site: string;
let form: PlacedForm;

beforeAll(async () => {
  app = await startTestApp();
  // Every second field is shown only when the one before it is filled in.
  const fields = [
    ...TYPES.map((type) => ({ name: type, type, label: type })),
    { name: 'select', type: 'select', label: 'select', options: OPTIONS },
    { name: 'list', type: 'checkbox', label: 'list', is_multiple: true, options: OPTIONS },
  ].map((field, index, all) => ({
    ...field,
    visibility:
      index % 2 === 1
        ? { match: 'any', rules: [{ field: all[index - 1]!.name, operator: 'is_not_empty' }] }
        : null,
  }));
  await provision(
    app.services,
    [
      team('acme', {
        forms: [
          {
            slug: 'any',
            name: 'Any',
            source_locale: 'fr',
            submit_button_text: 'Envoyer',
            confirmation_message: 'Merci.',
            fields,
          },
        ],
        websites: [website('www.acme.test', { forms: [{ slug: 'any' }] })],
      }),
    ],
    { submissions_per_minute: 100_000, submissions_per_hour: 100_000 },
  );
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  site = await websiteId(app.services, 'www.acme.test');
  form = (await app.services.forms.findPlaced((await app.services.websites.find(site))!, 'any'))!;
});

afterAll(() => app.close());

async function submit(body: string) {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/any/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, answer: (await response.json()) as { lead_id: string } };
}

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
  fc.constantFrom('__proto__', 'constructor', 'page_url', 'page_title', 'captcha_fallback', 'a\0', '\ud800'),
  fc.string({ unit: 'binary' }),
);
const fitting = fc.constantFrom('a', '1', 'a@x.test', 'https://x.test', '2026-01-01', '10:00', true, '');
const value = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(fitting, fc.array(fitting)) },
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
);
const anyBody = fc
  .array(fc.tuple(name, value), { maxLength: 12 })
  .map((entries) => `{${entries.map(([key, sent]) => `${JSON.stringify(key)}:${JSON.stringify(sent)}`)}}`);

test('what is recorded is exactly the visible declared fields and the undeclared ones', async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (text) => {
      const { status, answer } = await submit(text);
      expect([200, 422]).toContain(status);
      if (status !== 200) return;
      const row = await app.services.db.orm.submission.findUniqueOrThrow({ where: { id: answer.lead_id } });
      const body = JSON.parse(text) as Record<string, unknown>;
      const sent = Object.keys(body).filter((key) => !CONTEXT_FIELDS.has(key));
      const shown = visibleFields(form.definition.fields, body);
      const undeclared = sent.filter((key) => !NAMES.includes(key)).map(storableText);
      expect(Object.keys(row.undeclared as object).sort()).toEqual([...new Set(undeclared)].sort());
      for (const [key, kept] of Object.entries(row.values as object)) {
        expect(shown.has(key) && sent.includes(key)).toBe(true);
        expect(kept).not.toBe('');
      }
      const isFilledIn = (sent: unknown) => typeof sent === 'string' && sent.trim() !== '';
      const filledIn = sent.filter((key) => shown.has(key) && isFilledIn(body[key]));
      expect(Object.keys(row.values as object)).toEqual(expect.arrayContaining(filledIn));
    }),
    { numRuns: 300 },
  );
});

test('no body is answered with a 5xx', async () => {
  const raw = fc.oneof(
    fc.json({ maxDepth: 40 }),
    fc.string({ unit: 'binary' }),
    anyBody.map((text) => text.slice(0, -1)),
  );
  await fc.assert(
    fc.asyncProperty(raw, async (text) => {
      expect([200, 400, 422]).toContain((await submit(text)).status);
    }),
    { numRuns: 300 },
  );
});
