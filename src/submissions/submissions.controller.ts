import { type Request, Router } from 'express';
import type { Captcha } from '../captcha/captcha.service.js';
import {
  foreignWebsite,
  formNotFound,
  invalidSignature,
  websiteDisabled,
  websiteNotFound,
} from '../errors.js';
import { readContext } from '../forms/context-fields.js';
import type { Forms } from '../forms/forms.service.js';
import { parseJsonObject, readBody } from '../http/json-body.js';
import { readBearer } from '../tokens/bearer.js';
import { requireAccess, type Tokens } from '../tokens/tokens.service.js';
import type { ServedWebsite, Websites } from '../websites/websites.service.js';
import type { Submissions } from './submissions.service.js';

type Services = {
  tokens: Pick<Tokens, 'authenticate'>;
  websites: Pick<Websites, 'find'>;
  forms: Pick<Forms, 'findLinked'>;
  captcha: Pick<Captcha, 'check'>;
  submissions: Submissions;
};

/** `POST /websites/{website}/forms/{slug}/submit` (interface 4.7): the checks in their order. */
export function submissionsController({ tokens, websites, forms, captcha, submissions }: Services): Router {
  const router = Router();

  /** Who sends: the bearer of a token of the website's team, or a visitor of the website. */
  async function authenticate(request: Request, website: ServedWebsite): Promise<{ tokenId: number | null }> {
    // A visitor's origin and signature are not verified yet, so no visitor is admitted.
    if (request.get('authorization') === undefined) throw invalidSignature();
    const bearer = await readBearer(request, tokens);
    if (bearer.teamId !== website.teamId) throw foreignWebsite();
    requireAccess(bearer, 'team:submit');
    return { tokenId: bearer.tokenId };
  }

  router.post('/websites/:website/forms/:slug/submit', readBody, async (request, response) => {
    const website = await websites.find(request.params.website);
    if (!website) throw websiteNotFound();
    if (website.disabled) throw websiteDisabled();
    const { tokenId } = await authenticate(request, website);
    const body = parseJsonObject(request);
    const form = await forms.findLinked(website.id, request.params.slug);
    if (!form) throw formNotFound();
    const decideCaptcha = await captcha.check({
      website,
      hasBearer: tokenId !== null,
      token: request.get('x-captcha-token'),
      provider: request.get('x-captcha-provider'),
      fallbackToken: readContext(body).context.captchaFallback,
      requestId: response.locals.requestId,
      clientIp: request.ip,
      userAgent: request.get('user-agent'),
    });
    response.json(await submissions.submit({ website, form, body, tokenId, decideCaptcha }));
  });

  return router;
}
