import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Behaviour, misbehave } from './captcha-misbehaviour.js';

export type ProviderName = 'recaptcha' | 'recaptchaEnterprise' | 'turnstile' | 'hcaptcha';

/** What a solved widget would have told the provider. */
type Solved = { action?: unknown; hostname?: unknown; score?: unknown; extra?: object };

export type Call = Readonly<{ provider: ProviderName; fields: Record<string, string> }>;

/** What a captcha step has to be configured with to be accepted by the stand-in. */
export const PROVIDER_SETTINGS = {
  recaptcha_v3: { site_key: 'site-v3', secret: 'secret-v3' },
  recaptcha_enterprise: { site_key: 'site-ent', project_id: 'project-1', api_key: 'api-key-1' },
  turnstile: { site_key: 'site-ts', secret: 'secret-ts' },
  hcaptcha: { site_key: 'site-hc', secret: 'secret-hc' },
} as const;

const SECRETS: Record<Exclude<ProviderName, 'recaptchaEnterprise'>, string> = {
  recaptcha: PROVIDER_SETTINGS.recaptcha_v3.secret,
  turnstile: PROVIDER_SETTINGS.turnstile.secret,
  hcaptcha: PROVIDER_SETTINGS.hcaptcha.secret,
};

const PATHS: Record<string, ProviderName> = {
  '/recaptcha/api/siteverify': 'recaptcha',
  '/turnstile/v0/siteverify': 'turnstile',
  '/hcaptcha/siteverify': 'hcaptcha',
};

const FORM = 'application/x-www-form-urlencoded';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

export type CaptchaProviders = Awaited<ReturnType<typeof startCaptchaProviders>>;

/**
 * A stand-in for all four providers that speaks their protocols: form or JSON, their fields, their error
 * codes, tokens that work once. Each can be told to misbehave.
 */
