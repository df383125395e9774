import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { runFormgate } from '../support/formgate.js';

const TOO_LARGE = { status: 413, body: { error: 'payload_too_large' } };
const LIMIT = 262_144;

let app: TestApp;
let path: string;
let token: string;
/** What slow senders are told in the end: of headers, of a body, of one that stops coming; and after how long. */
let slowSenders: Promise<{ answers: string[]; tookMs: number }>;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  path = `/api/websites/${await websiteId(app.services, 'www.acme.test')}/forms/contact/submit`;
  slowSenders = sendSlowly();
});

afterAll(() => app.close());

const headersOf = (headers: Record<string, string | number> = {}) => ({
  'content-type': 'application/json',
  ...headers,
  // Last, so that it is the first to go where headers are dropped.
  authorization: `Bearer ${token}`,
});

type Sent = { headers?: Record<string, string | number>; chunks: Iterable<Buffer | string> };

/** Sends a body piece by piece, and stops as soon as it is answered. */
async function send(
  { headers, chunks }: Sent,
  url = app.url,
): Promise<{ status: number | undefined; body: unknown }> {
  const request = httpRequest(`${url}${path}`, { method: 'POST', agent: false, headers: headersOf(headers) });
  const source = Readable.from(chunks);
  const answered = once(request, 'response');
  source.pipe(request).on('error', () => undefined);
  const [response] = await answered;
  source.unpipe(request);
  const body = JSON.parse(await text(response));
  request.destroy();
  return { status: response.statusCode, body };
}

function* repeat(chunk: Buffer, times: number): Generator<Buffer> {
  for (let index = 0; index < times; index++) yield chunk;
}

/** The bombs are to be inflated, not to be small. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const ZEROS = Buffer.alloc(25_000_000);

/** What a raw connection answers to bytes that no HTTP client would send, until it is closed. */
async function talk(bytes: string, afterwards?: (socket: Socket) => void): Promise<string> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes);
  afterwards?.(socket);
  return text(socket).catch(() => '');
}

/** Begins early, as it takes fifteen seconds. */
async function sendSlowly(): Promise<{ answers: string[]; tookMs: number }> {
  const drip = (socket: Socket) => {
    const timer = setInterval(() => socket.write('x'), 500);
    socket.once('close', () => clearInterval(timer));
  };
  const startedAt = performance.now();
  const answers = await Promise.all([
    talk(`POST ${path} HTTP/1.1\r\nX-Slow: `, drip),
    talk(head('Content-Length: 1000'), drip),
    talk(head('Content-Length: 1000')),
  ]);
  return { answers, tookMs: performance.now() - startedAt };
}

