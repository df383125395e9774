import { expect, test } from '@jest/globals';
import { textFault } from '../../../src/forms/definition/form-texts.js';

test('a text of a form is as long as it has characters, of which an emoji is one', () => {
  expect(textFault('label', '😀'.repeat(500))).toBeNull();
  expect(textFault('label', '😀'.repeat(501))).toBe('too_long');
  expect(textFault('helpText', '😀'.repeat(5_000))).toBeNull();
});
