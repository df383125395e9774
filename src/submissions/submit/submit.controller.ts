import { type Request, type Response, Router } from 'express';
import type { Captcha, PendingCaptcha } from '../../captcha/captcha.service.js';
import { createBatcher } from '../../db/batcher.js';
import { ApiError, foreignWebsite, formNotFound, websiteDisabled } from '../../errors.js';
import type { Forms, LinkedForm } from '../../forms/serving/forms.service.js';
import { readContext } from '../../forms/validation/context-fields.js';
import { clientIp, clientKey } from '../../http/client-ip.js';
import { parseJsonObject, readBody } from '../../http/json-body.js';
import type { Hit } from '../../http/limits.js';
import { type Limiter, tellStandings } from '../../http/rate-limit.js';
import { sendJson } from '../../http/send-json.js';
import { requireAccess } from '../../tokens/access.js';
import { type BearerServices, readBearer } from '../../tokens/bearer.js';
import { requireOwnOrigin } from '../../websites/origin.js';
import { readWebsite, type WebsiteServices } from '../../websites/requested-website.js';
import type { Signatures } from '../../websites/signatures.service.js';
import { isServed, type ServedWebsite } from '../../websites/websites.service.js';
import { readIdempotency } from './idempotency.js';
import { WORTH_A_RECORD } from './record.js';
import type { SubmissionResult, Submissions, TakeUnit } from './submit.js';

type Services = BearerServices & {
  limiter: Limiter;
  websites: WebsiteServices['websites'];
  signatures: Pick<Signatures, 'verify' | 'requireCurrent'>;
  forms: Pick<Forms, 'findLinked'>;
  captcha: Pick<Captcha, 'check'>;
  submissions: Submissions;
};

type Params = { website: string; slug: string };

declare module 'node:http' {
  /** Node joins what is sent twice. Express's `get` makes each name lower-case, and V8 then has to look it up. */
  interface IncomingHttpHeaders {
    'idempotency-key'?: string;
    'x-captcha-provider'?: string;
    'x-captcha-token'?: string;
    'x-website-signature'?: string;
    'x-website-timestamp'?: string;
  }
}

/** Who sends: an integration by its token, or a visitor by a page's signature, with the stored key that made it. */
type Sender =
  | Readonly<{ tokenId: number; storedSignatureKey: null }>
  | Readonly<{ tokenId: null; storedSignatureKey: string }>;

/**
 * Least time between two groups of submissions that set out; who comes in between goes with the next. So under load
 * several share a round trip to Redis, a statement and a job. Once they are worth one there is little more to share.
 */
const SPACING_MS = 4;

/** As many as Redis counts in one script. */
const MAX_TOGETHER = 100;

/** Whether a request comes from an integration rather than from a visitor's browser. */
const hasToken = ({ headers }: Request<Params>): boolean => headers.authorization !== undefined;

