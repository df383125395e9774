import { expect, test } from '@jest/globals';
import { matchesEntityTag } from '../../../src/http/assets/etag.js';

const CURRENT = '"current"';

test.each([
  '"current"',
  'W/"current"',
  ' "current" ',
  '"other", "current"',
  '"a,b" ,W/"current", "c"',
  ',"current",',
  '*',
  ' * ',
])('the list %j names the current tag', (header) => expect(matchesEntityTag(header, CURRENT)).toBe(true));

test.each([
  undefined,
  '',
  '"other"',
  'current',
  '"current',
  '"current"x',
  'x"current"',
  '"current" "other"',
  'w/"current"',
  '"Current"',
  '**',
])('%j does not name the current tag', (header) => {
  expect(matchesEntityTag(header, CURRENT)).toBe(false);
});
