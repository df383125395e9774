import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const TYPES = { A: 1, MX: 15, TXT: 16, AAAA: 28 } as const;

type Type = keyof typeof TYPES;

const NXDOMAIN = 3;
const SERVFAIL = 2;

/** Records of a name; `aaaa` spells addresses in full, as eight groups. */
type Records = Readonly<{
  a?: readonly string[];
  aaaa?: readonly string[];
  txt?: readonly string[];
  mx?: readonly string[];
}>;

/** Records by name; or `'fails'` for a server that cannot answer, and `'hangs'` for one that never does. */
export type Zone = Record<string, Records | 'fails' | 'hangs'>;

/** Writes a domain as labels with their lengths. */
const labels = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** Writes a text as strings of 255 bytes at most. */
function strings(text: string): Buffer {
  const pieces = text.match(/.{1,255}/gs) ?? [''];
  return Buffer.concat(pieces.map((piece) => Buffer.from([piece.length, ...Buffer.from(piece)])));
}

/** Reads the question of a query: its name, its type, and its bytes. */
function questionOf(query: Buffer) {
  const parts: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    parts.push(query.subarray(at + 1, at + 1 + length).toString());
    at += 1 + length;
  }
  return {
    name: parts.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(12, at + 5),
  };
}

const answer = (type: number, data: Buffer): Buffer => {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

/** Answers a query; null: not at all. */
function respond(zone: Zone, query: Buffer): Buffer | null {
  const { name, type, bytes } = questionOf(query);
  const records = zone[name];
  if (records === 'hangs') return null;
  const answers: Buffer[] = [];
  if (records && records !== 'fails') {
    if (type === TYPES.A) {
      answers.push(
        ...(records.a ?? []).map((address) => answer(type, Buffer.from(address.split('.').map(Number)))),
      );
    }
    if (type === TYPES.AAAA) {
      const groups = (address: string) => address.split(':').map((group) => group.padStart(4, '0'));
      answers.push(
        ...(records.aaaa ?? []).map((address) => answer(type, Buffer.from(groups(address).join(''), 'hex'))),
      );
    }
    if (type === TYPES.TXT) answers.push(...(records.txt ?? []).map((text) => answer(type, strings(text))));
    if (type === TYPES.MX) {
      const mx = (host: string) => Buffer.concat([Buffer.from([0, 10]), labels(host)]);
      answers.push(...(records.mx ?? []).map((host) => answer(type, mx(host))));
    }
  }
  const code = records === 'fails' ? SERVFAIL : records ? 0 : NXDOMAIN;
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers.length, 6);
  return Buffer.concat([head, bytes, ...answers]);
}

type Options = Readonly<{
  /** Is called with each question; its answer is held back until what this returns has resolved. */
  heard?(type: Type | undefined): Promise<void> | void;
}>;

/** A DNS server over UDP on this machine, whose zone may be changed while it runs. */
export async function startDnsServer(zone: Zone = {}, { heard }: Options = {}) {
  const socket = createSocket('udp4');
  let isOpen = true;
  socket.on('message', async (query, { address, port }) => {
    const { type } = questionOf(query);
    await heard?.((Object.keys(TYPES) as Type[]).find((name) => TYPES[name] === type));
    const response = respond(zone, query);
    if (response && isOpen) socket.send(response, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  return {
    server: `127.0.0.1:${port}`,
    zone,
    stop: () =>
      new Promise<void>((resolve) => {
        isOpen = false;
        socket.close(() => resolve());
      }),
  };
}
