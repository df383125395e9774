import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const TYPES = { MX: 15, TXT: 16 };

const piece = (text) => Buffer.from([text.length, ...Buffer.from(text)]);

const labels = (name) => Buffer.concat([...name.split('.').map(piece), Buffer.from([0])]);

function record(type, data) {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function respond(zone, query) {
  let at = 12;
  const parts = [];
  for (let length = query[at]; length > 0; length = query[at]) {
    parts.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const { txt, mx } = zone[parts.join('.').toLowerCase()] ?? {};
  const type = query.readUInt16BE(at + 1);
  const answers = [];
  if (type === TYPES.TXT && txt) answers.push(record(type, piece(txt)));
  if (type === TYPES.MX && mx) answers.push(record(type, Buffer.concat([Buffer.from([0, 10]), labels(mx)])));
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(txt || mx ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers.length, 6);
  return Buffer.concat([head, query.subarray(12, at + 5), ...answers]);
}

/** Serves DNS records of a zone over UDP: for each name a text, or a mail exchange. */
export async function serveNames(zone) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => socket.send(respond(zone, query), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}