export async function startCaptchaProviders() {
  const solved = new Map<string, Solved & { provider: ProviderName }>();
  const used = new Set<string>();
  const idempotent = new Map<string, unknown>();
  const behaviours = new Map<ProviderName, Behaviour>();
  const calls: Call[] = [];
  const faults: string[] = [];
  let followedRedirects = 0;

  function siteverify(provider: Exclude<ProviderName, 'recaptchaEnterprise'>, fields: URLSearchParams) {
    const failure = (...codes: string[]) => ({ success: false, 'error-codes': codes });
    const secret = fields.get('secret');
    const token = fields.get('response');
    if (!secret) return failure('missing-input-secret');
    if (secret !== SECRETS[provider]) return failure('invalid-input-secret');
    if (!token) return failure('missing-input-response');
    const sitekey = fields.get('sitekey');
    if (provider === 'hcaptcha' && sitekey && sitekey !== PROVIDER_SETTINGS.hcaptcha.site_key) {
      return failure('sitekey-secret-mismatch');
    }
    const key = fields.get('idempotency_key');
    if (key && idempotent.has(key)) return idempotent.get(key);
    if (used.has(token)) return failure('timeout-or-duplicate');
    const solution = solved.get(token);
    if (solution?.provider !== provider) return failure('invalid-input-response');
    used.add(token);
    const { action, hostname, score, extra } = solution;
    const answer = {
      success: true,
      challenge_ts: new Date().toISOString(),
      hostname,
      ...(provider === 'hcaptcha' ? { credit: false } : { action }),
      ...(provider === 'recaptcha' && { score }),
      ...(provider === 'turnstile' && { 'error-codes': [], cdata: '' }),
      ...extra,
    };
    if (key) idempotent.set(key, answer);
    return answer;
  }

  function assess(url: URL, body: string): { status: number; answer: unknown } {
    const refuse = (status: number, reason: string) => ({
      status,
      answer: {
        error: {
          code: status,
          message: 'Refused.',
          status: 'INVALID_ARGUMENT',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' },
          ],
        },
      },
    });
    const { api_key, project_id, site_key } = PROVIDER_SETTINGS.recaptcha_enterprise;
    if (url.searchParams.get('key') !== api_key) return refuse(400, 'API_KEY_INVALID');
    if (url.pathname !== `/v1/projects/${project_id}/assessments`)
      return refuse(403, 'IAM_PERMISSION_DENIED');
    const { event } = JSON.parse(body) as { event: Record<string, string> };
    if (event.siteKey !== site_key) return refuse(400, 'SITE_KEY_INVALID');
    const solution = solved.get(event.token ?? '');
    const invalid = (invalidReason: string) => ({
      status: 200,
      answer: { event, riskAnalysis: { score: 0 }, tokenProperties: { valid: false, invalidReason } },
    });
    if (solution?.provider !== 'recaptchaEnterprise') return invalid('MALFORMED');
    if (used.has(event.token!)) return invalid('DUPE');
    used.add(event.token!);
    const { action, hostname, score, extra } = solution;
    return {
      status: 200,
      answer: {
        event,
        riskAnalysis: { score, reasons: [] },
        tokenProperties: { valid: true, invalidReason: 'INVALID_REASON_UNSPECIFIED', hostname, action },
        ...extra,
      },
    };
  }

  function expectForm(provider: ProviderName, request: IncomingMessage, fields: URLSearchParams): void {
    if (request.method !== 'POST') faults.push(`${provider}: ${request.method}`);
    if (!request.headers['content-type']?.startsWith(FORM)) faults.push(`${provider}: no form`);
    const known = ['secret', 'response', 'remoteip', 'sitekey', 'idempotency_key'];
    for (const name of fields.keys()) if (!known.includes(name)) faults.push(`${provider}: ${name}`);
    for (const [name, value] of fields) {
      if (value === 'undefined' || value === 'null') faults.push(`${provider}: ${name}=${value}`);
    }
    const key = fields.get('idempotency_key');
    if ((provider === 'turnstile') !== (key !== null)) faults.push(`${provider}: idempotency_key ${key}`);
    if (key !== null && !UUID.test(key)) faults.push(`${provider}: idempotency_key is no UUID`);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    if (url.pathname === '/followed') {
      followedRedirects += 1;
      sendJson(response, 200, { success: true, score: 1, action: 'submit' });
      return;
    }
    const body = await readBody(request);
    const provider = url.pathname.startsWith('/v1/') ? 'recaptchaEnterprise' : PATHS[url.pathname];
    if (!provider) throw new Error(`No provider has ${url.pathname}.`);
    const fields = new URLSearchParams(body);
    const isForm = provider !== 'recaptchaEnterprise';
    if (isForm) expectForm(provider, request, fields);
    else if (request.headers['content-type'] !== 'application/json') faults.push('Enterprise: no JSON');
    calls.push({ provider, fields: isForm ? Object.fromEntries(fields) : JSON.parse(body).event });

    if (request.headers.connection !== 'close') faults.push(`${provider}: keeps its connection`);

    const behaviour = behaviours.get(provider) ?? 'normal';
    if (typeof behaviour === 'string' && behaviour.startsWith('internal_error')) {
      if (behaviour === 'internal_error_once') behaviours.set(provider, 'normal');
      if (behaviour === 'internal_error_then_hang') behaviours.set(provider, 'hang');
      sendJson(response, 200, { success: false, 'error-codes': ['internal-error'] });
    } else if (behaviour !== 'normal') await misbehave(behaviour, response);
    else if (isForm) sendJson(response, 200, siteverify(provider, fields));
    else {
      const { status, answer } = assess(url, body);
      sendJson(response, status, answer);
    }
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      faults.push(error.message);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const verifyUrls = {
    recaptcha: `${origin}/recaptcha/api/siteverify`,
    recaptchaEnterprise: `${origin}/v1`,
    turnstile: `${origin}/turnstile/v0/siteverify`,
    hcaptcha: `${origin}/hcaptcha/siteverify`,
  };

  return {
    calls,
    /** What was sent that a real provider would not take. */
    faults,
    followedRedirects: () => followedRedirects,
    verifyUrls,
    /** The environment of a gateway that is to ask this stand-in. */
    env: {
      RECAPTCHA_VERIFY_URL: verifyUrls.recaptcha,
      RECAPTCHA_ENTERPRISE_URL: verifyUrls.recaptchaEnterprise,
      TURNSTILE_VERIFY_URL: verifyUrls.turnstile,
      HCAPTCHA_VERIFY_URL: verifyUrls.hcaptcha,
    },
    /** A token as the provider's widget would give it, good for one verification. */
    issue(provider: ProviderName, solution: Solved = {}, token: string = randomUUID()): string {
      solved.set(token, { provider, action: 'submit', score: 0.9, ...solution });
      return token;
    },
    behave(provider: ProviderName, behaviour: Behaviour): void {
      behaviours.set(provider, behaviour);
    },
    /** Back to normal, with no call remembered. */
    reset(): void {
      behaviours.clear();
      calls.length = 0;
      faults.length = 0;
      followedRedirects = 0;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
