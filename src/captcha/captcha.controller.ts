import { type Request, Router } from 'express';
import type { Config } from '../config.js';
import { altchaNotEnabled, notFound, originNotAllowed, websiteDisabled, websiteNotFound } from '../errors.js';
import { isOwnOrigin } from '../websites/origin.js';
import type { ServedWebsite, Websites } from '../websites/websites.service.js';
import { readAltchaScript } from './altcha-script.js';
import type { Captcha } from './captcha.service.js';

type Services = {
  config: Pick<Config, 'publicUrl'>;
  websites: Pick<Websites, 'find'>;
  captcha: Pick<Captcha, 'challenge' | 'publicChain'>;
};

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** What a browser needs to solve a website's captcha: its chain, challenges, and the widget's script. */
export function captchaController({ config, websites, captcha }: Services): Router {
  const router = Router();
  const script = readAltchaScript();
  const scriptUrl = script && `${config.publicUrl}/api/captcha/altcha.js?v=${script.hash}`;

  /** @throws 404 or 403 when the website is not served, or the page that asks is not one of its own. */
  async function requireWebsite(request: Request<{ website: string }>): Promise<ServedWebsite> {
    const website = await websites.find(request.params.website);
    if (!website) throw websiteNotFound();
    if (website.disabled) throw websiteDisabled();
    if (!isOwnOrigin(request.get('origin'), website.host)) throw originNotAllowed();
    return website;
  }

  /** `GET /websites/{website}/captcha/altcha/challenge` (interface 4.10). */
  router.get('/websites/:website/captcha/altcha/challenge', async (request, response) => {
    response.set('Cache-Control', 'no-store');
    const challenge = captcha.challenge(await requireWebsite(request));
    if (!challenge) throw altchaNotEnabled();
    response.json(challenge);
  });

  /** `GET /websites/{website}/captcha`: the chain in its order, and where the widget's script is. */
  router.get('/websites/:website/captcha', async (request, response) => {
    const chain = captcha.publicChain(await requireWebsite(request));
    response.set('Cache-Control', 'public, max-age=300, must-revalidate').json({
      chain: chain.map(({ key, type, siteKey }) => ({ key, type, site_key: siteKey })),
      altcha_script: scriptUrl,
    });
  });

  /** `GET /captcha/altcha.js` (interface 4.9). */
  router.get('/captcha/altcha.js', (request, response) => {
    if (!script) throw notFound();
    const { v: wanted = script.hash } = request.query;
    const compressed = request.acceptsEncodings('gzip') === 'gzip';
    response.vary('Accept-Encoding').set({
      // While releases change, the address of one may reach a gateway of the other.
      'Cache-Control': wanted === script.hash ? IMMUTABLE : 'no-store',
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      ETag: `W/"${script.hash}"`,
      ...(compressed && { 'Content-Encoding': 'gzip' }),
    });
    response.send(compressed ? script.gzip : script.plain);
  });

  return router;
}
