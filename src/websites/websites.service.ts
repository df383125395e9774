import type { Place } from '../cache/cache.js';
import type { Catalogue } from '../cache/catalogue.js';
import { createBatchedRead } from '../db/batched-read.js';
import { type Database, publicRows, readSnapshot } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';
import { openSignatureKey, type SignatureKey } from './signature-key.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Websites in memory, in characters of JSON, some 1,300 with three links; the memory is about twice as much. */
const MAX_KEPT_CHARACTERS = 32_000_000;

/** Ids of no website that are kept, some 200 bytes each. */
const MAX_ABSENT_IDS = 10_000;

/** What is read of a website: what decides how it is served, and no more. */
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
    },
  },
} as const satisfies Prisma.WebsiteSelect;

type StoredWebsite = Prisma.WebsiteGetPayload<{ select: typeof STORED }>;

/**
 * What is kept of it: flat, and but for the captcha chain written out. With many websites each object more is one more
 * place in memory that is in no cache of the processor's; an object that is spread from another may have a hidden class
 * of its own each time, and V8 looks each field up in one that has twenty.
 *
 * @param id The text by which it is kept, so that there are not two.
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
  placements: website.placements.map((link) => ({
    slug: link.form.slug,
    formId: link.formId,
    confirmationMessage: link.confirmationMessage,
    cssSelector: link.cssSelector,
    injectionPosition: link.injectionPosition,
    htmlWrapper: link.htmlWrapper,
    appearance: link.appearance,
  })),
  lastAnswer: null,
});

/**
 * A website with what decides how it is served: whether its team is active, the limits of their plan, its captcha chain
 * in order, its enabled links. With its signature key, so never to be written anywhere.
 */
export type ServedWebsite = Readonly<Omit<ReturnType<typeof served>, 'lastAnswer'>> & {
  /** Where the answer lies that its forms were last configured with: its pages ask for the same again and again. */
  lastAnswer: Place<object> | null;
};

/** Whether the visitors of a website are served: neither it is disabled nor its team suspended. */
export const isServed = (website: ServedWebsite): boolean => !website.disabled && website.isTeamActive;

export type Websites = ReturnType<typeof createWebsites>;

export function createWebsites({
  db,
  cipher,
  catalogue,
}: {
  db: Database;
  cipher: Cipher;
  catalogue: Pick<Catalogue, 'shelf'>;
}) {
  /** Ids that pages make up must not each cost a transaction. */
  const findId = createBatchedRead<string, { id: string }>({
    read: (ids) =>
      publicRows(db, Prisma.sql`SELECT id FROM websites WHERE id = ANY(${ids}::uuid[])`, 'website-ids'),
    keyOf: ({ id }) => id,
  });

  const { get, peek } = catalogue.shelf({
    async load(id: string): Promise<ServedWebsite | null> {
      if (!(await findId(id))) return null;
      const stored = await readSnapshot(db, (tx) => tx.website.findUnique({ where: { id }, select: STORED }));
      return stored && served(id, stored, openSignatureKey(cipher, stored));
    },
    weightOf: (website) => JSON.stringify(website).length,
    maxWeight: MAX_KEPT_CHARACTERS,
    maxAbsentKeys: MAX_ABSENT_IDS,
  });

  return {
    /**
     * The website of a UUID, from memory; null when there is none or the text is no UUID. Not to be changed, but for
     * `lastAnswer`.
     */
    find(text: string): Promise<ServedWebsite | null> {
      const id = text.toLowerCase();
      return UUID.test(id) ? get(id) : Promise.resolve(null);
    },

    /** As it was last read, if it is still in memory: also with PostgreSQL away. */
    lastKnown: (text: string): ServedWebsite | null => peek(text.toLowerCase()),
  };
}
