import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csvText } from '../../../src/lib/text/csv.js';
import { createRecordCounter } from '../../../web/panel/record-counter.js';

test('records of a CSV file are counted, however its texts and portions are cut', () => {
  const cell = fc.string({ unit: fc.constantFrom('"', '\n', '\r', ',', 'é', 'a') });
  const row = fc.array(cell, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), fc.integer({ min: 1, max: 7 }), (rows, size) => {
      const bytes = new TextEncoder().encode(csvText(rows));
      const count = createRecordCounter();
      let counted = 0;
      for (let at = 0; at < bytes.length; at += size) counted = count(bytes.subarray(at, at + size));
      expect(counted).toBe(rows.length);
    }),
  );
});
