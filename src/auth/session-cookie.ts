import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { setHolder } from '../db/fair-pool.js';
import { unauthenticated } from '../errors.js';
import { CHALLENGE_TTL_S } from './second-factor/challenges.service.js';
import { SESSION_TTL_S, type Sessions } from './sessions.service.js';
import type { Viewer } from './viewer.js';

/** Cookie name; over https its prefix keeps another host or http from setting it (RFC 6265bis, 4.1.3). */
const prefixed = (name: string, isSecure: boolean) => (isSecure ? `__Host-${name}` : name);

/** Reads and writes a cookie with a secret that scripts cannot read. */
function secretCookie(publicUrl: string, base: string, sameSite: 'lax' | 'strict', ttlS: number) {
  const secure = publicUrl.startsWith('https:');
  const name = prefixed(base, secure);
  const options = { httpOnly: true, sameSite, secure, path: '/' } as const;
  return {
    read(request: Request): string | null {
      const cookies = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim());
      const prefix = `${name}=`;
      return cookies.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || null;
    },
    set(response: Response, secret: string | null): void {
      if (secret) response.cookie(name, secret, { ...options, maxAge: ttlS * 1000 });
      else response.clearCookie(name, options);
    },
  };
}

/** Reads and writes the cookie that carries the session of the panel. */
export const sessionCookie = (publicUrl: string) => secretCookie(publicUrl, 'formgate', 'lax', SESSION_TTL_S);

/** Reads and writes the cookie that carries the challenge of a login between its two steps. */
export const challengeCookie = (publicUrl: string) =>
  secretCookie(publicUrl, 'formgate-login', 'strict', CHALLENGE_TTL_S);

/**
 * Reads the viewer of a request to the panel from its session cookie; null without a live session. What the request
 * does from then on has the viewer's share of the panel's connections.
 */
export async function readViewer(
  request: Request,
  { publicUrl, sessions }: { publicUrl: string; sessions: Pick<Sessions, 'viewerOf'> },
): Promise<Viewer | null> {
  const secret = sessionCookie(publicUrl).read(request);
  const viewer = secret ? await sessions.viewerOf(secret) : null;
  if (viewer) setHolder(`account ${viewer.userId}`);
  // Sessions are read in batches. What Prisma reads for two requests in one tick would all count as the first one's.
  await nextTurn();
  return viewer;
}

/** Reads the viewer of a request to the panel, as `readViewer`. @throws 401 without a live session. */
export async function requireViewer(...read: Parameters<typeof readViewer>): Promise<Viewer> {
  const viewer = await readViewer(...read);
  if (!viewer) throw unauthenticated();
  return viewer;
}
