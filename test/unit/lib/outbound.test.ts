import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { createAddressCheck } from '../../../src/lib/outbound/addresses.js';
import { createOutbound, type OutboundRequest } from '../../../src/lib/outbound/outbound.js';
import { OutboundError } from '../../../src/lib/outbound/outbound-error.js';
import { createResolveName } from '../../../src/lib/outbound/resolve-name.js';
import { startDnsServer, type Zone } from '../../support/dns-server.js';

const REQUEST: OutboundRequest = { timeoutMs: 2_000, maxBytes: 1_000, maxRedirects: 2 };

const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';

const closed = createOutbound([]);
const open = createOutbound(['127.0.0.1']);

const servers: Server[] = [];
const dnsServers: Awaited<ReturnType<typeof startDnsServer>>[] = [];

afterEach(async () => {
  await Promise.all(dnsServers.splice(0).map((dns) => dns.stop()));
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Serves on this machine. @returns the port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const faultOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'answered',
    (error) => (error instanceof OutboundError ? error.fault : String(error)),
  );

describe('an address that is not public is refused, as', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '2130706433',
    '127.0.0.1.',
    '１２７.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0.0.0.0',
    '0',
    '0.1.2.3',
    '10.0.0.1',
    '0xa.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '0xc0a80101',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:10.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::a00:1]',
    '[100::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[2001::1]',
    '[2001:10::1]',
    '[2001:db8::1]',
    '[2002:7f00:1::]',
    '[3fff::1]',
    '[5f00::1]',
  ])('%s', async (host) => {
    expect(await faultOf(closed.get(`http://${host}/`, REQUEST))).toBe('not_public');
    expect(await faultOf(closed.get(`https://${host}:8443/`, REQUEST))).toBe('not_public');
  });

  test.each(['localhost', 'LOCALHOST'])('the name %s, once it is resolved', async (host) => {
    expect(await faultOf(closed.get(`http://${host}/`, REQUEST))).toBe('not_public');
  });
});

describe('the message of a refusal has the name, and no address that it resolves to', () => {
  const messageOf = (answer: Promise<unknown>) => answer.catch((error: Error) => error.message);

  test('of a network that is not public', async () => {
    expect(await messageOf(closed.get('http://localhost/', REQUEST))).toBe('localhost');
  });

  test('of a server that takes no connection', async () => {
    const port = await serve(() => undefined);
    servers.pop()!.close();
    const local = createOutbound(['127.0.0.0/8', '::1']);
    for (const host of ['localhost', '127.0.0.1']) {
      expect(await messageOf(local.get(`http://${host}:${port}/`, REQUEST))).toBe('ECONNREFUSED');
    }
  });
});

describe('an address is', () => {
  test.each([
    '1.1.1.1',
    '93.184.216.34',
    '192.0.1.1',
    '172.32.0.1',
    '198.17.255.255',
    '2606:4700::1111',
    '2a00::1',
  ])('public: %s', (address) => {
    expect(createAddressCheck([])(address)).toBe(true);
  });

  test.each(['', 'example.com', '1.2.3', 'nonsense', '::g', '1.2.3.4/8'])('none, and refused: %s', (text) => {
    expect(createAddressCheck(['0.0.0.0/0', '::/0'])(text)).toBe(false);
  });

  test('opened by a subnet that has it, and by no other', () => {
    const isAllowed = createAddressCheck(['10.1.0.0/16', '127.0.0.1', 'fd00::/8', '::1']);
    expect(['10.1.2.3', '127.0.0.1', '::ffff:10.1.2.3', 'fd12::1', '::1'].map(isAllowed)).not.toContain(
      false,
    );
    expect(['10.2.0.1', '127.0.0.2', 'fc00::1', '::2', '192.168.0.1'].map(isAllowed)).not.toContain(true);
  });

  test('refused in IPv6 whenever the IPv4 address in it is', () => {
    const isAllowed = createAddressCheck([]);
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        const mapped = ipaddr.IPv4.parse(text).toIPv4MappedAddress();
        expect(isAllowed(mapped.toString())).toBe(isAllowed(text));
        expect(isAllowed(`::${text}`)).toBe(false);
      }),
    );
  });
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'http://user:pass@example.com/',
  'nonsense',
  'http://',
  'data:,x',
])('the address %s is refused', async (address) => {
  expect(await faultOf(closed.get(address, REQUEST))).toBe('bad_address');
});

test('an opened address answers, with status, headers, body and its own address', async () => {
  const port = await serve((request, response) => {
    response.writeHead(201, { 'X-Seen': request.headers['user-agent'] }).end('hello');
  });
  const address = `http://127.0.0.1:${port}/a?b`;
  const { status, headers, body, url } = await open.get(address, {
    ...REQUEST,
    headers: { 'User-Agent': 'test' },
  });
  expect([status, headers['x-seen'], body.toString(), url.href]).toEqual([201, 'test', 'hello', address]);
});

