import type { Request, Response } from 'express';
import type { Actor } from '../audit/audit.js';
import { unauthenticated } from '../errors.js';
import { clientIp, clientKey } from '../http/limits/client-ip.js';
import type { Hit } from '../http/limits/limits.js';
import { type Limiter, limitRequest, requirePassing } from '../http/limits/rate-limit.js';
import type { Bearer } from './access.js';
import type { Holder } from './tokens.queries.js';
import type { Tokens } from './tokens.service.js';

export type BearerServices = Readonly<{ tokens: Pick<Tokens, 'authenticate'>; limiter: Limiter }>;

/**
 * Reads the bearer of an `Authorization: Bearer <token>` header (RFC 6750, section 2.1).
 *
 * An address with too many wrong tokens is refused before its token is read, or the answer would reveal a valid one.
 *
 * @throws 401 when the header is missing or of another scheme, or the token is not valid; 429 after too many wrong
 * tokens from the client's address.
 */
export async function readBearer(request: Request, { tokens, limiter }: BearerServices): Promise<Bearer> {
  const credentials = request.get('authorization');
  // A call without a header is no guess, so it is not counted.
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
 * Reads the bearer of a call to the token and directory endpoints, which share one limit per token.
 *
 * @throws the errors of `readBearer`; 429 when the limit of the token is used up.
 */
export async function readIntegrator(
  request: Request,
  response: Response,
  services: BearerServices,
): Promise<Bearer> {
  // The answer depends on the token, whose rights are read anew for each call.
  response.set('Cache-Control', 'no-store');
  const bearer = await readBearer(request, services);
  await limitRequest(response, services.limiter, { limit: 'token-api', key: String(bearer.tokenId) });
  return bearer;
}

/**
 * Counts a token that is about to be created, by REST API or panel: a limit per token alone would grow with each of
 * them.
 *
 * @throws 429 when the holder's limit is used up.
 */
export async function limitCreations(limiter: Limiter, { teamId, userId }: Holder): Promise<void> {
  requirePassing(await limiter.consume({ limit: 'token-creations', key: `${teamId}:${userId}` }));
}

/** Builds the audit trail's actor of a change through the REST API. */
export const actorOf = (bearer: Bearer, request: Request): Actor => ({
  userId: bearer.userId,
  channel: 'api',
  ip: clientIp(request),
});
