import { describe, expect, test } from '@jest/globals';
import { blankTexts, faultsBeside, NO_FAULTS } from '../../../web/panel/pages/form/faults.js';
import { newField, newOption } from '../../../web/panel/pages/form/fields/recipes.js';
import type { FormDraft } from '../../../web/panel/pages/form/form-draft.js';
import { EMPTY_FORM } from '../../support/form-drafts.js';

const BLANK = ['must not be empty'];

const draft: FormDraft = {
  ...EMPTY_FORM,
  fields: [
    newField('hidden', { name: 'campaign', label: '', options: [] }),
    newField('select', {
      name: 'topic',
      label: 'Topic',
      options: [newOption('a', 'A'), newOption('b', ' ')],
    }),
  ],
};

describe('blank texts', () => {
  test('are those of the form and of what visitors see', () => {
    expect(blankTexts({ ...draft, name: '', submitButtonText: ' \u00a0', confirmationMessage: '' })).toEqual({
      name: BLANK,
      submitButtonText: BLANK,
      confirmationMessage: BLANK,
      'fields.1.options.1.label': BLANK,
    });
  });

  test('are none where all of them are there', () => {
    expect(blankTexts(EMPTY_FORM)).toBe(NO_FAULTS);
  });
});

test('of a refusal stay the faults that are not found otherwise', () => {
  const refused = { submitButtonText: BLANK, 'fields.0.attributes.pattern': ['is wrong'] };
  expect(faultsBeside(refused, blankTexts({ ...EMPTY_FORM, submitButtonText: '' }))).toEqual({
    'fields.0.attributes.pattern': ['is wrong'],
  });
  expect(faultsBeside({ submitButtonText: BLANK }, refused)).toBe(NO_FAULTS);
});
