import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import type { SecretColumn } from '../db/secrets.queries.js';
import type { Webhook } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/crypto/cipher.js';

const SECRET_BYTES = 32;

/** The purpose of both secrets of an endpoint: a rotation moves one from column to column as it is. */
const purpose = (webhookId: string): string => `webhook:${webhookId}:secret`;

const secretColumn = (kind: string, column: string): SecretColumn => ({
  ...{ kind, table: 'webhooks', idType: 'uuid', column, properties: '' },
  purposeOf: ({ id }) => purpose(id),
});

/** The columns of the secrets of endpoints, for `formgate rekey`. */
export const webhookSecrets: readonly SecretColumn[] = [
  secretColumn('secret of webhook', 'secret_cipher'),
  secretColumn('previous secret of webhook', 'previous_cipher'),
];

/** Generates a secret for an endpoint: the text to show once, and its ciphertext. */
export function generateSecret(cipher: Cipher, webhookId: string) {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { secret, secretCipher: cipher.encrypt(secret, purpose(webhookId)) };
}

/** The stored secrets of an endpoint. */
export type StoredSecrets = Pick<Webhook, 'id' | 'secretCipher' | 'previousCipher' | 'previousUntil'>;

/** Opens the secrets that sign at a time: the present one, and for a day after a rotation the one before it. */
export function signingSecrets(cipher: Cipher, stored: StoredSecrets, now: Date): string[] {
  const { id, secretCipher, previousCipher, previousUntil } = stored;
  const isRotating = previousCipher !== null && previousUntil !== null && previousUntil > now;
  return [secretCipher, ...(isRotating ? [previousCipher] : [])].map((sealed) =>
    cipher.decrypt(sealed, purpose(id)).toString(),
  );
}

/** Writes the headers of Standard Webhooks for a message. */
export const signedHeaders = (id: string, body: string, secrets: readonly string[], at: Date) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, at, body)).join(' '),
});
