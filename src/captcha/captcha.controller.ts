import { type Request, Router } from 'express';
import type { Config } from '../config.js';
import { altchaNotEnabled, notFound, websiteDisabled } from '../errors.js';
import { FIVE_MINUTES } from '../http/assets/cache-control.js';
import { answerIfKnown, entityTag } from '../http/assets/etag.js';
import { readScript, sendVersionedScript } from '../http/assets/script-file.js';
import { clientKey } from '../http/limits/client-ip.js';
import { limitRequest } from '../http/limits/rate-limit.js';
import { sendJson } from '../http/send-json.js';
import { requireOwnOrigin } from '../websites/origin.js';
import { readWebsite, type WebsiteServices } from '../websites/requested-website.js';
import { isServed, type ServedWebsite } from '../websites/websites.service.js';
import type { Captcha } from './captcha.service.js';

type Services = WebsiteServices & {
  config: Pick<Config, 'publicUrl'>;
  captcha: Pick<Captcha, 'challenge' | 'publicChain'>;
};

/** Serves what a browser needs to solve a website's captcha: its chain, challenges, and the widget's script. */
export function captchaController(services: Services): Router {
  const { config, limiter, captcha } = services;
  const router = Router();
  const script = readScript('altcha.js');
  const scriptUrl = script && `${config.publicUrl}/api/captcha/altcha.js?v=${script.hash}`;

  /** Requires a page of the website. @throws 403 when the website is not served, or the page is not one of its own. */
  function requireOwnPage(request: Request<{ website: string }>, website: ServedWebsite): void {
    if (!isServed(website)) throw websiteDisabled();
    requireOwnOrigin(request.get('origin'), website);
  }

  /** `GET /websites/{website}/captcha/altcha/challenge`. */
  router.get('/api/websites/:website/captcha/altcha/challenge', async (request, response) => {
    response.set('Cache-Control', 'no-store');
    const website = await readWebsite(request, response, services);
    await limitRequest(response, limiter, { limit: 'api-captcha-challenge', key: clientKey(request) });
    requireOwnPage(request, website);
    const challenge = await captcha.challenge(website);
    if (!challenge) throw altchaNotEnabled();
    sendJson(response, JSON.stringify(challenge));
  });

  /** `GET /websites/{website}/captcha`: the chain in its order, and the URL of the widget's script. */
  router.get('/api/websites/:website/captcha', async (request, response) => {
    const website = await readWebsite(request, response, services);
    requireOwnPage(request, website);
    const body = JSON.stringify({
      chain: captcha.publicChain(website).map(({ key, type, siteKey }) => ({ key, type, site_key: siteKey })),
      altcha_script: scriptUrl,
    });
    response.set('Cache-Control', FIVE_MINUTES);
    if (!answerIfKnown(request, response, entityTag([body]))) sendJson(response, body);
  });

  /** `GET /captcha/altcha.js`. */
  router.get('/api/captcha/altcha.js', (request, response) => {
    if (!script) throw notFound();
    // A page whose browser could not load it reads whether the gateway is away.
    response.set('Access-Control-Allow-Origin', '*');
    sendVersionedScript(request, response, script);
  });

  return router;
}
