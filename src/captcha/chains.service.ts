import type { Actor } from '../audit/audit.js';
import type { Config } from '../config.js';
import type { Database } from '../db/client.js';
import type { CaptchaStep } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';
import type { Fault } from '../lib/faults.js';
import { groupBy } from '../lib/group-by.js';
import { lockWebsite } from '../websites/save-website.js';
import { type CredentialsVerdict, checkCredentials } from './providers/check-credentials.js';
import type { RemoteSettings } from './providers/verify-remote.js';
import { type ChainLink, missingSecrets, saveChain } from './save-chain.js';
import { stepKey } from './step.js';

/** A link as the panel may see it: whether there are secrets, and never which. */
export type ListedLink = Readonly<
  Pick<CaptchaStep, 'type' | 'siteKey' | 'projectId' | 'minScore' | 'position'> & {
    key: string;
    hasSecret: boolean;
    hasApiKey: boolean;
  }
>;

/** What became of saving a chain: whether it is saved, or the secrets that new links lack. */
export type SavedChain = 'saved' | 'not_found' | { faults: Fault[] };

type Site = Readonly<{ id: string; teamId: number; host: string }>;

const listed = (link: CaptchaStep): ListedLink => ({
  key: stepKey(link),
  type: link.type,
  siteKey: link.siteKey,
  projectId: link.projectId,
  minScore: link.minScore,
  position: link.position,
  hasSecret: link.secretCipher !== null,
  hasApiKey: link.apiKeyCipher !== null,
});

const isRemote = (link: CaptchaStep): link is RemoteSettings => link.type !== 'altcha';

type Services = { db: Database; cipher: Cipher; config: Pick<Config, 'verifyUrls'> };

export type Chains = ReturnType<typeof createChains>;

/** Captcha chains as the panel sees and changes them. */
export function createChains({ db, cipher, config: { verifyUrls } }: Services) {
  return {
    /** The chains of websites, each in its order. */
    async ofWebsites(websiteIds: readonly string[]): Promise<ListedLink[][]> {
      const rows = await db.captchaStep.findMany({
        where: { websiteId: { in: [...websiteIds] } },
        orderBy: { position: 'asc' },
      });
      const byWebsite = groupBy(rows, ({ websiteId }) => websiteId);
      return websiteIds.map((id) => (byWebsite.get(id) ?? []).map(listed));
    },

    /** Makes these the chain of a website. A secret left out keeps the one that is stored. */
    save(website: Site, links: readonly ChainLink[], actor: Actor): Promise<SavedChain> {
      return db.$transaction(async (tx): Promise<SavedChain> => {
        if (!(await lockWebsite(tx, website.id))) return 'not_found';
        const missing = await missingSecrets(tx, website.id, links);
        if (missing.length > 0) {
          return {
            faults: missing.map(({ index, setting }) => ({
              path: [index, setting],
              message: `is required for ${links[index]!.key}`,
            })),
          };
        }
        await saveChain({ tx, cipher }, website, links, actor);
        return 'saved';
      });
    },

    /**
     * Asks the provider of a link whether it accepts the stored credentials; a proof of work needs none.
     *
     * @returns null when the chain has no such link.
     */
    async check(
      { id: websiteId, host }: Site,
      key: string,
      asker: { clientIp: string; userAgent: string | undefined },
    ): Promise<CredentialsVerdict | null> {
      const links = await db.captchaStep.findMany({ where: { websiteId } });
      const link = links.find((candidate) => stepKey(candidate) === key);
      if (!link) return null;
      if (!isRemote(link)) return 'accepted';
      const { hostname } = new URL(`http://${host}`);
      return checkCredentials({ cipher, verifyUrls }, link, { ...asker, hostname });
    },
  };
}
