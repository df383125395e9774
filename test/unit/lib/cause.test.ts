import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { causeOf } from '../../../src/lib/telemetry/cause.js';

const withCode = (code: string, message = 'words') => Object.assign(new Error(message), { code });

test.each([
  [withCode('CERT_HAS_EXPIRED'), 'tls_certificate_expired'],
  [withCode('ESOCKET', 'certificate has expired'), 'tls_certificate_expired'],
  [withCode('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls_certificate_of_another_name'],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls_certificate_not_trusted'],
  [withCode('EDNS', 'getaddrinfo ENOTFOUND mail.example'), 'name_not_found'],
  [withCode('ECONNREFUSED'), 'connection_refused'],
  [Object.assign(new Error('x'), { code: 'ESOCKET', errno: -111 }), 'connection_refused'],
  [new AggregateError([withCode('ECONNREFUSED')]), 'connection_refused'],
  [new Error('outer', { cause: withCode('53100') }), 'disk_full'],
  [
    Object.assign(new Error('P'), {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { originalCode: '53300' } } },
    }),
    'too_many_clients',
  ],
  [withCode('23505'), 'sqlstate_23505'],
  [withCode('P2002'), 'unknown'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'memory_full'],
  [new Error('LOADING Redis is loading the dataset in memory'), 'server_starting'],
  [new Error('write ENOSPC: no space left on device'), 'disk_full'],
  [new Error("Can't reach database server at 127.0.0.1:5432"), 'unreachable'],
  [new Error('Query read timeout'), 'timed_out'],
  [Object.assign(withCode('EENVELOPE', 'Timeout, closing'), { responseCode: 421 }), 'smtp_421'],
  [Object.assign(withCode('EAUTH'), { responseCode: 535 }), 'login_refused'],
  [new Error('Something else'), 'unknown'],
  ['a thrown text', 'unknown'],
  [null, 'unknown'],
])('the cause of %p is %s', (error, cause) => {
  expect(causeOf(error).cause).toBe(cause);
});

test('the reason is the first message of the chain, on one line and bounded', () => {
  const refused = Object.assign(new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:1')], ''), {});
  expect(causeOf(refused).reason).toBe('connect ECONNREFUSED 127.0.0.1:1');
  expect(causeOf(new Error(`two\nlines ${'x'.repeat(1_000)}`)).reason).toMatch(/^two lines x{290}$/);
});

test('the reason has no e-mail address, which a mail server may quote', () => {
  const { reason } = causeOf(new Error('450 4.2.1 <Ada.L+x@example.co.uk>: user ada@example.co.uk, busy'));
  expect(reason).toBe('450 4.2.1 <<address>>: user <address>, busy');
});

test('the causes of real clients distinguish an absent server from an unknown host name', async () => {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as { port: number };
      server.close(() => resolve(free));
    });
  });
  const connect = (host: string) =>
    new pg.Client({ connectionString: `postgres://a:b@${host}:${port}/c` }).connect().catch((error) => error);
  expect(causeOf(await connect('127.0.0.1')).cause).toBe('connection_refused');
  expect(causeOf(await connect('formgate.invalid')).cause).toMatch(/^name_(not_found|lookup_failed)$/);

  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
  const lost = new Promise((resolve) => redis.once('error', resolve));
  await redis.connect().catch(() => undefined);
  expect(causeOf(await lost).cause).toBe('connection_refused');
});
