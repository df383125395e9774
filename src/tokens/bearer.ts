import type { Request } from 'express';
import { unauthenticated } from '../errors.js';
import type { Bearer, Tokens } from './tokens.service.js';

/**
 * The bearer of a request's `Authorization: Bearer <token>` header (RFC 6750, section 2.1).
 *
 * @throws 401 when the header is missing, of another scheme, or its token is not live.
 */
export async function readBearer(request: Request, tokens: Pick<Tokens, 'authenticate'>): Promise<Bearer> {
  const value = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
  if (!value) throw unauthenticated();
  return tokens.authenticate(value);
}
