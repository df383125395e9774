import type { Actor } from '../audit/audit.js';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import type { CaptchaStep } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';
import type { Fault } from '../lib/faults.js';
import { groupBy } from '../lib/group-by.js';
import { lockWebsite } from '../websites/save-website.js';
import { type CredentialsVerdict, checkCredentials } from './providers/check-credentials.js';
import type { RemoteSettings } from './providers/verify-remote.js';
import { type ChainLink, missingSecrets, saveChain } from './save-chain.js';
import { stepKey } from './step.js';

/** A captcha step as the panel may see it: whether there are secrets, and never their values. */
export type ListedLink = Readonly<
  Pick<CaptchaStep, 'type' | 'siteKey' | 'projectId' | 'minScore' | 'position'> & {
    key: string;
    hasSecret: boolean;
    hasApiKey: boolean;
  }
>;

/** The outcome of saving a chain: whether it is saved, or the secrets that new steps lack. */
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

type Services = { db: Db; cipher: Cipher; config: Pick<Config, 'verifyUrls'> };

export type Chains = ReturnType<typeof createChains>;

/** Reads, saves and checks captcha chains for the panel. */
export function createChains({ db, cipher, config: { verifyUrls } }: Services) {
  return {
    /** Reads the chains of websites, each in its order. */
    async ofWebsites(websiteIds: readonly string[]): Promise<ListedLink[][]> {
      const rows = await db.orm.captchaStep.findMany({
        where: { websiteId: { in: [...websiteIds] } },
        orderBy: { position: 'asc' },
      });
      const byWebsite = groupBy(rows, ({ websiteId }) => websiteId);
      return websiteIds.map((id) => (byWebsite.get(id) ?? []).map(listed));
    },

    /** Replaces the chain of a website. An omitted secret keeps the stored one. */
    save(website: Site, links: readonly ChainLink[], actor: Actor): Promise<SavedChain> {
      return db.orm.$transaction(async (tx): Promise<SavedChain> => {
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
     * Checks the stored credentials of a captcha step with its provider; a proof of work needs none.
     *
     * @returns null when the chain has no such step.
     */
    async check(
      { id: websiteId, host }: Site,
      key: string,
      asker: { clientIp: string; userAgent: string | undefined },
    ): Promise<CredentialsVerdict | null> {
      const links = await db.orm.captchaStep.findMany({ where: { websiteId } });
      const link = links.find((candidate) => stepKey(candidate) === key);
      if (!link) return null;
      if (!isRemote(link)) return 'accepted';
      const { hostname } = new URL(`http://${host}`);
      return checkCredentials({ cipher, verifyUrls }, link, { ...asker, hostname });
    },
  };
}
