import type { Db } from '../../db/client.js';
import { invalidSignature, websiteNotFound } from '../../errors.js';
import type { Clock } from '../../lib/clock.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { equalInConstantTime } from '../../lib/crypto/hmac.js';
import { createSignatureKeyReader } from '../websites.queries.js';
import { signatureAgeS, signatureFault, signWebsite, unixSeconds } from './signature.js';
import { openSignatureKey, type SignatureKey, storedKey, storedText } from './signature-key.js';

/** Answer of the signature endpoint: the signature that a page submits with, and its lifetime in seconds. */
export type WebsiteSignature = Readonly<{ signature: string; timestamp: number; expires_in: number }>;

type Services = { db: Db; cipher: Cipher; clock: Clock; ttlS: number };

export type Signatures = ReturnType<typeof createSignatures>;

/** A signature that was accepted. */
type Verified = Readonly<{ storedSignatureKey: string; ageS: number }>;

/** The headers `X-Website-Signature` and `X-Website-Timestamp` as received. */
type Given = Readonly<{ signature: string | undefined; timestamp: string | undefined }>;

/**
 * Issues and checks the signatures of a website's pages (guide: A website without the script).
 *
 * Regenerating a key invalidates the signatures of the former key at once, in every process: a signature is checked
 * with the cached key, and the code that acts on it verifies that the key is still current.
 */
export function createSignatures({ db, cipher, clock, ttlS }: Services) {
  const readKey = createSignatureKeyReader(db);

  async function readCurrent(websiteId: string) {
    const stored = await readKey(websiteId);
    if (!stored) throw websiteNotFound();
    return stored;
  }

  const currentKey = async (websiteId: string): Promise<SignatureKey> =>
    openSignatureKey(cipher, await readCurrent(websiteId));

  const faultUnder = ({ signatureKey }: SignatureKey, websiteId: string, given: Given) =>
    signatureFault(signatureKey, websiteId, given, { now: unixSeconds(clock()), ttlS });

  return {
    async issue(websiteId: string): Promise<WebsiteSignature> {
      const timestamp = unixSeconds(clock());
      const { signatureKey } = await currentKey(websiteId);
      const signature = signWebsite(signatureKey, websiteId, timestamp);
      return { signature, timestamp, expires_in: ttlS };
    },

    /**
     * Checks that the headers of a request carry a signature of this website that is still valid.
     *
     * @returns the stored form of the key that the signature was made with, which must still be the website's when the
     * submission is recorded; and the age of the signature in seconds.
     * @throws 403 `invalid_signature`.
     */
    async verify(website: SignatureKey & { id: string }, given: Given): Promise<Verified> {
      if (!given.signature || !given.timestamp) throw invalidSignature('missing');
      const ageS = signatureAgeS(given.timestamp, clock());
      if (faultUnder(website, website.id, given) === null) {
        return { storedSignatureKey: website.storedSignatureKey, ageS };
      }
      // The cached key may be stale, and the page's signature made with a newer one.
      const current = await currentKey(website.id);
      const fault = faultUnder(current, website.id, given);
      if (fault) throw invalidSignature(fault);
      return { storedSignatureKey: current.storedSignatureKey, ageS };
    },

    /**
     * Verifies that a key is still the website's; every answer other than a recorded submission requires it.
     *
     * @returns its stored form, which differs after `formgate rekey` has encrypted the same key anew.
     * @throws 403 `invalid_signature` when it has been regenerated.
     */
    async requireCurrent(websiteId: string, storedSignatureKey: string): Promise<string> {
      const stored = await readCurrent(websiteId);
      if (storedText(stored) === storedSignatureKey) return storedSignatureKey;
      const current = openSignatureKey(cipher, stored);
      const former = openSignatureKey(cipher, storedKey(websiteId, storedSignatureKey));
      if (!equalInConstantTime(former.signatureKey, current.signatureKey))
        throw invalidSignature('wrong_key');
      return current.storedSignatureKey;
    },
  };
}
