import { afterEach, expect, jest, test } from '@jest/globals';
import { timeZone } from '../../../src/lib/input.schema.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const isTimeZone = (name: string) => timeZone.safeParse(name).success;

test.each(['Europe/Paris', 'europe/paris', 'UTC', 'Etc/GMT+5', 'Asia/Calcutta', 'US/Eastern'])(
  'a time zone may be %s',
  (name) => {
    expect(isTimeZone(name)).toBe(true);
  },
);

test.each(['', 'Moon/Base', 'Europe/Paris ', 'x'.repeat(65)])('a time zone is not "%s"', (name) => {
  expect(isTimeZone(name)).toBe(false);
});

test('a canonical time zone is known without a formatter', () => {
  const format = jest.spyOn(Intl, 'DateTimeFormat');
  expect(Intl.supportedValuesOf('timeZone').every(isTimeZone)).toBe(true);
  expect(format).not.toHaveBeenCalled();
});
