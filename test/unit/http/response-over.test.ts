import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { whenOver } from '../../../src/http/server/response-over.js';
import { eventually } from '../../support/wait.js';

let server: Server;
let begun = 0;
let over: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    begun += 1;
    whenOver(response, () => over.push(request.url ?? ''));
    if (request.url === '/answered') response.end('here');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => void server.close());

beforeEach(() => {
  begun = 0;
  over = [];
});

const open = (...paths: string[]) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  return socket;
};

test('a response is over once when it has been sent, and its connection goes on', async () => {
  const socket = open('/answered', '/answered');
  await eventually(() => over.length === 2);
  socket.destroy();
  await new Promise((closed) => socket.once('close', closed));
  open('/answered').end();
  await eventually(() => over.length === 3);
});

test('each response of a connection that closes is over, also those that wait behind another', async () => {
  const paths = Array.from({ length: 12 }, (_, n) => `/${n}`);
  const socket = open(...paths);
  await eventually(() => begun === paths.length);
  expect(over).toEqual([]);
  socket.destroy();
  await eventually(() => over.length === paths.length);
  expect(over.sort()).toEqual(paths.sort());
});
