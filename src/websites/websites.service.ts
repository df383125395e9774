import { createCache } from '../cache/cache.js';
import type { Changes } from '../cache/change-feed.js';
import { type Db, readSnapshot } from '../db/client.js';
import type { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import { isUuid } from '../lib/text/uuid.js';
import { openSignatureKey, type SignatureKey } from './signatures/signature-key.js';
import { createWebsiteIdReader } from './websites.queries.js';

/** Limit of cached websites, in characters of JSON: some 1,300 with three placements each. Memory is about twice it. */
const MAX_CACHED_CHARACTERS = 32_000_000;

/** Maximum number of cached unknown ids, some 200 bytes each. */
const MAX_ABSENT_IDS = 10_000;

/** Columns to read of a website: only those that determine how it is served. */
const STORED = {
  id: true,
  teamId: true,
  host: true,
  locale: true,
  disabled: true,
  signatureKeyCipher: true,
  team: {
    select: { active: true, plan: { select: { submissionsPerMinute: true, submissionsPerHour: true } } },
  },
  captchaSteps: { orderBy: { position: 'asc' } },
  placements: {
    where: { enabled: true },
    select: {
      formId: true,
      form: { select: { slug: true } },
      confirmationMessage: true,
      cssSelector: true,
      injectionPosition: true,
      htmlWrapper: true,
      appearance: true,
      recipients: true,
      recipientRules: true,
    },
  },
} as const satisfies Prisma.WebsiteSelect;

type StoredWebsite = Prisma.WebsiteGetPayload<{ select: typeof STORED }>;

/**
 * Builds the cache entry of a website: flat, with every key but the captcha chain written out. With many websites each
 * further object is one more CPU cache miss. An object spread from another may have a hidden class of its own each
 * time, and V8 looks each field up in one that has twenty.
 *
 * @param id The string that is also the cache key, so that there are not two copies.
 */
const served = (id: string, website: StoredWebsite, { signatureKey, storedSignatureKey }: SignatureKey) => ({
  id,
  teamId: website.teamId,
  host: website.host,
  locale: website.locale,
  disabled: website.disabled,
  isTeamActive: website.team.active,
  submissionsPerMinute: website.team.plan.submissionsPerMinute,
  submissionsPerHour: website.team.plan.submissionsPerHour,
  signatureKey,
  storedSignatureKey,
  captchaSteps: website.captchaSteps,
  placements: website.placements.map((placement) => ({
    slug: placement.form.slug,
    formId: placement.formId,
    confirmationMessage: placement.confirmationMessage,
    cssSelector: placement.cssSelector,
    injectionPosition: placement.injectionPosition,
    htmlWrapper: placement.htmlWrapper,
    appearance: placement.appearance,
    recipients: placement.recipients,
    recipientRules: placement.recipientRules,
  })),
});

/**
 * A website with what determines how it is served: whether its team is active, the limits of the team's plan, its
 * captcha chain in order, its enabled placements. It contains the signature key, so never log or write it.
 */
export type ServedWebsite = Readonly<ReturnType<typeof served>>;

/** Whether the visitors of a website are served: neither the website is disabled nor its team suspended. */
export const isServed = (website: ServedWebsite): boolean => !website.disabled && website.isTeamActive;

export type Websites = ReturnType<typeof createWebsites>;

/** Finds the websites that are served, through a cache. */
export function createWebsites({ db, cipher, changeFeed }: { db: Db; cipher: Cipher; changeFeed: Changes }) {
  /** Batches the lookups of ids, because made-up ids must not each cost a transaction. */
  const findId = createWebsiteIdReader(db);

  const { get, peek } = createCache({
    changeFeed,
    async load(id: string): Promise<ServedWebsite | null> {
      if (!(await findId(id))) return null;
      const stored = await readSnapshot(db, (tx) => tx.website.findUnique({ where: { id }, select: STORED }));
      return stored && served(id, stored, openSignatureKey(cipher, stored));
    },
    weightOf: (website) => JSON.stringify(website).length,
    maxWeight: MAX_CACHED_CHARACTERS,
    maxAbsentKeys: MAX_ABSENT_IDS,
  });

  return {
    /** Finds the website of a UUID through the cache; null when there is none or the text is no UUID. */
    find(text: string): Promise<ServedWebsite | null> {
      const id = text.toLowerCase();
      return isUuid(id) ? get(id) : Promise.resolve(null);
    },

    /** Returns the website as last read if it is still cached, even when PostgreSQL is unavailable. */
    lastKnown: (text: string): ServedWebsite | null => peek(text.toLowerCase()),
  };
}
