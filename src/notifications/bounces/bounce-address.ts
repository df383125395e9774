import { equalInConstantTime, hmacSha256 } from '../../lib/crypto/hmac.js';
import type { Keyring } from '../../lib/crypto/keyring.js';

/** Digits of the MAC: 96 bits, so that the local part stays within the 64 characters of RFC 5321. */
const MAC_LENGTH = 24;

const LOCAL_PART = /^b\+([0-9a-f]{32})\.([0-9a-f]{24})$/;

export type BounceAddresses = ReturnType<typeof createBounceAddresses>;

/** Spells a UUID with its hyphens. */
const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Issues and verifies the envelope senders of e-mails about submissions, to which mail servers send their reports.
 *
 * An address holds the id of its e-mail and a MAC under APP_KEY, so that nobody can report an e-mail that they did not
 * get. It is lower case throughout, since some servers change the case.
 */
export function createBounceAddresses({
  keyring,
  domain,
}: {
  keyring: Pick<Keyring, 'derive'>;
  domain: string | null;
}) {
  const keys = keyring.derive('notifications: bounce address');
  const macOf = (key: Buffer, hex: string) => hmacSha256(key, hex).toString('hex').slice(0, MAC_LENGTH);

  return {
    /** Returns the envelope sender of an e-mail; undefined without BOUNCE_DOMAIN. */
    senderOf(emailId: string): string | undefined {
      if (domain === null) return undefined;
      const hex = emailId.replaceAll('-', '');
      return `b+${hex}.${macOf(keys.issuing(), hex)}@${domain}`;
    },

    /** Returns the id of the e-mail that an address belongs to; null when it was not issued here. */
    read(address: string): string | null {
      const at = address.lastIndexOf('@');
      if (domain === null || address.slice(at + 1).toLowerCase() !== domain) return null;
      const [, hex, mac] = LOCAL_PART.exec(address.slice(0, at).toLowerCase()) ?? [];
      if (!hex || !mac) return null;
      const isRight = keys.accepted.some((key) =>
        equalInConstantTime(Buffer.from(macOf(key, hex)), Buffer.from(mac)),
      );
      return isRight ? uuidOf(hex) : null;
    },
  };
}
