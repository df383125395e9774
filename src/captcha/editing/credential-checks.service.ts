import type { Config } from '../../config.js';
import type { Db } from '../../db/client.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { hostnameOf } from '../../websites/host.js';
import { type CredentialsVerdict, checkCredentials } from '../providers/check-credentials.js';
import type { Attempt } from '../providers/provider.js';
import { isRemote } from '../providers/verify-remote.js';
import { stepKey } from '../step.js';

/** Calls to providers at once. With a page's length and the timeout of a call, it bounds the time of a page. */
const CONCURRENT_CALLS = 8;

/** Steps of a page: the providers have 15 seconds to answer for all of them. */
const PAGE = 40;

/** A step whose credentials were checked. */
export type CheckedStep = Readonly<{ websiteId: string; stepKey: string; outcome: CredentialsVerdict }>;

type CheckedPage = Readonly<{
  checked: CheckedStep[];
  /** Steps with credentials on all pages together. */
  total: number;
  /** Id of the last step of the page; null when it was the last page. */
  next: number | null;
}>;

type Services = Readonly<{ db: Db; cipher: Cipher; config: Pick<Config, 'verifyUrls'> }>;

export type CredentialChecks = ReturnType<typeof createCredentialChecks>;

/** Checks the stored credentials of many captcha steps with their providers. */
export function createCredentialChecks({ db, cipher, config: { verifyUrls } }: Services) {
  const withPermit = createSemaphore(CONCURRENT_CALLS);

  return {
    /**
     * Checks a page of the steps that have credentials, in the order of their ids.
     *
     * @param teamId only of this team; null: of every team.
     * @param after `next` of the page before; null for the first page.
     */
    async checkPage(
      { teamId, after }: { teamId: number | null; after: number | null },
      client: Omit<Attempt, 'token' | 'hostname'>,
    ): Promise<CheckedPage> {
      const where = {
        type: { not: 'altcha' as const },
        ...(teamId !== null && { website: { teamId } }),
      };
      const [total, rows] = await Promise.all([
        db.orm.captchaStep.count({ where }),
        db.orm.captchaStep.findMany({
          where: { ...where, ...(after !== null && { id: { gt: after } }) },
          include: { website: { select: { host: true } } },
          orderBy: { id: 'asc' },
          take: PAGE + 1,
        }),
      ]);
      const page = rows.slice(0, PAGE);
      const checked = await Promise.all(
        page.filter(isRemote).map(({ website, ...step }) =>
          withPermit(async () => ({
            websiteId: step.websiteId,
            stepKey: stepKey(step),
            outcome: await checkCredentials({ cipher, verifyUrls }, step, {
              ...client,
              hostname: hostnameOf(website.host),
            }),
          })),
        ),
      );
      return { checked, total, next: rows.length > PAGE ? page.at(-1)!.id : null };
    },
  };
}
