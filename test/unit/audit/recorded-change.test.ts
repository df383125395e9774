import { expect, test } from '@jest/globals';
import { asIs, recordedChange, withoutQuery } from '../../../src/audit/recorded-change.js';

test('a change has the values before and after of what differs, long ones shortened', () => {
  const before = { name: 'a'.repeat(200), ids: [], disabled: false, other: 1 };
  const after = { name: '🧀'.repeat(201), ids: Array.from({ length: 11 }, (_, n) => n), disabled: true };
  const shown = { name: asIs, ids: asIs, disabled: asIs, other: asIs };
  expect(recordedChange(['name', 'ids', 'disabled'], { before, after }, shown)).toEqual({
    before: { name: before.name, ids: [], disabled: false },
    changed: { name: `${'🧀'.repeat(200)}…`, ids: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, '…'], disabled: true },
  });
});

test.each([
  ['https://www.acme.test/logo.png?token=secret#x', 'https://www.acme.test/logo.png'],
  ['https://user:secret@www.acme.test', 'https://www.acme.test'],
  ['/logo.png?token=secret', '/logo.png'],
  ['', ''],
])('the address %s is recorded without what may be a secret', (address, recorded) => {
  expect(withoutQuery(address)).toBe(recorded);
});
