import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import { type HttpServer, serveHttp } from '../../../src/http/server/serve.js';

let server: HttpServer;
const sockets: Socket[] = [];

async function serve(): Promise<void> {
  const address = { host: '127.0.0.1', port: 0, keepAliveS: 75, setting: 'PORT' };
  const app = express().use((_request, response) => response.end('here'));
  server = await serveHttp(app, address);
}

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection of its own, and everything that it receives until it ends. */
function open(): { socket: Socket; answer: Promise<string> } {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const answer = new Promise<string>((resolve) => {
    socket.once('error', (error) => resolve(`${received}${error.message}`));
    socket.once('close', () => resolve(received));
  });
  return { socket, answer };
}

const ask = (socket: Socket) => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');

/** As a machine that has other things to do. */
function holdUp(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Resolves when no new connection is taken. */
async function refusing(): Promise<void> {
  for (;;) {
    const { socket, answer } = open();
    socket.once('connect', () => socket.destroy());
    if ((await answer).includes('ECONNREFUSED')) return;
  }
}

const ANSWER = /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nhere$/s;
const LAST_ANSWER = /Connection: close\r\n.*\r\n\r\nhere$/s;

test('a connection made before the server closes is answered, accepted by then or not', async () => {
  await serve();
  const opened = Array.from({ length: 30 }, open);
  for (const { socket } of opened) ask(socket);
  // The connections are made when this turn ends, and wait for the server to take them.
  const closed = nextTurn().then(() => server.close());
  for (const { answer } of opened) expect(await answer).toMatch(ANSWER);
  await closed;
  expect(await open().answer).toMatch(/ECONNREFUSED/);
});

test('a request over an idle connection is answered, although the event loop was blocked when it arrived', async () => {
  await serve();
  const { socket, answer } = open();
  ask(socket);
  await once(socket, 'data');
  const closed = server.close();
  await refusing();
  ask(socket);
  holdUp(700);
  expect(await answer).toMatch(LAST_ANSWER);
  await closed;
});
