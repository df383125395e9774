import { Writable } from 'node:stream';
import pino from 'pino';
import type { Logger } from '../../src/lib/telemetry/logger.js';
import { startTestApp, type TestApp } from './app.js';
import { type CaptchaProviders, startCaptchaProviders } from './captcha-providers.js';
import { provision, team, websiteId } from './factories.js';
import { loggedIn, type PanelClient, type PanelData, type PanelError } from './panel.js';

type Answer = Readonly<{ data: PanelData; errors?: PanelError[] }>;

export type CaptchaChains = Readonly<{
  app: TestApp;
  providers: CaptchaProviders;
  owner: PanelClient;
  /** The website whose chain is saved. */
  site: string;
  /** All that the panel has answered to `send` and `save`. */
  answers: readonly string[];
  /** The log, at its finest level. */
  written: readonly string[];
  /** Sends an operation as the owner. */
  send(query: string, variables: object): Promise<Answer>;
  save(links: object[]): Promise<Answer>;
  close(): Promise<void>;
}>;

/** The fields of a step as the panel reads it. */
export const LINK = 'key type position siteKey hasSecret projectId hasApiKey minScore';

const SAVE = `mutation ($site: ID!, $links: [CaptchaLinkInput!]!) {
  saveCaptchaChain(websiteId: $site, links: $links) { ${LINK} }
}`;

/** A chain with a step of each kind. */
export const WHOLE = [
  { key: 'turnstile:main', siteKey: 'site-ts', secret: 'secret-ts' },
  { key: 'hcaptcha:b', siteKey: 'site-hc', secret: 'secret-hc' },
  { key: 'recaptcha_v3:c', siteKey: 'site-v3', secret: 'secret-v3', minScore: 0.7 },
  { key: 'recaptcha_enterprise:d', siteKey: 'site-ent', projectId: 'project-1', apiKey: 'api-key-1' },
  { key: 'altcha' },
];

/** Starts a gateway beside the captcha providers, and keeps what it answers an owner and what it logs. */
export async function startCaptchaChains(): Promise<CaptchaChains> {
  const answers: string[] = [];
  const written: string[] = [];
  const providers = await startCaptchaProviders();
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const app = await startTestApp({
    env: providers.env,
    log: pino({ level: 'trace' }, sink) as unknown as Logger,
  });
  await provision(app.services, [team('acme')]);
  const site = await websiteId(app.services, 'www.acme.test');
  const owner = await loggedIn(app.url, app.services, 'owner@acme.test');

  async function send(query: string, variables: object): Promise<Answer> {
    const answer = await owner.send(query, variables);
    answers.push(JSON.stringify(answer));
    return answer;
  }

  return {
    app,
    providers,
    owner,
    site,
    answers,
    written,
    send,
    save: (links) => send(SAVE, { site, links }),
    async close() {
      await app.close();
      await providers.stop();
    },
  };
}
