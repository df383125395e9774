import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readFormVersion } from '../../../src/submissions/submit/seen-form.js';

describe('the version of a form that a page tells', () => {
  test.each<[unknown, number]>([
    ['1', 1],
    ['7', 7],
    ['500', 500],
    ['2147483647', 2147483647],
  ])('%j is %d', (sent, version) => {
    expect(readFormVersion(sent)).toBe(version);
  });

  test.each<[unknown]>([
    ...[
      '',
      '0',
      '01',
      '-1',
      '+1',
      '1.0',
      '1e1',
      '0x1',
      ' 1',
      '1 ',
      '1\n',
      'Infinity',
      '2147483648',
      '9999999999',
      '١',
    ].map((sent) => [sent] as [unknown]),
    [undefined],
    [null],
    [1],
    [['1', '1']],
    [{ toString: () => '1' }],
  ])('%j is none', (sent) => {
    expect(readFormVersion(sent)).toBeNull();
  });

  test('is read where it is an integer of the database as PostgreSQL prints it, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.integer().map(String), fc.maxSafeInteger().map(String), fc.anything()),
        (sent) => {
          const version = readFormVersion(sent);
          if (version === null) return;
          expect(String(version)).toBe(sent);
          expect(Number.isInteger(version) && version >= 1 && version < 2 ** 31).toBe(true);
        },
      ),
    );
  });
});
