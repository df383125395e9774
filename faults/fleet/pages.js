import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

/** One website in so many is served over https. */
const SECURE_EVERY = 3;

const CERTIFICATE_DAYS = 90;

/** Each website has an address of its own, since a team has each host once; Linux answers on all of 127.0.0.0/8. */
const addressOf = (number) => `127.0.${10 + Math.floor(number / 250)}.${1 + (number % 250)}`;

/** The page that an agency makes, with the script for a website. */
export const pageWithScript = (publicUrl, websiteId) =>
  `<!doctype html><title>Contact</title><div data-formgate="contact"></div>
   <script src="${publicUrl}/formgate.js" data-website="${websiteId}" async></script>`;

async function openPage({ address, credentials }) {
  const page = { html: '', requests: 0 };
  const answer = (_request, response) => {
    page.requests += 1;
    response.setHeader('content-type', 'text/html').end(page.html);
  };
  const server = credentials ? createSecureServer(credentials, answer) : createServer(answer);
  server.on('tlsClientError', () => undefined);
  server.listen(0, address);
  await once(server, 'listening');
  const host = `${address}:${server.address().port}`;
  return Object.assign(page, {
    address,
    host,
    url: `${credentials ? 'https' : 'http'}://${host}`,
    isSecure: Boolean(credentials),
    /** Later connections get another certificate. */
    certify: (next) => server.setSecureContext(next),
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}

/** Serves the pages of as many websites, each at an address of its own. */
export async function servePages(count, authority) {
  const places = Array.from({ length: count }, (_, number) => ({
    address: addressOf(number),
    isSecure: number % SECURE_EVERY === 0,
  }));
  const secured = places.filter(({ isSecure }) => isSecure).map(({ address }) => address);
  const credentials = await authority.issue(secured, CERTIFICATE_DAYS);
  const pages = await Promise.all(
    places.map(({ address, isSecure }) => openPage({ address, credentials: isSecure ? credentials : null })),
  );
  return {
    pages,
    credentials,
    close() {
      for (const page of pages) page.close();
    },
  };
}
