import { websiteNotFound } from '../errors.js';
import type { Cipher } from '../lib/cipher.js';
import type { Clock } from '../lib/clock.js';
import type { Database } from '../lib/prisma.js';
import { isValidSignature, signWebsite, unixSeconds } from './signature.js';
import { openSignatureKey } from './signature-key.js';

/** Answer of the signature endpoint: what a page sends along with a submission, and its life in seconds. */
export type WebsiteSignature = Readonly<{ signature: string; timestamp: number; expires_in: number }>;

type Services = { db: Database; cipher: Cipher; clock: Clock; ttlS: number };

export type Signatures = ReturnType<typeof createSignatures>;

/**
 * Issues and checks the signatures of a website's pages (interface 5.2). Each time the key is read from the
 * database, so that one that was regenerated ends the signatures of the former at once, in every process.
 */
export function createSignatures({ db, cipher, clock, ttlS }: Services) {
  async function readKey(id: string): Promise<Buffer> {
    const select = { id: true, signatureKeyCipher: true };
    const website = await db.website.findUnique({ where: { id }, select });
    if (!website) throw websiteNotFound();
    return openSignatureKey(cipher, website);
  }

  return {
    async issue(websiteId: string): Promise<WebsiteSignature> {
      const timestamp = unixSeconds(clock());
      const signature = signWebsite(await readKey(websiteId), websiteId, timestamp);
      return { signature, timestamp, expires_in: ttlS };
    },

    /** Whether the headers of a request carry a signature of this website that is still good. */
    async isValid(
      websiteId: string,
      given: { signature: string | undefined; timestamp: string | undefined },
    ): Promise<boolean> {
      if (!given.signature || !given.timestamp) return false;
      return isValidSignature(await readKey(websiteId), websiteId, given, {
        now: unixSeconds(clock()),
        ttlS,
      });
    },
  };
}