/** `POST /websites/{website}/forms/{slug}/submit` (interface 4.7): the checks in their order. */
export function submissionsController(services: Services): Router {
  const { limiter, signatures, forms, captcha, submissions } = services;
  const router = Router();
  const setOut = createBatcher<void, void>({
    work: async (those) => those.map(() => undefined),
    maxSize: MAX_TOGETHER,
    atOnce: 1,
    spacingMs: SPACING_MS,
    enough: WORTH_A_RECORD,
  });

  /**
   * Interface 8, `api-submit`: counts the request for its address and website, and looks at the website's budget of
   * the hour, which only what is recorded uses up. Tokens and visitors have one each.
   *
   * @returns what takes a unit of the budget.
   */
  async function requireWithinLimits(
    request: Request<Params>,
    response: Response,
    { id, submissionsPerMinute, submissionsPerHour }: ServedWebsite,
  ): Promise<TakeUnit> {
    const sender = hasToken(request) ? 'tokens' : 'visitors';
    const budget: Hit = { limit: 'api-submit-hourly', key: `${id} ${sender}`, quota: submissionsPerHour };
    const standings = await limiter.admit(
      { limit: 'api-submit', key: `${clientKey(request)} ${id}`, quota: submissionsPerMinute },
      budget,
    );
    tellStandings(response, standings);
    return async () => {
      const { standing, giveBack } = await limiter.take(budget);
      tellStandings(response, [standings[0]!, standing]);
      return giveBack;
    };
  }

  /** The holder of a suspended team's token is told by `authenticate` what is wrong. */
  function requireEnabled(request: Request<Params>, website: ServedWebsite): void {
    const isEnabled = hasToken(request) ? !website.disabled : isServed(website);
    if (!isEnabled) throw websiteDisabled();
  }

  /** Who sends: the bearer of a token of the website's team, or a visitor of the website. */
  async function authenticate(request: Request<Params>, website: ServedWebsite): Promise<Sender> {
    if (!hasToken(request)) {
      return { tokenId: null, storedSignatureKey: await requireVisitor(request, website) };
    }
    const bearer = await readBearer(request, services);
    if (bearer.teamId !== website.teamId) throw foreignWebsite();
    requireAccess(bearer, 'team:submit');
    return { tokenId: bearer.tokenId, storedSignatureKey: null };
  }

  function requireVisitor(request: Request<Params>, website: ServedWebsite): Promise<string> {
    const { headers } = request;
    requireOwnOrigin(headers.origin, website);
    const signature = headers['x-website-signature'];
    const timestamp = headers['x-website-timestamp'];
    return signatures.verify(website, { signature, timestamp });
  }

  async function findForm({ params }: Request<Params>, website: ServedWebsite): Promise<LinkedForm> {
    const form = await forms.findLinked(website, params.slug);
    if (!form) throw formNotFound();
    return form;
  }

  /** What can be told of the captcha without asking a provider; the rest when the fields are valid. */
  function checkCaptcha(
    request: Request<Params>,
    response: Response,
    website: ServedWebsite,
    { hasBearer, fallbackToken }: { hasBearer: boolean; fallbackToken: string | null },
  ): Promise<PendingCaptcha> {
    return captcha.check({
      website,
      hasBearer,
      token: request.headers['x-captcha-token'],
      provider: request.headers['x-captcha-provider'],
      fallbackToken,
      requestId: response.locals.requestId,
      clientIp: clientIp(request),
      userAgent: request.headers['user-agent'],
    });
  }

  async function accept(
    request: Request<Params>,
    response: Response,
    { website, sender, takeUnit }: { website: ServedWebsite; sender: Sender; takeUnit: TakeUnit },
  ): Promise<SubmissionResult> {
    const body = parseJsonObject(request);
    const form = await findForm(request, website);
    const idempotency = readIdempotency(request.headers['idempotency-key'], body, sender.tokenId);
    // Only what is recorded finds out by itself whether the signature's key is still the website's.
    if (idempotency && sender.storedSignatureKey)
      await signatures.requireCurrent(website.id, sender.storedSignatureKey);
    return submissions.once({ website, form, idempotency }, async () => {
      const { tokenId, storedSignatureKey } = sender;
      const about = readContext(body);
      const pending = await checkCaptcha(request, response, website, {
        hasBearer: tokenId !== null,
        fallbackToken: about.context.captchaFallback,
      });
      const submitted = {
        website,
        form,
        body,
        about,
        tokenId,
        storedSignatureKey,
        idempotency,
        captcha: pending,
        takeUnit,
      };
      return submissions.submit(submitted);
    });
  }

  /** A signature that has ended meanwhile is told before anything else is. */
  async function refuse(
    error: unknown,
    { id }: ServedWebsite,
    { storedSignatureKey }: Sender,
  ): Promise<never> {
    if (storedSignatureKey && error instanceof ApiError)
      await signatures.requireCurrent(id, storedSignatureKey);
    throw error;
  }

  router.post('/api/websites/:website/forms/:slug/submit', async (request: Request<Params>, response) => {
    await readBody(request);
    await setOut();
    const website = await readWebsite(request, response, services);
    const takeUnit = await requireWithinLimits(request, response, website);
    requireEnabled(request, website);
    const sender = await authenticate(request, website);
    const result = await accept(request, response, { website, sender, takeUnit }).catch((error) =>
      refuse(error, website, sender),
    );
    sendJson(response, JSON.stringify(result));
  });

  return router;
}
