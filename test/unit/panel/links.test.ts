import { expect, test } from '@jest/globals';
import { linkOf } from '../../../web/panel/pages/inbox/links.js';

test.each([
  ['+33 (0)6 12 34 56 78', 'tel:+33612345678'],
  ['+33(0)612345678', 'tel:+33612345678'],
  ['(+33) (0) 6.12.34.56.78', 'tel:+33612345678'],
  ['0033 (0)6 12 34 56 78', 'tel:0033612345678'],
  ['+49\u00a0(0)30/123-456', 'tel:+4930123456'],
  // Within the country the zero is dialled; to Italy also from abroad.
  ['(0)6 12 34 56 78', 'tel:0612345678'],
  ['+39 (0)6 1234 5678', 'tel:+390612345678'],
  ['+33 61 (0)2 34 56 78', 'tel:+336102345678'],
  ['06 12 34 56 78', 'tel:0612345678'],
  ['06 12 34 56 78 / 07 12 34 56 78', null],
  ['0049 1234 567890123', 'tel:00491234567890123'],
  ['+33 (0)', null],
  ['by day', null],
])('the telephone number %s is dialled as %s', (text, address) => {
  expect(linkOf('tel', text)).toBe(address);
});
