import { Secret, TOTP } from 'otpauth';

/** Parameters that every authenticator app supports (RFC 6238). */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Steps by which the clock of a telephone may differ. */
const WINDOW = 1;

const SECRET_BYTES = 20;

/** The secret of an authenticator app as a person enters it, and as the address that a QR code holds. */
export type TotpSecret = Readonly<{ secret: string; uri: string }>;

const totpOf = (secret: string, label = '') =>
  new TOTP({ ...PARAMETERS, issuer: 'Formgate', label, secret: Secret.fromBase32(secret) });

/** Generates a secret in Base32. */
export const generateTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Builds what an authenticator app takes for an account. */
export const describeTotpSecret = (secret: string, account: string): TotpSecret => ({
  secret,
  uri: totpOf(secret, account).toString(),
});

/** Computes the code of a secret at an instant. */
export const totpCode = (secret: string, now: Date): string =>
  totpOf(secret).generate({ timestamp: now.getTime() });

/** Finds the time step of a code; null when it is no code of about now. */
export function totpStep(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : Math.floor(timestamp / 1000 / PARAMETERS.period) + delta;
}
