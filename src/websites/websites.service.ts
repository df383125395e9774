import type { CaptchaLink, Plan, Team, Website } from '../generated/prisma/client.js';
import { type Database, readSnapshot } from '../lib/prisma.js';
import type { Catalogue } from './catalogue.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Websites in memory: some kilobytes each. */
const MAX_KEPT = 10_000;

/** A website with what decides how it is served: its team, their plan, and its captcha chain in order. */
export type ServedWebsite = Website & { team: Team & { plan: Plan }; captchaLinks: CaptchaLink[] };

/** Whether the visitors of a website are served: neither it is disabled nor its team suspended. */
export const isServed = (website: ServedWebsite): boolean => !website.disabled && website.team.active;

export type Websites = ReturnType<typeof createWebsites>;

export function createWebsites({ db, catalogue }: { db: Database; catalogue: Pick<Catalogue, 'shelf'> }) {
  const read = catalogue.shelf({
    load: (id: string): Promise<ServedWebsite | null> =>
      readSnapshot(db, (tx) =>
        tx.website.findUnique({
          where: { id },
          include: { team: { include: { plan: true } }, captchaLinks: { orderBy: { position: 'asc' } } },
        }),
      ),
    weightOf: () => 1,
    maxWeight: MAX_KEPT,
  });

  return {
    /** The website of a UUID, from memory; null when there is none or the text is no UUID. Not to be changed. */
    find(text: string): Promise<ServedWebsite | null> {
      const id = text.toLowerCase();
      return UUID.test(id) ? read(id) : Promise.resolve(null);
    },
  };
}
