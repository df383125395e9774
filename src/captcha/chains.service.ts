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
import { missingSecrets, type StepSettings, saveChain } from './save-chain.js';
import { stepKey } from './step.js';

/** A captcha step as the panel may see it: whether there are secrets, and never their values. */
export type ListedStep = Readonly<
  Pick<CaptchaStep, 'type' | 'siteKey' | 'projectId' | 'minScore' | 'position'> & {
    key: string;
    hasSecret: boolean;
    hasApiKey: boolean;
  }
>;

/** The outcome of saving a chain: whether it is saved, or the secrets that new steps lack. */
export type SavedChain = 'saved' | 'not_found' | { faults: Fault[] };

type Site = Readonly<{ id: string; teamId: number; host: string }>;

const listed = (step: CaptchaStep): ListedStep => ({
  key: stepKey(step),
  type: step.type,
  siteKey: step.siteKey,
  projectId: step.projectId,
  minScore: step.minScore,
  position: step.position,
  hasSecret: step.secretCipher !== null,
  hasApiKey: step.apiKeyCipher !== null,
});

const isRemote = (step: CaptchaStep): step is RemoteSettings => step.type !== 'altcha';

type Services = { db: Db; cipher: Cipher; config: Pick<Config, 'verifyUrls'> };

export type Chains = ReturnType<typeof createChains>;

/** Reads, saves and checks captcha chains for the panel. */
export function createChains({ db, cipher, config: { verifyUrls } }: Services) {
  return {
    /** Reads the chains of websites, each in its order. */
    async ofWebsites(websiteIds: readonly string[]): Promise<ListedStep[][]> {
      const rows = await db.orm.captchaStep.findMany({
        where: { websiteId: { in: [...websiteIds] } },
        orderBy: { position: 'asc' },
      });
      const byWebsite = groupBy(rows, ({ websiteId }) => websiteId);
      return websiteIds.map((id) => (byWebsite.get(id) ?? []).map(listed));
    },

    /** Replaces the chain of a website. An omitted secret keeps the stored one. */
    save(website: Site, steps: readonly StepSettings[], actor: Actor): Promise<SavedChain> {
      return db.orm.$transaction(async (tx): Promise<SavedChain> => {
        if (!(await lockWebsite(tx, website.id))) return 'not_found';
        const missing = await missingSecrets(tx, website.id, steps);
        if (missing.length > 0) {
          return {
            faults: missing.map(({ index, setting }) => ({
              path: [index, setting],
              message: `is required for ${steps[index]!.key}`,
            })),
          };
        }
        await saveChain({ tx, cipher }, website, steps, actor);
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
      client: { clientIp: string; userAgent: string | undefined },
    ): Promise<CredentialsVerdict | null> {
      const steps = await db.orm.captchaStep.findMany({ where: { websiteId } });
      const step = steps.find((candidate) => stepKey(candidate) === key);
      if (!step) return null;
      if (!isRemote(step)) return 'accepted';
      const { hostname } = new URL(`http://${host}`);
      return checkCredentials({ cipher, verifyUrls }, step, { ...client, hostname });
    },
  };
}