test.each([
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])(
  'a body that a server compresses with %s unasked is read, within its bound',
  async (encoding, compress) => {
    let text = 'hello';
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding }).end(compress(text));
    });
    const get = () => open.get(`http://127.0.0.1:${port}/`, REQUEST);
    expect((await get()).body.toString()).toBe('hello');
    text = 'x'.repeat(1_001);
    expect(await faultOf(get())).toBe('too_large');
  },
);

test('a body that is not what its encoding says is unreachable', async () => {
  const port = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('hello');
  });
  expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, REQUEST))).toBe('unreachable');
});

describe('a redirect', () => {
  test('is followed to an address with accents that is not escaped, as browsers follow it', async () => {
    const port = await serve(({ url, socket }, response) => {
      if (url === '/') socket.end('HTTP/1.1 301 Moved\r\nLocation: /réservation\r\n\r\n');
      else response.end(decodeURIComponent(url!));
    });
    const { body } = await open.get(`http://127.0.0.1:${port}/`, REQUEST);
    expect(body.toString()).toBe('/réservation');
  });

  test('is followed as often as asked, and no further', async () => {
    const port = await serve((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left === 0) response.end('here');
      else response.writeHead(302, { Location: `/${left - 1}` }).end();
    });
    expect((await open.get(`http://127.0.0.1:${port}/2`, REQUEST)).body.toString()).toBe('here');
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/3`, REQUEST))).toBe('too_many_redirects');
  });

  test.each([
    ['http://127.0.0.2/', 'not_public'],
    ['http://[::ffff:169.254.169.254]/latest', 'not_public'],
    ['//0x0a000001/', 'not_public'],
    ['ftp://example.com/', 'bad_address'],
    ['http://user@127.0.0.1/', 'bad_address'],
    ['http://[', 'bad_address'],
  ])('to %s ends as %s', async (location, fault) => {
    const port = await serve(
      (_request, response) => void response.writeHead(307, { Location: location }).end(),
    );
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, REQUEST))).toBe(fault);
  });
});

describe('a call ends', () => {
  test('when the body is longer than its bound, however long it says it is', async () => {
    const port = await serve((_request, response) => {
      const more = () => response.write('x'.repeat(600)) && setImmediate(more);
      more();
      response.on('error', () => undefined);
    });
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, REQUEST))).toBe('too_large');
  });

  test.each<[string, RequestListener]>([
    ['silent', () => undefined],
    ['dripping', (_request, response) => void setInterval(() => response.write('x'), 50).unref()],
  ])('in time when the server is %s', async (_title, listener) => {
    const port = await serve(listener);
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, { ...REQUEST, timeoutMs: 200 }))).toBe(
      'timeout',
    );
  });

  test.each([
    ['switches protocols', UPGRADE],
    ['closes after an interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['closes within the head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['closes within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
    ['closes within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf'],
  ])('when the server %s', async (_title, answer) => {
    const port = await serve((_request, response) => void response.socket?.end(answer));
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, REQUEST))).toBe('unreachable');
  });

  test('when interim responses do not end, before they hold the event loop', async () => {
    let responses = 0;
    const port = await serve(({ socket }) => {
      const flood = () => {
        if (socket.destroyed || responses > 500_000) return;
        responses += 1_000;
        if (socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000))) setImmediate(flood);
        else socket.once('drain', flood);
      };
      socket.on('error', () => undefined);
      flood();
    });
    const fault = { fault: 'unreachable', message: 'More than 20 interim responses.' };
    await expect(open.get(`http://127.0.0.1:${port}/`, REQUEST)).rejects.toMatchObject(fault);
    expect(responses).toBeLessThan(500_000);
    const post = { body: '{}', timeoutMs: 2_000, keptBytes: 16 };
    await expect(open.post(`http://127.0.0.1:${port}/`, post)).rejects.toMatchObject(fault);
  });

  test('but not for some interim responses', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'.repeat(20);
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    const port = await serve((_request, response) => void response.socket?.end(hints + answer));
    const { status, body } = await open.get(`http://127.0.0.1:${port}/`, REQUEST);
    expect([status, body.toString()]).toEqual([200, 'ok']);
  });

  test('when the body comes in countless chunks, although they are small together', async () => {
    const chunks = `${'1\r\nx\r\n'.repeat(100_000)}0\r\n\r\n`;
    const port = await serve(
      ({ socket }) =>
        void socket
          .on('error', () => undefined)
          .end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`),
    );
    const request = { ...REQUEST, maxBytes: 1_000_000 };
    await expect(open.get(`http://127.0.0.1:${port}/`, request)).rejects.toMatchObject({
      fault: 'too_large',
      message: 'More than 10000 chunks.',
    });
  });

  test('with a message that is bounded, however long the address at fault is', async () => {
    const location = `ftp://example.com/${'x'.repeat(5_000)}`;
    const port = await serve((_request, response) => void response.writeHead(302, { location }).end());
    const error = await open.get(`http://127.0.0.1:${port}/`, REQUEST).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ fault: 'bad_address', message: location.slice(0, 500) });
  });

  test('and leaves no connection open when a redirect has an endless body, or a server keeps an upgraded one', async () => {
    const gone: Promise<unknown>[] = [];
    const port = await serve(({ url, socket }, response) => {
      gone.push(new Promise((resolve) => socket.once('close', resolve)));
      if (url === '/upgrade') socket.write(UPGRADE);
      else if (url === '/') response.writeHead(302, { Location: '/upgrade' }).write('x'.repeat(100_000));
    });
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, REQUEST))).toBe('unreachable');
    expect(gone).toHaveLength(2);
    await Promise.all(gone);
  });

  test('when its signal is aborted', async () => {
    const stopping = new AbortController();
    const port = await serve(() => stopping.abort());
    const request = { ...REQUEST, signal: stopping.signal };
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, request))).toBe('timeout');
  });

  test('when nothing listens, or the server speaks no HTTP or TLS', async () => {
    const port = await serve((_request, response) => response.socket?.end('220 mail\r\n'));
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, REQUEST))).toBe('unreachable');
    expect(await faultOf(open.get(`https://127.0.0.1:${port}/`, REQUEST))).not.toBe('answered');
    servers.pop()!.close();
    expect(await faultOf(open.get(`http://127.0.0.1:${port}/`, REQUEST))).toBe('unreachable');
  });
});

