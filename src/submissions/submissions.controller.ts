import { type Request, Router } from 'express';
import {
  captchaFailed,
  captchaRequired,
  foreignWebsite,
  formNotFound,
  invalidSignature,
  websiteDisabled,
  websiteNotFound,
} from '../errors.js';
import type { Forms } from '../forms/forms.service.js';
import { parseJsonObject, readBody } from '../http/json-body.js';
import { requireAccess } from '../tokens/access.js';
import { type BearerServices, readBearer } from '../tokens/bearer.js';
import type { ServedWebsite, Websites } from '../websites/websites.service.js';
import type { Submissions } from './submissions.service.js';

type Services = BearerServices & {
  websites: Pick<Websites, 'find'>;
  forms: Pick<Forms, 'findLinked'>;
  submissions: Submissions;
};

/** `POST /websites/{website}/forms/{slug}/submit` (interface 4.7): the checks in their order. */
export function submissionsController(services: Services): Router {
  const { websites, forms, submissions } = services;
  const router = Router();

  /** Who sends: the bearer of a token of the website's team, or a visitor of the website. */
  async function authenticate(request: Request, website: ServedWebsite): Promise<{ tokenId: number | null }> {
    // A visitor's origin and signature are not verified yet, so no visitor is admitted.
    if (request.get('authorization') === undefined) throw invalidSignature();
    const bearer = await readBearer(request, services);
    if (bearer.teamId !== website.teamId) throw foreignWebsite();
    requireAccess(bearer, 'team:submit');
    return { tokenId: bearer.tokenId };
  }

  /** No provider is asked yet, so a website with a chain admits nothing: closed rather than open. */
  function checkCaptcha(request: Request, website: ServedWebsite): void {
    if (website.captchaLinks.length === 0) return;
    throw request.get('x-captcha-token') ? captchaFailed() : captchaRequired();
  }

  router.post('/websites/:website/forms/:slug/submit', readBody, async (request, response) => {
    const website = await websites.find(request.params.website);
    if (!website) throw websiteNotFound();
    if (website.disabled) throw websiteDisabled();
    const { tokenId } = await authenticate(request, website);
    const body = parseJsonObject(request);
    const form = await forms.findLinked(website.id, request.params.slug);
    if (!form) throw formNotFound();
    checkCaptcha(request, website);
    response.json(await submissions.submit({ website, form, body, tokenId }));
  });

  return router;
}
