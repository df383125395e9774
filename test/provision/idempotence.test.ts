import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCipher } from '../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../src/lib/crypto/keyring.js';
import { applyDocument, describeSummary } from '../../src/provision/apply.js';
import { readDocument } from '../../src/provision/document.js';
import { createTeams } from '../../src/teams/teams.service.js';
import { createTestDatabase, dumpTables, type TestDatabase } from '../support/database.js';

const LOCALES = ['fr', 'en', 'de'];
const NAMES = ['a', 'b', 'constructor', 'd.e'];

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Text that the database may hold, awkward characters included. */
const text = fc
  .string({ minLength: 1, maxLength: 20, unit: 'binary' })
  .filter((value) => !/\0|\p{Surrogate}/u.test(value));

const options = fc.uniqueArray(
  fc.record({ value: fc.oneof(fc.constantFrom('x', 'y', 'constructor'), text), label: text }),
  {
    selector: ({ value }) => value,
    minLength: 1,
    maxLength: 4,
  },
);

const settings = fc.record(
  {
    is_required: fc.boolean(),
    show_label: fc.boolean(),
    placeholder: fc.option(text),
    help_text: fc.option(text),
    attributes: fc.dictionary(fc.constantFrom('autocomplete', 'title', 'class'), text),
    visibility: fc.constantFrom(null, {
      match: 'any',
      rules: [
        { field: 'a', operator: 'is_not_empty' },
        { match: 'all', rules: [{ field: 'a', operator: 'equals', value: 'x' }] },
      ],
    }),
  },
  { requiredKeys: [] },
);

const fields = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom('text', 'select'), text, settings, options),
    {
      selector: ([name]) => name,
    },
  )
  .map((entries) =>
    entries.map(([name, type, label, { visibility, ...rest }, choices]) => ({
      name,
      type: name === 'a' ? 'text' : type,
      label,
      ...rest,
      ...(type === 'select' && name !== 'a' && { options: choices }),
      ...(name !== 'a' && entries.some(([other]) => other === 'a') && { visibility }),
    })),
  );

/** Rules on the field `a`. */
const RULES = [
  {
    when: {
      match: 'any',
      rules: [
        { field: 'a', operator: 'is_empty' },
        { match: 'all', rules: [{ field: 'a', operator: 'in', value: ['x', 1, true] }] },
      ],
    },
    recipients: ['b@t.test', 'a@t.test'],
  },
];

const texts = fc.record(
  { label: fc.option(text), placeholder: fc.option(text), help_text: fc.option(text) },
  { requiredKeys: [] },
);

/** A form whose translations name only what it has. */
const form = fc
  .tuple(
    fields,
    fc.dictionary(fc.constantFrom('en', 'de'), fc.option(fc.array(texts, { minLength: 4, maxLength: 4 }))),
    text,
  )
  .map(([list, translations, submit]) => ({
    slug: 'f',
    name: 'F',
    source_locale: 'fr',
    submit_button_text: submit,
    confirmation_message: 'Merci',
    fields: list,
    recipient_rules: list.some(({ name }) => name === 'a') ? RULES : null,
    translations: Object.fromEntries(
      Object.entries(translations).map(([locale, translated]) => [
        locale,
        translated && {
          fields: Object.fromEntries(
            list.map(({ name, options: choices }, index) => [
              name,
              {
                ...translated[index],
                ...(choices && {
                  options: Object.fromEntries(choices.slice(1).map(({ value, label }) => [value, label])),
                }),
              },
            ]),
          ),
        },
      ]),
    ),
  }));

test('a document applied twice changes nothing the second time, over any stored state', async () => {
  const teams = createTeams({ db: database.db, revokeTokens: async () => 0 });
  const cipher = createCipher(createKeyring(randomBytes(32)));
  const apply = (entry: { recipient_rules: object | null }) => {
    const plans = [{ code: 'default', name: 'Default' }];
    const forms = [{ slug: 'f', recipient_rules: entry.recipient_rules }];
    const site = { name: 'T', host: 't.test', url: 'https://t.test', locale: 'fr', email: 't@t.test', forms };
    const document = { plans, teams: [{ slug: 't', name: 'T', forms: [entry], websites: [site] }] };
    return applyDocument(
      { db: database.db, cipher, teams },
      readDocument(JSON.stringify(document), LOCALES),
      {
        userId: null,
        channel: 'provision',
      },
    );
  };
  await fc.assert(
    fc.asyncProperty(form, async (entry) => {
      await apply(entry);
      const before = await dumpTables(database.url);
      expect(describeSummary(await apply(entry))).toBe('nothing changed');
      expect(await dumpTables(database.url)).toEqual(before);
      const stored = await database.db.orm.formField.findMany({ orderBy: { position: 'asc' } });
      expect(stored.map(({ name, label }) => [name, label])).toEqual(
        entry.fields.map(({ name, label }) => [name, label]),
      );
    }),
    // It would go on after a time-out of the test, with a database that is no longer there.
    { numRuns: 40, interruptAfterTimeLimit: 150_000, markInterruptAsFailure: true },
  );
});
