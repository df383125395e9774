import type { Clock } from '../../lib/clock.js';
import { equalInConstantTime, hmacSha256 } from '../../lib/crypto/hmac.js';
import type { Keyring } from '../../lib/crypto/keyring.js';

/** Lifetime of a token in milliseconds: longer than any probe runs. */
const TTL_MS = 120_000;

const CREDENTIALS = /^Probe (([0-9a-f-]{36})\.[0-9a-f-]{36}\.(\d{13}))\.([\w-]{43})$/;

export type ProbeTokens = ReturnType<typeof createProbeTokens>;

/**
 * Issues and verifies the `Authorization` of a probe's submission, which marks it as a test lead.
 *
 * It is signed under APP_KEY and holds for one website and two minutes, so no visitor can make one. A gateway of a
 * version that knows no probes, or of another installation, answers it with 401 and records nothing.
 */
export function createProbeTokens({ keyring, clock }: { keyring: Pick<Keyring, 'derive'>; clock: Clock }) {
  const keys = keyring.derive('submissions: probe token');
  const sign = (key: Buffer, text: string) => hmacSha256(key, text).toString('base64url');

  return {
    /** Issues the header's value for a probe of a website. */
    issue(websiteId: string, probeId: string): string {
      const text = `${websiteId}.${probeId}.${clock().getTime() + TTL_MS}`;
      return `Probe ${text}.${sign(keys.issuing(), text)}`;
    },

    /** Tells whether an `Authorization` header is that of a probe of this website, and has not expired. */
    isValid(authorization: string, websiteId: string): boolean {
      const [, text, website, expires, signature] = CREDENTIALS.exec(authorization) ?? [];
      if (!text || !signature || website !== websiteId) return false;
      if (clock().getTime() >= Number(expires)) return false;
      return keys.accepted.some((key) =>
        equalInConstantTime(Buffer.from(sign(key, text)), Buffer.from(signature)),
      );
    },
  };
}
