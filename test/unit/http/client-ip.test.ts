import { expect, test } from '@jest/globals';
import type { Request } from 'express';
import { clientIp, clientKey, networkOf } from '../../../src/http/limits/client-ip.js';

const from = (ip: string | undefined, remoteAddress?: string) =>
  ({ ip, socket: { remoteAddress } }) as Pick<Request, 'ip' | 'socket'>;

test.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:DB8:0:1::1', '2001:DB8:0:1::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0::/64'],
  ['::1', '::1', '0:0:0:0::/64'],
  ['203.0.113.7:4711', '203.0.113.7', '203.0.113.7'],
  ['[2001:db8::1]:4711', '2001:db8::1', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8::1', '2001:db8:0:0::/64'],
])('%s is printed as %s and counted as %s', (address, ip, key) => {
  expect(clientIp(from(address))).toBe(ip);
  expect(clientKey(from(address))).toBe(key);
});

test('a forwarded value that is no IP address counts as the proxy', () => {
  expect(clientKey(from('unknown', '::ffff:10.0.0.1'))).toBe('10.0.0.1');
  expect(clientKey(from('203.0.113:4711', '10.0.0.1'))).toBe('10.0.0.1');
  expect(clientKey(from('[]:80', '10.0.0.1'))).toBe('10.0.0.1');
  expect(clientKey(from(undefined))).toBe('unknown');
});

test('the connection of a dual-stack socket counts as its IPv4 address', () => {
  expect(networkOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8::ffff:1'));
});
