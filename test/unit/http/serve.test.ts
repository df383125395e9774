import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { type HttpServer, serveHttp } from '../../../src/http/server/serve.js';

let server: HttpServer;
const sockets: Socket[] = [];

async function serve(
  handle: RequestHandler = (_request, response) => response.end('here'),
  options: { readTimeoutMs?: number } = {},
): Promise<void> {
  const address = { host: '127.0.0.1', port: 0, keepAliveS: 75, setting: 'PORT' };
  server = await serveHttp(express().use(handle), { ...address, ...options });
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

test('what is left of a body whose request has been answered gets no answer of its own', async () => {
  await serve();
  const { socket, answer } = open();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n');
  await once(socket, 'data');
  socket.write('no size\r\n');
  expect(await answer).toMatch(ANSWER);
  await server.close();
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

describe('bytes that follow a whole request', () => {
  const head = (...lines: string[]) => ['POST / HTTP/1.1', 'Host: x', ...lines, '', ''].join('\r\n');
  const request = `${head('Content-Length: 9')}{"m":"1"}`;

  /** Answers a request when it has been read whole, and some time has passed. */
  const late: RequestHandler = (received, response) => {
    received.resume().once('end', () => setTimeout(() => response.end('here'), 100));
  };

  test.each([
    ['a few', 'garbage'],
    ['many', 'garbage'.repeat(50_000)],
    ['another request', 'GET / HTTP/9.9\r\n\r\n'],
  ])('%s do not answer it in its place, and it is the last one', async (_many, bytes) => {
    await serve(late);
    const { socket, answer } = open();
    socket.write(`${request}${bytes}`);
    expect(await answer).toMatch(LAST_ANSWER);
    expect((await answer).match(/HTTP\/1\.1/g)).toHaveLength(1);
    await server.close();
  });

  test('do not cut an answer that has begun', async () => {
    await serve((received, response) => {
      received.resume();
      response.writeHead(200, { 'Content-Length': 4 }).write('he');
      setTimeout(() => response.end('re'), 100);
    });
    const { socket, answer } = open();
    socket.write(request);
    await once(socket, 'data');
    socket.write('garbage');
    expect(await answer).toMatch(ANSWER);
    await server.close();
  });

  test('are a 400 when it has been answered, as inside a body', async () => {
    await serve(late);
    const { socket, answer } = open();
    socket.write(request);
    await once(socket, 'data');
    socket.write('garbage');
    expect(await answer).toMatch(
      /^HTTP\/1\.1 200 OK\r\n.*hereHTTP\/1\.1 400 Bad Request\r\n.*"Bad Request\."\}$/s,
    );
    const inside = open();
    inside.socket.write(`${head('Transfer-Encoding: chunked')}garbage`);
    expect(await inside.answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    await server.close();
  });
});

const LARGE = 'a'.repeat(40_000_000);

test('a client that reads nothing of its response is cut', async () => {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  await serve((_request, response) => response.once('close', end).end(LARGE), { readTimeoutMs: 300 });
  const { socket, answer } = open();
  socket.pause();
  ask(socket);
  await ended;
  socket.resume();
  expect((await answer).length).toBeLessThan(LARGE.length);
  await server.close();
});

test('a client that reads slowly but steadily gets its response, and one that waits for it too', async () => {
  const readTimeoutMs = 2_000;
  await serve(
    (request, response) =>
      request.url === '/'
        ? response.setHeader('Connection', 'close').end(LARGE)
        : setTimeout(() => response.setHeader('Connection', 'close').end('late'), 2 * readTimeoutMs),
    { readTimeoutMs },
  );
  const late = open();
  late.socket.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n');
  const slow = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(slow);
  ask(slow);
  let received = 0;
  slow.on('data', (chunk) => {
    received += chunk.length;
    slow.pause();
    setTimeout(() => slow.resume(), 2);
  });
  await once(slow, 'close');
  expect(received).toBeGreaterThan(LARGE.length);
  expect(await late.answer).toMatch(/late$/);
  await server.close();
});
