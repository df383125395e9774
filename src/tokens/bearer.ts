import type { Request, Response } from 'express';
import type { Actor } from '../audit/audit.js';
import { unauthenticated } from '../errors.js';
import { clientIp, clientKey } from '../http/client-ip.js';
import type { Hit } from '../http/limits.js';
import { type Limiter, limitRequest, requirePassing } from '../http/rate-limit.js';
import type { Bearer } from './access.js';
import type { Tokens } from './tokens.service.js';

export type BearerServices = Readonly<{ tokens: Pick<Tokens, 'authenticate'>; limiter: Limiter }>;

/**
 * The bearer of a request's `Authorization: Bearer <token>` header (RFC 6750, section 2.1). An address
 * that has guessed too often is refused before its token is looked at, or a right guess would still show.
 *
 * @throws 401 when the header is missing, of another scheme, or its token is not live; 429 when too many
 * tokens from the client's address were not.
 */
export async function readBearer(request: Request, { tokens, limiter }: BearerServices): Promise<Bearer> {
  const credentials = request.get('authorization');
  // Nothing presented, nothing guessed.
  if (credentials === undefined) throw unauthenticated();
  const failure: Hit = { limit: 'auth-failures', key: clientKey(request) };
  requirePassing([await limiter.peek(failure)]);
  const value = /^Bearer +(\S+)$/i.exec(credentials)?.[1];
  const bearer = value ? await tokens.authenticate(value) : null;
  if (bearer) return bearer;
  requirePassing(await limiter.consume(failure));
  throw unauthenticated();
}

/**
 * The bearer of a call to the token and directory endpoints, which share one limit per token.
 *
 * @throws as `readBearer`, and 429 when the token has called too often.
 */
export async function readIntegrator(
  request: Request,
  response: Response,
  services: BearerServices,
): Promise<Bearer> {
  // What a token opens is its bearer's alone, and is checked anew on each call.
  response.set('Cache-Control', 'no-store');
  const bearer = await readBearer(request, services);
  await limitRequest(response, services.limiter, { limit: 'token-api', key: String(bearer.tokenId) });
  return bearer;
}

/** A bearer as the audit trail names whoever acts through the API. */
export const actorOf = (bearer: Bearer, request: Request): Actor => ({
  userId: bearer.userId,
  channel: 'api',
  ip: clientIp(request),
});
