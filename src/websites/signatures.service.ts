import { invalidSignature, websiteNotFound } from '../errors.js';
import type { Cipher } from '../lib/cipher.js';
import type { Clock } from '../lib/clock.js';
import type { Database } from '../lib/prisma.js';
import { isValidSignature, signWebsite, unixSeconds } from './signature.js';
import { createSigningReader, openSignatureKey, type Signing } from './signature-key.js';

/** Answer of the signature endpoint: what a page sends along with a submission, and its life in seconds. */
export type WebsiteSignature = Readonly<{ signature: string; timestamp: number; expires_in: number }>;

type Services = { db: Database; cipher: Cipher; clock: Clock; ttlS: number };

export type Signatures = ReturnType<typeof createSignatures>;

/** The headers `X-Website-Signature` and `X-Website-Timestamp` as received. */
type Given = Readonly<{ signature: string | undefined; timestamp: string | undefined }>;

/**
 * Issues and checks the signatures of a website's pages (interface 5.2). A key that was regenerated ends the
 * signatures of the former at once, in every process: a signature is checked with the key in memory, and
 * whoever acts on it makes sure that this still is the key.
 */
export function createSignatures({ db, cipher, clock, ttlS }: Services) {
  /** By the website in memory, which is another object after each change. */
  const opened = new WeakMap<Signing, Buffer>();

  const read = createSigningReader(db);

  async function readWebsite(id: string): Promise<Signing> {
    const website = await read(id);
    if (!website) throw websiteNotFound();
    return website;
  }

  function keyInMemory(website: Signing): Buffer {
    const known = opened.get(website);
    if (known) return known;
    const key = openSignatureKey(cipher, website);
    opened.set(website, key);
    return key;
  }

  const isMadeWith = (key: Buffer, { id }: Signing, given: Given): boolean =>
    isValidSignature(key, id, given, { now: unixSeconds(clock()), ttlS });

  return {
    async issue(websiteId: string): Promise<WebsiteSignature> {
      const timestamp = unixSeconds(clock());
      const key = openSignatureKey(cipher, await readWebsite(websiteId));
      const signature = signWebsite(key, websiteId, timestamp);
      return { signature, timestamp, expires_in: ttlS };
    },

    /**
     * Checks that the headers of a request carry a signature of this website that is still good.
     *
     * @returns the key, as stored, that it was made with: to be the website's still when the submission is
     * recorded.
     * @throws 403 `invalid_signature`.
     */
    async verify(website: Signing, given: Given): Promise<Uint8Array> {
      if (!given.signature || !given.timestamp) throw invalidSignature();
      if (isMadeWith(keyInMemory(website), website, given)) return website.signatureKeyCipher;
      // Memory may be of a moment ago, and the page have its signature under a newer key.
      const current = await readWebsite(website.id);
      if (!isMadeWith(openSignatureKey(cipher, current), current, given)) throw invalidSignature();
      return current.signatureKeyCipher;
    },

    /**
     * Makes sure that a key is the website's still: before anything but the recording is answered.
     *
     * @throws 403 `invalid_signature` when it has been regenerated.
     */
    async requireCurrent(websiteId: string, key: Uint8Array): Promise<void> {
      const { signatureKeyCipher } = await readWebsite(websiteId);
      if (Buffer.compare(signatureKeyCipher, key) !== 0) throw invalidSignature();
    },
  };
}
