import { expect, test } from '@jest/globals';
import { isDatabaseAway, isForeignKeyViolationOf } from '../../../src/db/database-errors.js';

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);
const wrapped = (sqlState: string) =>
  error('Raw query failed.', {
    code: 'P2010',
    meta: { driverAdapterError: { cause: { kind: 'postgres', code: sqlState, originalCode: sqlState } } },
  });

test.each([
  ['starting, as Prisma wraps it', wrapped('57P03')],
  ['stopping', wrapped('57P01')],
  ['full', wrapped('53300')],
  ['a standby', wrapped('25006')],
  ['unreachable, in a raw query', error("Can't reach database server at 127.0.0.1:1", { code: 'P2010' })],
  ['unreachable', error('x', { code: 'P1001' })],
  ['refusing at each of its addresses', Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })],
  ['behind a resolver that is away', error('getaddrinfo EAI_AGAIN db', { code: 'EAI_AGAIN' })],
  ['on a machine that is gone', error('connect EHOSTUNREACH 10.0.0.7:5432', { code: 'EHOSTUNREACH' })],
  ['cut off in a transaction', error('Client has encountered a connection error and is not queryable')],
  ['showing an expired certificate', error('certificate has expired', { code: 'CERT_HAS_EXPIRED' })],
  ['cut off', error('x', { cause: error('Connection terminated unexpectedly') })],
])('a server that is %s is away', (_name, fault) => {
  expect(isDatabaseAway(fault)).toBe(true);
});

test.each([
  ['a unique key', error('Unique constraint failed', { code: 'P2002' })],
  ['a value that does not fit', wrapped('22P02')],
  ['no error at all', 'terminated'],
])('a server with %s is not away', (_name, fault) => {
  expect(isDatabaseAway(fault)).toBe(false);
});

test('a foreign key is known by its name in whatever language the server writes', () => {
  const french = error('une instruction viole la contrainte de clé étrangère « leads_site_fkey »', {
    code: '23503',
    constraint: 'leads_site_fkey',
  });
  expect(isForeignKeyViolationOf(french, 'leads_site_fkey')).toBe(true);
  expect(isForeignKeyViolationOf(french, 'leads_form_fkey')).toBe(false);
});
