import { createChallenge, verifySolution } from 'altcha-lib/v1';

/** Lifetime of a challenge in seconds, in which it must be solved and presented. */
const CHALLENGE_TTL_S = 600;

const ALGORITHM = 'SHA-256';
const SALT = /^[0-9a-f]{24}\?website=([0-9a-f-]{36})&expires=(\d{10})&$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

/** A proof-of-work challenge, as the OpenAPI document has it. */
export type Challenge = Required<Awaited<ReturnType<typeof createChallenge>>>;

/** A solved challenge: the value that marks it as used, and until when the mark must be kept. */
export type Proof = Readonly<{ challenge: Buffer; expiresAt: Date }>;

type Terms = Readonly<{ key: string; websiteId: string; maxNumber: number; now: Date }>;

/** Issues a challenge for one website: to find the number up to maxNumber that completes the salt. */
export async function issueChallenge({ key, websiteId, maxNumber, now }: Terms): Promise<Challenge> {
  const challenge = await createChallenge({
    hmacKey: key,
    maxnumber: maxNumber,
    params: { website: websiteId },
    expires: new Date(now.getTime() + CHALLENGE_TTL_S * 1000),
  });
  return { ...challenge, maxnumber: maxNumber };
}

function decodePayload(token: string): Readonly<Record<string, unknown>> | null {
  const bytes = Buffer.from(token, 'base64');
  // Node skips characters that are not Base64, so accept only the canonical encoding.
  if (bytes.toString('base64') !== token) return null;
  try {
    const payload: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof payload === 'object' ? (payload as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/**
 * Verifies the widget's solution of a challenge, but not whether it has been used before.
 *
 * The function checks format, website and expiry before the library recomputes challenge and signature. The salt must
 * have exactly the format in which it was issued and the number be a number, or an expiry could be moved from one
 * into the other: the digest does not tell where the salt ends, and the library does not check.
 *
 * @returns null when the challenge is not solved, is not ours or this website's, or has expired.
 */
export async function verifyProof(
  token: string,
  { key, websiteId, now }: Omit<Terms, 'maxNumber'>,
): Promise<Proof | null> {
  const payload = decodePayload(token);
  if (!payload || payload.algorithm !== ALGORITHM) return null;
  const { number, salt, challenge, signature } = payload;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return null;
  if (number < 0) return null;
  if (typeof challenge !== 'string' || !HEX_SHA256.test(challenge)) return null;
  if (typeof signature !== 'string' || !HEX_SHA256.test(signature)) return null;

  if (typeof salt !== 'string') return null;
  const [, website, expires] = SALT.exec(salt) ?? [];
  const expiresAt = new Date(Number(expires) * 1000);
  if (website !== websiteId || expiresAt <= now) return null;

  const solution = { algorithm: ALGORITHM, number, salt, challenge, signature } as const;
  // `false`: the library would check an expiry again, by another clock and by its own parsing of the salt.
  if (!(await verifySolution(solution, key, false))) return null;
  return { challenge: Buffer.from(challenge, 'hex'), expiresAt };
}
