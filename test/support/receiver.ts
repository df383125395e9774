import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as a receiver of webhooks got it. */
export type Received = Readonly<{ path: string; headers: IncomingHttpHeaders; body: string; at: number }>;

type Behaviour = (response: ServerResponse, received: Received) => void;

export type Receiver = Readonly<{
  url: string;
  /** Everything that has come, in its order. */
  received: Received[];
  /** The requests that have no answer yet, and the most that there were at once, by path. */
  open: Map<string, number>;
  most: Map<string, number>;
  /** Answers from now on as told, at a path. */
  behave(path: string, behaviour: Behaviour): void;
  /** What has come at a path. */
  at(path: string): Received[];
  close(): Promise<void>;
}>;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Starts a receiver of webhooks on this machine, which answers 204 unless it is told otherwise. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  const open = new Map<string, number>();
  const most = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const count = (open.get(path) ?? 0) + 1;
    open.set(path, count);
    most.set(path, Math.max(count, most.get(path) ?? 0));
    response.on('close', () => open.set(path, open.get(path)! - 1));
    const one = { path, headers: request.headers, body: await bodyOf(request), at: Date.now() };
    received.push(one);
    const behave = behaviours.get(path) ?? ((answer: ServerResponse) => answer.writeHead(204).end());
    behave(response, one);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    open,
    most,
    behave: (path, behaviour) => void behaviours.set(path, behaviour),
    at: (path) => received.filter((one) => one.path === path),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
