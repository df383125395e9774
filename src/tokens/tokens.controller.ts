import { type Request, type Response, Router } from 'express';
import { ApiError, foreignOrganization, invalid, tokenNotFound } from '../errors.js';
import { hasBytes, type JsonObject, parseJsonObject, readBody } from '../http/json-body.js';
import { MAX_INT } from '../lib/max-int.js';
import { type Bearer, requireManager } from './access.js';
import { actorOf, type BearerServices, limitCreations, readIntegrator } from './bearer.js';
import { nameFault } from './token-name.js';
import type { ListedToken, Tokens } from './tokens.service.js';

type Services = BearerServices & Readonly<{ tokens: Tokens }>;

/** ISO 8601 in UTC with six fraction digits. Instants are read to the millisecond, so the last three are 0. */
const timestamp = (date: Date): string => date.toISOString().replace('Z', '000Z');

/** Formats a token as the listing has it. */
const presentToken = (token: ListedToken) => ({
  id: token.id,
  name: token.name,
  team_id: token.teamId,
  abilities: token.abilities,
  created_at: timestamp(token.createdAt),
  last_used_at: token.lastUsedAt && timestamp(token.lastUsedAt),
  expires_at: token.expiresAt && timestamp(token.expiresAt),
});

/** Parses the id in a path. @throws 404 when no token can have it. */
function tokenIdOf(text: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id <= MAX_INT)) throw tokenNotFound();
  return id;
}

/**
 * Reads the body of `POST /tokens`: the trimmed name.
 *
 * @throws 403 when `team_id` is another organization, before the check of the other fields; 422.
 */
function readName(body: JsonObject, teamId: number): string {
  const wanted = body.team_id ?? teamId;
  if (Number.isInteger(wanted) && wanted !== teamId) {
    throw foreignOrganization();
  }
  const name = typeof body.name === 'string' ? body.name.trim() : body.name;
  const fault = nameFault(name);
  const errors = {
    ...(fault && { name: [fault] }),
    ...(!Number.isInteger(wanted) && { team_id: ['The team_id must be an integer.'] }),
  };
  if (typeof name !== 'string' || Object.keys(errors).length > 0) throw invalid(errors);
  return name;
}

/** Turns the refusal of one token too many into the field error that a client of `POST /tokens` expects. */
function toFieldError(error: unknown): never {
  throw error instanceof ApiError && error.status === 409 ? invalid({ name: [error.message] }) : error;
}

/** Serves the token endpoints, which act on the bearer's own tokens for the organization only. */
export function tokensController(services: Services): Router {
  const { tokens } = services;
  // Strict: a client that lost the id of DELETE /tokens/{id} must not revoke every token.
  const router = Router({ strict: true });

  async function readManager(request: Request, response: Response): Promise<Bearer> {
    const bearer = await readIntegrator(request, response, services);
    requireManager(bearer);
    return bearer;
  }

  router.get('/api/tokens', async (request, response) => {
    const bearer = await readManager(request, response);
    response.json({ data: (await tokens.list(bearer)).map(presentToken) });
  });

  router.post('/api/tokens', async (request, response) => {
    const bearer = await readManager(request, response);
    const body = await readBody(request);
    const { teamId, userId, abilities, expiresAt, tokenId } = bearer;
    // An empty body is a missing name, whatever its Content-Type.
    const name = readName(hasBytes(body) ? parseJsonObject(request, body) : {}, teamId);
    // The expiry is inherited, or a token of one week could create one that never expires.
    const token = { teamId, userId, name, abilities, expiresAt };
    await limitCreations(services.limiter, bearer);
    const { value } = await tokens.create(token, actorOf(bearer, request), tokenId).catch(toFieldError);
    response.status(201).json({ token: value, team: { id: teamId, slug: bearer.teamSlug } });
  });

  router.delete('/api/tokens', async (request, response) => {
    const bearer = await readManager(request, response);
    await tokens.revokeOwn(bearer, actorOf(bearer, request));
    response.json({ message: 'All tokens of this organization have been revoked.' });
  });

  router.delete('/api/tokens/:id', async (request, response) => {
    const bearer = await readManager(request, response);
    await tokens.revoke(bearer, tokenIdOf(request.params.id), actorOf(bearer, request));
    response.json({ message: 'Token revoked.' });
  });

  return router;
}
