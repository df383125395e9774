import { type Answer, ask } from './ask.js';
import { type Attempt, refused, type Verdict } from './provider.js';

/** Error codes of a provider for a wrong secret of ours rather than a wrong token of the visitor's. */
export const SECRET_CODES: ReadonlySet<unknown> = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
]);

export const errorCodes = (body: Answer['body']): readonly unknown[] =>
  Array.isArray(body['error-codes']) ? body['error-codes'] : [];

/** Posts a form to a `siteverify` endpoint, the protocol that three of the providers share. */
export function postSiteverify(
  url: string,
  { secret, attempt, extra }: { secret: string; attempt: Attempt; extra?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Answer | Verdict> {
  const { token, clientIp } = attempt;
  const form = new URLSearchParams({ secret, response: token, remoteip: clientIp, ...extra });
  return ask({ url, contentType: 'application/x-www-form-urlencoded', body: form.toString(), signal });
}

/** Returns why an answer of `siteverify` is no clean success; null when it is one. */
export function siteverifyFault({ ok, body }: Answer): Verdict | null {
  if (errorCodes(body).some((code) => SECRET_CODES.has(code))) return refused('secret_refused');
  if (!ok) return refused('client_error');
  return body.success === true ? null : refused('rejected');
}
