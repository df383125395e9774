import type { Actor } from '../../audit/audit.js';
import type { Config } from '../../config.js';
import type { Db, Transaction } from '../../db/client.js';
import type { CaptchaStep } from '../../generated/prisma/client.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { contentVersion } from '../../lib/crypto/content-version.js';
import type { Fault } from '../../lib/faults.js';
import { groupsOf } from '../../lib/group-by.js';
import { lockWebsite } from '../../websites/editing/save-website.js';
import { hostnameOf } from '../../websites/host.js';
import { type CredentialsVerdict, checkCredentials } from '../providers/check-credentials.js';
import { isRemote } from '../providers/verify-remote.js';
import { stepKey } from '../step.js';
import { missingSecrets, type StepSettings, saveChain } from './save-chain.js';

/** A captcha step as the panel may see it: whether there are secrets, and never their values. */
export type ListedStep = Readonly<
  Pick<CaptchaStep, 'type' | 'siteKey' | 'projectId' | 'minScore' | 'position'> & {
    key: string;
    hasSecret: boolean;
    hasApiKey: boolean;
  }
>;

/** A captcha chain in its order, with a version that changes with everything in it, secrets included. */
type ListedChain = Readonly<{ steps: ListedStep[]; version: string }>;

/**
 * The outcome of saving a chain: `conflict` when it is no longer the given version, or the secrets that new steps lack.
 */
type SavedChain = 'saved' | 'not_found' | 'conflict' | { faults: Fault[] };

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

const versionOf = (chain: readonly CaptchaStep[]): string =>
  contentVersion(
    chain.map((step) => ({
      ...listed(step),
      secret: step.secretCipher && Buffer.from(step.secretCipher).toString('base64'),
      apiKey: step.apiKeyCipher && Buffer.from(step.apiKeyCipher).toString('base64'),
    })),
  );

const chainIn = (tx: Transaction, websiteId: string): Promise<CaptchaStep[]> =>
  tx.captchaStep.findMany({ where: { websiteId }, orderBy: { position: 'asc' } });

type Services = { db: Db; cipher: Cipher; config: Pick<Config, 'verifyUrls'> };

export type Chains = ReturnType<typeof createChains>;

/** Reads, saves and checks captcha chains for the panel. */
export function createChains({ db, cipher, config: { verifyUrls } }: Services) {
  return {
    /** Reads the chains of websites, each in its order. */
    async ofWebsites(websiteIds: readonly string[]): Promise<ListedChain[]> {
      const rows = await db.orm.captchaStep.findMany({
        where: { websiteId: { in: [...websiteIds] } },
        orderBy: { position: 'asc' },
      });
      return groupsOf(websiteIds, rows, ({ websiteId }) => websiteId).map((chain) => ({
        steps: chain.map(listed),
        version: versionOf(chain),
      }));
    },

    /**
     * Replaces the chain of a website. An omitted secret keeps the stored one.
     *
     * @param version the version that the steps are a change of; null replaces whatever is stored.
     */
    save(
      website: Site,
      { steps, version }: { steps: readonly StepSettings[]; version: string | null },
      actor: Actor,
    ): Promise<SavedChain> {
      return db.orm.$transaction(async (tx): Promise<SavedChain> => {
        if (!(await lockWebsite(tx, website.id))) return 'not_found';
        if (version !== null && version !== versionOf(await chainIn(tx, website.id))) return 'conflict';
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
      const attempt = { ...client, hostname: hostnameOf(host) };
      return checkCredentials({ cipher, verifyUrls }, step, attempt);
    },
  };
}