describe('a POST', () => {
  const POST = { body: '{}', timeoutMs: 5_000, keptBytes: 16 };

  test('to http is refused unless the address is opened, whatever else is public', async () => {
    expect(await faultOf(closed.post('http://1.1.1.1/', POST))).toBe('not_encrypted');
    expect(await faultOf(closed.post('http://example.com/', POST))).toBe('not_encrypted');
    expect(await faultOf(createOutbound(['10.0.0.0/8']).post('http://localhost/', POST))).toBe(
      'not_encrypted',
    );
    expect(await faultOf(closed.post('https://127.1/', POST))).toBe('not_public');
  });

  test.each([
    ['http://1.1.1.1/', 'not_encrypted'],
    ['https://1.1.1.1/', null],
    ['http://10.0.0.1/', null],
    ['http://10.1.0.1/', 'not_public'],
    ['http://opened.test/', null],
    ['http://public.test/', 'not_encrypted'],
    ['https://public.test/', null],
    ['http://mixed.test/', 'not_encrypted'],
    ['http://nowhere.test/', 'not_encrypted'],
    ['https://nowhere.test/', null],
    ['https://me@public.test/', 'bad_address'],
  ])('to %s is refused beforehand: %s', async (address, fault) => {
    const places: Record<string, string[]> = {
      'opened.test': ['10.0.0.1'],
      'public.test': ['1.1.1.1'],
      'mixed.test': ['10.0.0.1', '1.1.1.1'],
    };
    const resolve = async (name: string) => {
      if (!places[name]) throw new Error('ENOTFOUND');
      return places[name].map((found) => ({ address: found, family: 4 }));
    };
    expect(await createOutbound(['10.0.0.0/24'], resolve).faultOf(address)).toBe(fault);
  });

  test('to a name that leads to this machine at a later look-up is refused then', async () => {
    let lookups = 0;
    const answers = ['192.0.2.1', '127.0.0.1'];
    const resolve = async () => [{ address: answers[Math.min(lookups++, 1)]!, family: 4 }];
    const rebinding = createOutbound(['192.0.2.0/24'], resolve);
    const outcomes = [
      await faultOf(rebinding.post('https://rebind.test/', { ...POST, timeoutMs: 50 })),
      await faultOf(rebinding.post('https://rebind.test/', POST)),
    ];
    expect(['timeout', 'unreachable']).toContain(outcomes[0]);
    expect(outcomes[1]).toBe('not_public');
    expect(lookups).toBe(2);
  });

  test('follows no redirect, and keeps the beginning of an answer that drips', async () => {
    const port = await serve(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { Location: '/' }).end('Elsewhere');
      else response.writeHead(200).write('A drop.');
    });
    const moved = await open.post(`http://127.0.0.1:${port}/moved`, POST);
    expect([moved.status, moved.body.toString()]).toEqual([302, 'Elsewhere']);
    const dripped = await open.post(`http://127.0.0.1:${port}/`, { ...POST, timeoutMs: 1_500 });
    expect([dripped.status, dripped.body.toString()]).toEqual([200, 'A drop.']);
  });
});

