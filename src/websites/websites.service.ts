import type { CaptchaLink, Plan, Team, Website } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A website with what decides how it is served: its team, their plan, and its captcha chain in order. */
export type ServedWebsite = Website & { team: Team & { plan: Plan }; captchaLinks: CaptchaLink[] };

/** Whether the visitors of a website are served: neither it is disabled nor its team suspended. */
export const isServed = (website: ServedWebsite): boolean => !website.disabled && website.team.active;

export type Websites = ReturnType<typeof createWebsites>;

export function createWebsites({ db }: { db: Database }) {
  return {
    /** The website of a UUID; null when there is none or the text is no UUID. */
    async find(id: string): Promise<ServedWebsite | null> {
      if (!UUID.test(id)) return null;
      return db.website.findUnique({
        where: { id },
        include: { team: { include: { plan: true } }, captchaLinks: { orderBy: { position: 'asc' } } },
      });
    },
  };
}