const head = (...lines: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');

/** Memory that a process holds, in bytes. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

const ofSize = (bytes: number) => {
  const frame = JSON.stringify({ email: 'v@x.test', text: '' });
  return frame.replace('"text":""', `"text":"${'x'.repeat(bytes - frame.length)}"`);
};

describe('a body over the limit is a 413', () => {
  const large = Buffer.from(ofSize(300_000));
  const half = large.subarray(0, 150_000);

  test.each<[string, Sent]>([
    ['300 KB with its length', { headers: { 'content-length': 300_000 }, chunks: [large] }],
    ['300 KB in chunks', { headers: { 'transfer-encoding': 'chunked' }, chunks: [half, half] }],
    ['300 KB by small pieces', { chunks: repeat(Buffer.alloc(50, 'x'), 6_000) }],
    ['one byte over', { chunks: [ofSize(LIMIT + 1)] }],
    [
      'a length that is far beyond what follows',
      { headers: { 'content-length': 10_000_000 }, chunks: [half] },
    ],
    ['a gzip bomb', { headers: { 'content-encoding': 'gzip' }, chunks: [gzipSync(ZEROS)] }],
    ['a deflate bomb', { headers: { 'content-encoding': 'deflate' }, chunks: [deflateSync(ZEROS)] }],
    ['a brotli bomb', { headers: { 'content-encoding': 'br' }, chunks: [brotliCompressSync(ZEROS, FAST)] }],
    [
      'gzip of no compression',
      { headers: { 'content-encoding': 'gzip' }, chunks: [gzipSync(large, { level: 0 })] },
    ],
  ])('%s', async (_case, sent) => {
    expect(await send(sent)).toMatchObject(TOO_LARGE);
  });

  test('while one of exactly the limit is accepted', async () => {
    expect(await send({ chunks: [ofSize(LIMIT)] })).toMatchObject({ status: 200 });
    expect(await send({ chunks: [`${' '.repeat(LIMIT - 20)}{"email":"v@x.test"}`] })).toMatchObject({
      status: 200,
    });
  });

  test('a length that is smaller than what follows ends the body there', async () => {
    const answer = await talk(`${head('Content-Length: 10')}${ofSize(300_000)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('what follows a whole submission does not answer it, so that it is not sent again', async () => {
    const body = '{"email":"once@x.test"}';
    for (const rest of ['garbage', 'x'.repeat(300_000)]) {
      const answer = await talk(`${head(`Content-Length: ${body.length}`)}${body}${rest}`);
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n/s);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }
    const recorded = await app.services.db.orm.submission.count({
      where: { emails: { has: 'once@x.test' } },
    });
    expect(recorded).toBe(2);
  });

  test('a length beside chunks is refused, as it could hide a second request', async () => {
    const answer = await talk(head('Content-Length: 5', 'Transfer-Encoding: chunked'));
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('{"message":"Bad Request."}');
  });

  test('concurrent bodies and bombs far beyond the limit do not grow the memory of a gateway', async () => {
    const gateway = runFormgate(['gateway'], {
      DATABASE_URL: app.database.url,
      SMTP_URL: app.sink.url,
      MAIL_FROM: 'forms@formgate.test',
      PUBLIC_URL: 'http://formgate.test',
      APP_KEY: Buffer.alloc(32, 7).toString('base64'),
      PORT: '0',
    });
    try {
      const [, url = ''] = await gateway.printed(/"url":"(http:[^"]+)"/);
      const bombs = [
        // Pieces that are each whole are a whole together.
        Buffer.concat(Array<Buffer>(10).fill(gzipSync(ZEROS))),
        brotliCompressSync(Buffer.alloc(250_000_000), FAST),
      ];
      const attack = (index: number) =>
        index % 3 === 0
          ? send({ chunks: repeat(Buffer.alloc(65_536), 10) }, url)
          : send(
              {
                headers: { 'content-encoding': index % 3 === 1 ? 'gzip' : 'br' },
                chunks: [bombs[(index % 3) - 1]!],
              },
              url,
            );
      // A client too slow to read the answer has its connection cut, which is as good a refusal.
      const cut = (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
        return TOO_LARGE;
      };
      const wave = () => Promise.all(Array.from({ length: 24 }, (_, index) => attack(index).catch(cut)));
      await wave();
      await wave();
      const before = await residentBytes(gateway.child.pid!);
      for (let round = 0; round < 4; round++) {
        for (const answer of await wave()) expect(answer).toMatchObject(TOO_LARGE);
      }
      const grown = (await residentBytes(gateway.child.pid!)) - before;
      // Less than one of the bombs would take.
      expect(grown).toBeLessThan(120_000_000);
    } finally {
      gateway.child.kill();
      await gateway.finished;
    }
  });
});

describe('a body that contradicts its headers', () => {
  const sent: [string, Sent, number][] = [
    ['an unknown encoding', { headers: { 'content-encoding': 'zip' }, chunks: ['{}'] }, 415],
    ['two encodings', { headers: { 'content-encoding': 'gzip, gzip' }, chunks: ['{}'] }, 415],
    ['a prototype name as encoding', { headers: { 'content-encoding': 'constructor' }, chunks: ['{}'] }, 415],
    [
      'no compression at all',
      { headers: { 'content-encoding': 'gzip' }, chunks: ['{"email":"v@x.test"}'] },
      400,
    ],
    [
      'a cut in the middle of its compression',
      { headers: { 'content-encoding': 'gzip' }, chunks: [gzipSync('{"email":"v@x.test"}').subarray(0, 20)] },
      400,
    ],
    ['a byte order mark', { chunks: ['\ufeff{"email":"v@x.test"}'] }, 200],
    ['UTF-16', { chunks: [Buffer.from('{"email":"v@x.test"}', 'utf16le')] }, 400],
    [
      'a charset of the past',
      { headers: { 'content-type': 'application/json; charset=utf-7' }, chunks: ['{}'] },
      415,
    ],
    [
      'a charset in quotes',
      { headers: { 'content-type': 'application/json; charset="UTF-8"' }, chunks: ['{}'] },
      422,
    ],
    ['100,000 levels', { chunks: [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`] }, 422],
    ['100,000 levels, not closed', { chunks: ['{"a":'.repeat(50_000)] }, 400],
    [
      '10,000 keys',
      { chunks: [JSON.stringify(Object.fromEntries([...Array(10_000).keys()].map((n) => [`k${n}`, n])))] },
      422,
    ],
    ['two values', { chunks: ['{} {}'] }, 400],
    ['NaN', { chunks: ['{"a":NaN}'] }, 400],
  ];
  test.each(sent.map(([what, body, status]) => [what, status, body] as const))(
    'with %s is a %i',
    async (_case, status, body) => {
      expect(await send(body)).toMatchObject({ status });
    },
  );

  test('of a key that occurs twice the last value counts', async () => {
    const { status, body } = await send({ chunks: ['{"email":"first@x.test","email":"last@x.test"}'] });
    expect(status).toBe(200);
    const { lead_id: id } = body as { lead_id: string };
    expect(await app.services.db.orm.submission.findUniqueOrThrow({ where: { id } })).toMatchObject({
      values: { email: 'last@x.test' },
    });
  });
});

describe('a connection that is abused', () => {
  const READABLE = /\r\nAccess-Control-Allow-Origin: \*\r\n/;

  test('headers over 32 KB are a 431 in our shape, which any page can read', async () => {
    expect(await talk(head(`X-Padding: ${'x'.repeat(31_000)}`, 'Connection: close'))).not.toMatch(
      /^HTTP\/1\.1 4[03]1/,
    );
    const answer = await talk(head(`X-Padding: ${'x'.repeat(34_000)}`));
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer).toMatch(READABLE);
    expect(answer).toMatch(/X-Request-Id: [0-9a-f-]{36}\r\n/);
    expect(answer).toContain('{"message":"Request Header Fields Too Large."}');
  });

  test('a captcha token of 5,000 characters is refused as one, not as a header', async () => {
    const sent = { headers: { 'x-captcha-token': 'x'.repeat(5000) }, chunks: ['{"email":"v@x.test"}'] };
    expect((await send(sent)).status).toBeLessThan(431);
  });

  test('headers are read however many they are, up to their size', async () => {
    const headers = Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`x${n}`, 'x']));
    expect((await send({ headers, chunks: ['{}'] })).status).toBe(422);
  });

  test('bytes that are no HTTP are a 400, which any page can read', async () => {
    for (const sent of ['GET / HTTP/9.9\r\n\r\n', '\x16\x03\x01\x02\x00\x01']) {
      const answer = await talk(sent);
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toMatch(READABLE);
    }
  });

  test('slow senders get a 408: of headers after 10 s, of a body after 15 s', async () => {
    const { answers, tookMs } = await slowSenders;
    const [headers, body, idle] = answers;
    expect(headers).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(headers).toMatch(READABLE);
    for (const answer of [body, idle]) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(answer).toContain('{"message":"The request did not arrive in time."}');
    }
    expect(tookMs).toBeLessThan(20_000);
  });
});

test('answers have the security headers for data, and do not name the software', async () => {
  const response = await fetch(`${app.url}/nothing`);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  for (const name of ['x-powered-by', 'server', 'strict-transport-security']) {
    expect(response.headers.get(name)).toBeNull();
  }
});

test('behind an https PUBLIC_URL answers have HSTS', async () => {
  const secure = await startTestApp({ env: { PUBLIC_URL: 'https://forms.acme.test' } });
  try {
    const response = await fetch(`${secure.url}/healthz`);
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000');
  } finally {
    await secure.close();
  }
});