describe('a name', () => {
  const GET = { ...REQUEST, timeoutMs: 20_000 };

  /** Counts the timers and questions that are open in this process. */
  const waiting = () =>
    process.getActiveResourcesInfo().filter((name) => /^(Timeout|QueryReqWrap|DNSCHANNEL)$/.test(name))
      .length;

  /** Calls by names that a DNS server of this machine knows. */
  async function openNamed(zone: Zone) {
    const dns = await startDnsServer(zone);
    dnsServers.push(dns);
    return createOutbound(['127.0.0.1', '::1'], createResolveName([dns.server]));
  }

  test('whose DNS server never answers delays no other, and is unknown in the end', async () => {
    const port = await serve((_request, response) => response.end('Here.'));
    const dead = Array.from({ length: 16 }, (_, i) => `dead-${i}.test`);
    const outbound = await openNamed({
      ...Object.fromEntries(dead.map((name) => [name, 'hangs' as const])),
      'alive.test': { a: ['127.0.0.1'] },
    });
    let ended = 0;
    const faults = dead.map((name) =>
      faultOf(outbound.get(`http://${name}/`, GET)).finally(() => {
        ended++;
      }),
    );
    expect((await outbound.get(`http://alive.test:${port}/`, GET)).body.toString()).toBe('Here.');
    // The mail server's name is looked up in this way.
    await lookup('localhost');
    expect(ended).toBe(0);
    expect(new Set(await Promise.all(faults))).toEqual(new Set(['unknown_host']));
  });

  test('that DNS does not know is looked up on this machine', async () => {
    const dns = await startDnsServer({ 'broken.test': 'fails' });
    dnsServers.push(dns);
    const resolve = createResolveName([dns.server]);
    const here = (name: string) => lookup(name, { all: true }).catch(({ code }) => code);
    for (const name of ['localhost', hostname(), 'nowhere.test']) {
      expect(await resolve(name).catch(({ code }) => code)).toEqual(await here(name));
    }
    expect(await faultOf(createOutbound([], resolve).get('http://nowhere.test/', GET))).toBe('unknown_host');
    expect(await faultOf(createOutbound([], resolve).get('http://broken.test/', GET))).toBe('unknown_host');
  });

  const BOTH = { 'both.test': { a: ['192.0.2.1'], aaaa: ['2001:db8:0:0:0:0:0:1'] } };

  test('whose AAAA records are not answered resolves by the others, without a second question', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked: (string | undefined)[] = [];
    const dns = await startDnsServer(BOTH, {
      heard(type) {
        asked.push(type);
        if (type === 'AAAA') return released;
      },
    });
    dnsServers.push(dns);
    const before = waiting();
    expect(await createResolveName([dns.server])('both.test')).toEqual([{ address: '192.0.2.1', family: 4 }]);
    expect(asked.sort()).toEqual(['A', 'AAAA']);
    expect(waiting()).toBeLessThanOrEqual(before);
    release();
  });

  test('waits for its A records, without which a machine may reach nothing', async () => {
    let questions = 0;
    const dns = await startDnsServer(BOTH, {
      // The first question is lost, long after the AAAA records have come.
      heard: (type) => (type === 'A' && ++questions === 1 ? new Promise(() => undefined) : undefined),
    });
    dnsServers.push(dns);
    expect(await createResolveName([dns.server])('both.test')).toHaveLength(2);
  });

  test('has the addresses of both families, in whatever order their answers come', async () => {
    for (const later of ['A', 'AAAA']) {
      const dns = await startDnsServer(BOTH, {
        heard: (type) => (type === later ? new Promise(setImmediate) : undefined),
      });
      dnsServers.push(dns);
      const before = waiting();
      expect(await createResolveName([dns.server])('both.test')).toEqual([
        { address: '192.0.2.1', family: 4 },
        { address: '2001:db8::1', family: 6 },
      ]);
      expect(waiting()).toBeLessThanOrEqual(before);
    }
  });

  test('with a private address in the second answer is refused', async () => {
    const zone = { 'mixed.test': { a: ['192.0.2.1'], aaaa: ['0:0:0:0:0:0:0:1'] } };
    const dns = await startDnsServer(zone, {
      heard: (type) => (type === 'AAAA' ? new Promise(setImmediate) : undefined),
    });
    dnsServers.push(dns);
    const outbound = createOutbound([], createResolveName([dns.server]));
    expect(await faultOf(outbound.get('http://mixed.test/', GET))).toBe('not_public');
  });

  test('with a private address among public ones is refused', async () => {
    const outbound = await openNamed({ 'mixed.test': { a: ['192.0.2.1', '127.0.0.1', '10.0.0.1'] } });
    expect(await faultOf(outbound.get('http://mixed.test/', GET))).toBe('not_public');
  });
});
