import { expect, test } from '@jest/globals';
import { addressesOf } from '../../../web/panel/parts/recipients/addresses.js';

test.each([
  ['a@acme.test\nb@acme.test\n', ['a@acme.test', 'b@acme.test']],
  ['a@acme.test, b@acme.test; c@acme.test', ['a@acme.test', 'b@acme.test', 'c@acme.test']],
  ['a@acme.test b@acme.test', ['a@acme.test', 'b@acme.test']],
  ['not an address\na@acme.test', ['not an address', 'a@acme.test']],
])('%j are the addresses %j', (text, addresses) => {
  expect(addressesOf(text)).toEqual(addresses);
});
