import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { driversOf } from '../../../src/forms/definition/condition-checks.js';
import { nameFault, proposeName } from '../../../web/panel/pages/form/fields/names.js';
import {
  findRemoved,
  moveFields,
  removeField,
  renameField,
} from '../../../web/panel/pages/form/fields/recipes.js';
import { restoreField } from '../../../web/panel/pages/form/fields/restore.js';
import { findFaults } from '../../../web/panel/pages/form/find-faults.js';
import type { FormDraft } from '../../../web/panel/pages/form/form-draft.js';
import { builtForm } from '../../support/form-drafts.js';

const names = ({ fields }: FormDraft) => fields.map(({ name }) => name);

/** A form with fields, and one of them. */
const chosen = builtForm(25)
  .filter(({ fields }) => fields.length > 0)
  .chain((draft) => fc.record({ draft: fc.constant(draft), name: fc.constantFrom(...names(draft)) }));

describe('what is built', () => {
  test('has names that the gateway takes, each once, and reads no field that is not there', () => {
    fc.assert(
      fc.property(builtForm(25), (draft) => {
        for (const [index, name] of names(draft).entries()) {
          expect([name, nameFault(name, names(draft).toSpliced(index, 1))]).toEqual([name, null]);
        }
        for (const { name, visibility } of draft.fields) {
          for (const driver of driversOf(visibility)) {
            expect(names(draft)).toContain(driver);
            expect(driver).not.toBe(name);
          }
        }
        expect(JSON.stringify(findFaults(draft))).not.toMatch(/circle|no field/);
      }),
    );
  });

  test('keeps the fields that do not change as they are', () => {
    fc.assert(
      fc.property(chosen, ({ draft, name }) => {
        const renamed = renameField(name, proposeName('other', names(draft)))(draft);
        for (const [index, field] of draft.fields.entries()) {
          if (field.name === name || driversOf(field.visibility).includes(name)) continue;
          expect(renamed.fields[index]).toBe(field);
        }
      }),
    );
  });

  test('gets a deleted field back with every condition that read it', () => {
    fc.assert(
      fc.property(chosen, ({ draft, name }) => {
        const removed = findRemoved(draft, name)!;
        const left = removeField(name)(draft);
        expect(names(left)).not.toContain(name);
        expect(left.fields.flatMap(({ visibility }) => driversOf(visibility))).not.toContain(name);
        expect(restoreField(removed)(left)).toEqual(draft);
      }),
    );
  });

  test('gets a renamed field back under its name', () => {
    fc.assert(
      fc.property(chosen, ({ draft, name }) => {
        const other = proposeName('other', names(draft));
        expect(renameField(other, name)(renameField(name, other)(draft))).toEqual(draft);
      }),
    );
  });

  test('has each field once, wherever it is moved', () => {
    fc.assert(
      fc.property(chosen, fc.nat(), ({ draft, name }, to) => {
        const key = names(draft)[to % draft.fields.length]!;
        const moved = names(moveFields(new Set([name]), { key, position: 'before' })(draft));
        expect([...moved].sort()).toEqual(names(draft).sort());
        if (key !== name) expect(moved.indexOf(name)).toBe(moved.indexOf(key) - 1);
      }),
    );
  });
});

test.each([
  ['Délai souhaité', [], 'delai_souhaite'],
  ['Délai souhaité', ['delai_souhaite'], 'delai_souhaite_2'],
  ['  ', [], 'field'],
  ['42 m²', [], 'field_42_m'],
  ['Page URL', [], 'page_url_2'],
  ['é'.repeat(300), [], 'e'.repeat(90)],
])('the name proposed for %j beside %j is %s', (label, taken, name) => {
  expect(proposeName(label, taken)).toBe(name);
});
