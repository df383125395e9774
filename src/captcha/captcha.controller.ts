import { type Request, Router } from 'express';
import type { Config } from '../config.js';
import { altchaNotEnabled, notFound, websiteDisabled, websiteNotFound } from '../errors.js';
import { clientKey } from '../http/client-ip.js';
import { entityTag } from '../http/etag.js';
import { type Limiter, limitRequest } from '../http/rate-limit.js';
import { readScript, sendVersionedScript } from '../http/script-file.js';
import { sendJson } from '../http/send-json.js';
import { requireOwnOrigin } from '../websites/origin.js';
import { isServed, type ServedWebsite, type Websites } from '../websites/websites.service.js';
import type { Captcha } from './captcha.service.js';

type Services = {
  config: Pick<Config, 'publicUrl'>;
  limiter: Pick<Limiter, 'consume'>;
  websites: Pick<Websites, 'find'>;
  captcha: Pick<Captcha, 'challenge' | 'publicChain'>;
};

/** What a browser needs to solve a website's captcha: its chain, challenges, and the widget's script. */
export function captchaController({ config, limiter, websites, captcha }: Services): Router {
  const router = Router();
  const script = readScript('altcha.js');
  const scriptUrl = script && `${config.publicUrl}/api/captcha/altcha.js?v=${script.hash}`;

  async function findWebsite(id: string): Promise<ServedWebsite> {
    const website = await websites.find(id);
    if (!website) throw websiteNotFound();
    return website;
  }

  /** @throws 403 when the website serves nobody, or the page that asks is not one of its own. */
  function requireOwnPage(request: Request<{ website: string }>, website: ServedWebsite): void {
    if (!isServed(website)) throw websiteDisabled();
    requireOwnOrigin(request.get('origin'), website);
  }

  /** `GET /websites/{website}/captcha/altcha/challenge` (interface 4.10). */
  router.get('/api/websites/:website/captcha/altcha/challenge', async (request, response) => {
    response.set('Cache-Control', 'no-store');
    const website = await findWebsite(request.params.website);
    await limitRequest(response, limiter, { limit: 'api-captcha-challenge', key: clientKey(request) });
    requireOwnPage(request, website);
    const challenge = await captcha.challenge(website);
    if (!challenge) throw altchaNotEnabled();
    sendJson(response, JSON.stringify(challenge));
  });

  /** `GET /websites/{website}/captcha`: the chain in its order, and where the widget's script is. */
  router.get('/api/websites/:website/captcha', async (request, response) => {
    const website = await findWebsite(request.params.website);
    requireOwnPage(request, website);
    const answer = {
      chain: captcha.publicChain(website).map(({ key, type, siteKey }) => ({ key, type, site_key: siteKey })),
      altcha_script: scriptUrl,
    };
    response
      .set('Cache-Control', 'public, max-age=300, must-revalidate')
      .set('ETag', entityTag([JSON.stringify(answer)]))
      .json(answer);
  });

  /** `GET /captcha/altcha.js` (interface 4.9). */
  router.get('/api/captcha/altcha.js', (request, response) => {
    if (!script) throw notFound();
    sendVersionedScript(request, response, script);
  });

  return router;
}
