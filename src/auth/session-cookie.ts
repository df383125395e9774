import type { Request, Response } from 'express';
import { SESSION_TTL_S, type Sessions } from './sessions.service.js';
import type { Viewer } from './viewer.js';

/** Cookie name; over https its prefix keeps another host or http from setting it (RFC 6265bis, 4.1.3). */
const nameOf = (isSecure: boolean) => (isSecure ? '__Host-formgate' : 'formgate');

/** Reads and writes the cookie that carries the session of the panel. */
export function sessionCookie(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  return {
    read(request: Request): string | null {
      const cookies = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim());
      const prefix = `${nameOf(secure)}=`;
      return cookies.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || null;
    },
    set(response: Response, secret: string | null): void {
      if (secret) response.cookie(nameOf(secure), secret, { ...options, maxAge: SESSION_TTL_S * 1000 });
      else response.clearCookie(nameOf(secure), options);
    },
  };
}

/** Reads the viewer of a request to the panel from its session cookie; null without a live session. */
export async function readViewer(
  request: Request,
  { publicUrl, sessions }: { publicUrl: string; sessions: Pick<Sessions, 'viewerOf'> },
): Promise<Viewer | null> {
  const secret = sessionCookie(publicUrl).read(request);
  return secret ? sessions.viewerOf(secret) : null;
}
