import { expect, test } from '@jest/globals';
import { searchTextOf } from '../../../src/submissions/search-text.js';

test('every text and number is there, lower-case, however deep', () => {
  expect(searchTextOf({ name: 'Ada', age: 36, ok: true }, { utm: { tags: ['Spring'] } })).toBe(
    'ada\n36\nspring\n',
  );
});

test('a long text is cut and does not keep the search from what came before it', () => {
  const text = searchTextOf({ name: 'Ada', message: 'x'.repeat(20_000), late: 'unseen' }, {});
  expect(text.startsWith('ada\nxxx')).toBe(true);
  expect(text.length).toBeLessThanOrEqual(8_001);
});
