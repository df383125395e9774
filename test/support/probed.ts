import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from './app.js';

/**
 * What a page answers with; may be changed while it is served. Any path but that of `location` redirects there; with
 * `isUpgrade` the server switches to another protocol, unasked.
 */
type PageAnswer = {
  status: number;
  html: string | Buffer;
  contentType?: string;
  location?: string;
  isUpgrade?: boolean;
  /** What other paths have. */
  others?: Readonly<Record<string, string>>;
};

export type ServedPage = Readonly<{ host: string; answer: PageAnswer; close(): Promise<void> }>;

/** Serves a page of a website on this machine, at any path. */
export async function servePage(): Promise<ServedPage> {
  const answer: PageAnswer = { status: 200, html: '' };
  const server = createServer(({ url }, response) => {
    const { status, html, contentType = 'text/html', location, isUpgrade, others } = answer;
    if (isUpgrade) {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    } else if (location !== undefined && url !== location)
      response.writeHead(302, { Location: location }).end();
    else response.writeHead(status, { 'Content-Type': contentType }).end(others?.[url ?? ''] ?? html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The page that an agency would make, with the script for a website. */
export const pageWithScript = (publicUrl: string, websiteId: string): string =>
  `<!doctype html><title>Contact</title><div data-formgate="contact"></div>
   <script src="${publicUrl}/formgate.js" data-website="${websiteId}" async></script>`;

/** Settings of a gateway that listens at its PUBLIC_URL and may call pages on this machine. */
export async function reachableEnv(): Promise<Record<string, string>> {
  const PORT = String(await freePort());
  return { PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}`, OUTBOUND_ALLOW: '127.0.0.1' };
}

/** A gateway with a worker that can probe: visitors' requests reach it at its PUBLIC_URL. */
export async function startProbingApp({
  env,
  ...options
}: NonNullable<Parameters<typeof startTestApp>[0]> = {}): Promise<TestApp> {
  return startTestApp({ worker: true, ...options, env: { ...(await reachableEnv()), ...env } });
}
