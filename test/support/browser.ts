import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';

/** Chromium takes one list of features that are off, and Playwright's own would be lost: these are its. */
const PLAYWRIGHT_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/**
 * The address bar's suggestions are pages too. Each window would load them, which costs as much as one of the panel.
 */
const SUGGESTIONS = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'];

/** Chromium without a screen, which asks nobody on the net for anything. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      `--disable-features=${[...PLAYWRIGHT_OFF, ...SUGGESTIONS]}`,
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ],
  });

export type Pages = Readonly<{ port: number; stop(): Promise<void> }>;

/** A page by its address, with headers beside the content type. */
type PageOf = (path: string) => Readonly<{ html: string; headers?: Record<string, string> }>;

const samePage: PageOf = () => ({ html: '<!doctype html><title>Page</title>' });

/** A website of its own origin, under the names of this machine. */
export async function servePages(pageOf: PageOf = samePage): Promise<Pages> {
  const server = createServer((request, response) => {
    const { html, headers = {} } = pageOf(request.url ?? '/');
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
