import { createServer, type Server } from 'node:http';
import express, { type Express, type Request, type Response } from 'express';
import type { Services } from '../../services.js';
import { listen } from '../listen.js';
import {
  type Arrival,
  arrivedPage,
  type DemoLanguage,
  type DemoLinks,
  formPage,
  pagePolicy,
  STAND_IN_SCRIPT,
} from './demo-pages.js';
import { DEMO_WEBSITES, provisionDemoWebsites, STAND_IN_SECRET } from './demo-websites.js';

/** A server of the pages of two demo websites, on the loopback interface. */
export type DemoSite = Readonly<{
  /** URL that verifies the demo's reCAPTCHA tokens. */
  verifyUrl: string;
  /** Provisions the websites in the database and opens their pages. */
  open(services: Services, links: Pick<DemoLinks, 'mailPageUrl' | 'isStandInAsked'>): Promise<string | null>;
  stop(): Promise<void>;
}>;

/** Loopback only, because the page of arrivals requires no password. */
const HOST = '127.0.0.1';
const PORT = 8080;

const SHOWN_ARRIVALS = 20;
const PROVIDER_TIMEOUT_MS = 3_000;
const REMEMBERED_TOKENS = 1000;

/** Creates a stand-in for siteverify, which answers the tokens of the demo's captcha step. */
function createStandIn() {
  const used = new Set<string>();
  return (response: unknown) => {
    const refuse = (code: string) => ({ success: false, 'error-codes': [code] });
    if (typeof response !== 'string' || !/^works-[0-9a-f-]{36}$/.test(response)) {
      return refuse('invalid-input-response');
    }
    if (used.has(response)) return refuse('timeout-or-duplicate');
    if (used.size >= REMEMBERED_TOKENS) used.clear();
    used.add(response);
    return { success: true, score: 0.9, action: 'submit', hostname: HOST };
  };
}

/** Forwards the verification of any other captcha step to the real provider, and relays its answer. */
async function askProvider(url: string, fields: Record<string, string>, response: Response): Promise<void> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
    });
    response
      .status(answer.status)
      .type('json')
      .send(await answer.text());
  } catch {
    // Break the connection off when the provider does not answer, so that the gateway gets no answer either.
    response.destroy();
  }
}

async function latestArrivals({ db }: Pick<Services, 'db'>): Promise<Arrival[]> {
  const rows = await db.orm.submission.findMany({
    where: { websiteId: { in: Object.values(DEMO_WEBSITES) }, testRecipient: null },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: SHOWN_ARRIVALS,
    select: {
      id: true,
      locale: true,
      createdAt: true,
      captchaKey: true,
      values: true,
      website: { select: { name: true } },
      notification: { select: { state: true } },
    },
  });
  return rows.map((row) => ({
    id: row.id,
    website: row.website.name,
    locale: row.locale,
    at: row.createdAt,
    captcha: row.captchaKey ?? 'no captcha',
    mail: row.notification?.state ?? 'none',
    values: row.values as Record<string, unknown>,
  }));
}

function createPages(services: Services, links: DemoLinks): Express {
  const app = express();
  app.disable('x-powered-by');
  const policy = pagePolicy(links);
  app.use((_request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });
  const kindOf = (request: Request) => (request.hostname === HOST ? 'chain' : 'plain');
  app.get('/', (request, response) => response.redirect(`${links[kindOf(request)]}/fr/`));
  for (const language of ['fr', 'en'] satisfies DemoLanguage[]) {
    app.get(`/${language}/`, (request, response) => {
      response.send(formPage(kindOf(request), language, links));
    });
  }
  app.get('/stand-in.js', (_request, response) => void response.type('js').send(STAND_IN_SCRIPT));
  app.get('/arrived', async (_request, response) => {
    response.send(arrivedPage(await latestArrivals(services), links));
  });
  return app;
}

/**
 * Starts the demo site: one server, two names, so that each of the two websites has an origin of its own.
 * Until it is opened it only answers verifications.
 *
 * @param recaptchaUrl the verification URL for the tokens of any other website.
 * @param port a free one is taken when it is in use.
 */
export async function startDemoSite({
  recaptchaUrl,
  port = PORT,
}: {
  recaptchaUrl: string;
  port?: number;
}): Promise<DemoSite> {
  const app = express();
  app.disable('x-powered-by');
  let pages: Express | null = null;
  const verify = createStandIn();
  app.post('/stand-in/siteverify', express.urlencoded({ extended: false }), async (request, response) => {
    const fields = (request.body ?? {}) as Record<string, string>;
    if (fields.secret !== STAND_IN_SECRET) await askProvider(recaptchaUrl, fields, response);
    else if (String(fields.response).startsWith('down-'))
      response.status(503).json({ message: 'Down, as asked.' });
    else response.json(verify(fields.response));
  });
  app.use((request, response, next) => {
    // A foreign host name that resolves to this machine (DNS rebinding) must not read the arrivals.
    if (request.hostname !== 'localhost' && request.hostname !== HOST) {
      response.status(403).json({ message: 'Open this page by its own address.' });
    } else if (pages) pages(request, response, next);
    else response.status(503).json({ message: 'The demo is not ready yet.' });
  });
  const server: Server = createServer(app);
  const address = await listen(server, HOST, port);
  const usedPort = address.split(':').at(-1);

  return {
    verifyUrl: `http://${address}/stand-in/siteverify`,
    async open(services, links) {
      // The demo needs these two languages, which an installation may not have.
      if (!['fr', 'en'].every((locale) => services.config.locales.includes(locale))) return null;
      const hosts = { plain: `localhost:${usedPort}`, chain: address };
      await provisionDemoWebsites(services, hosts);
      pages = createPages(services, {
        ...links,
        gateway: services.config.publicUrl,
        plain: `http://${hosts.plain}`,
        chain: `http://${hosts.chain}`,
      });
      return `http://${hosts.plain}/fr/`;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
