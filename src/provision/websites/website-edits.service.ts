import type { Actor } from '../../audit/audit.js';
import { readChain, saveChain } from '../../captcha/editing/save-chain.js';
import type { Db, Transaction } from '../../db/client.js';
import { retryTransaction } from '../../db/transaction-retry.js';
import { websiteNotFound } from '../../errors.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import type { Fault } from '../../lib/faults.js';
import { departmentFaults } from '../../websites/editing/departments.js';
import { lockWebsite, type StoredWebsite, updateWebsite } from '../../websites/editing/save-website.js';

/** What many websites are to have in common; what is left out stays. */
type WebsiteEdit = Readonly<{
  locale?: string | undefined;
  /** Codes, which replace those that a website has. */
  departments?: readonly string[] | undefined;
  /** The website whose captcha chain the others get; null: the platform's default. */
  chainOf?: string | null | undefined;
}>;

/** How long the transaction may take, in which each website takes a few statements. */
const TIMEOUT_MS = 60_000;

export type WebsiteEdits = ReturnType<typeof createWebsiteEdits>;

/** Edits many websites at once. */
export function createWebsiteEdits({ db, cipher }: { db: Db; cipher: Cipher }) {
  return {
    /**
     * Makes the same changes to each website, all in one transaction.
     *
     * @returns how many websites differ now, or the faults of the changes.
     * @throws 404 when one of them no longer exists.
     */
    edit(
      ids: readonly string[],
      { chainOf, locale, departments }: WebsiteEdit,
      actor: Actor,
    ): Promise<{ changed: number } | { faults: Fault[] }> {
      const edit = async (tx: Transaction) => {
        const faults = await departmentFaults(tx, departments ?? []);
        if (faults.length > 0) return { faults };
        const websites: StoredWebsite[] = [];
        // In the order of their ids, so that two edits cannot wait for each other.
        for (const id of [...new Set(ids)].sort()) {
          const website = await lockWebsite(tx, id);
          if (!website) throw websiteNotFound();
          websites.push(website);
        }
        const chain = chainOf ? await readChain({ tx, cipher }, chainOf) : [];
        let changed = 0;
        // Each change locks the team of its website: those too in the order of their ids.
        for (const website of websites.sort((one, other) => one.teamId - other.teamId)) {
          const outcome = await updateWebsite(tx, website, { locale, departments }, actor);
          const hasNewChain =
            chainOf !== undefined &&
            website.id !== chainOf &&
            (await saveChain({ tx, cipher }, website, chain, actor));
          if (outcome === 'updated' || hasNewChain) changed += 1;
        }
        return { changed };
      };
      return retryTransaction(() => db.orm.$transaction(edit, { timeout: TIMEOUT_MS }));
    },
  };
}
