import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import express from 'express';
import { messageClasses } from '../../../src/http/server/message-classes.js';

test('requests and responses have the prototypes of the app before Express sees them', async () => {
  const app = express();
  const prototypes: object[][] = [];
  const note = (...messages: object[]) => prototypes.push(messages.map(Object.getPrototypeOf));
  app.get('/', (request, response) => {
    note(request, response);
    response.set('X-Page', request.get('x-page')).json({ app: request.app === app && response.app === app });
  });
  const server = createServer(messageClasses(app), (request, response) => {
    note(request, response);
    app(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Page': 'contact' } });

  expect(answer.headers.get('x-page')).toBe('contact');
  expect(await answer.json()).toEqual({ app: true });
  const [atFirst, inTheApp] = prototypes;
  expect(atFirst![0]).toBe(inTheApp![0]);
  expect(atFirst![1]).toBe(inTheApp![1]);
  server.close();
});
