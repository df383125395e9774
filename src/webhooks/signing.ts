import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import type { SecretColumn } from '../db/secrets.queries.js';
import type { Prisma, Webhook, WebhookFormerSecret } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/crypto/cipher.js';

const SECRET_BYTES = 32;

/** The purpose of every secret of an endpoint: a rotation moves them from column to column as they are. */
const purpose = (webhookId: string): string => `webhook:${webhookId}:secret`;

const secretColumn = (kind: string, column: string): SecretColumn => ({
  kind,
  table: 'webhooks',
  idType: 'uuid',
  column,
  properties: '',
  purposeOf: ({ id }) => purpose(id),
});

/** The secrets that were rotated more than once since. */
const formerColumn: SecretColumn<{ webhookId: string }> = {
  kind: 'former secret of webhook',
  table: 'webhook_former_secrets',
  idType: 'uuid',
  column: 'secret_cipher',
  properties: ', webhook_id::text AS "webhookId"',
  purposeOf: ({ webhookId }) => purpose(webhookId),
};

/**
 * The columns of the secrets of endpoints, for `formgate rekey`.
 *
 * They are in the order in which rotations move a secret, so that one that moves while they are read is read again.
 */
export const webhookSecrets = [
  secretColumn('secret of webhook', 'secret_cipher'),
  secretColumn('previous secret of webhook', 'previous_cipher'),
  formerColumn,
] as const;

/** Generates a secret for an endpoint: the text to show once, and its ciphertext. */
export function generateSecret(cipher: Cipher, webhookId: string) {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { secret, secretCipher: cipher.encrypt(secret, purpose(webhookId)) };
}

/** What reads an endpoint with all its secrets. */
export const WITH_FORMER_SECRETS = {
  formerSecrets: { orderBy: { signsUntil: 'desc' } },
} as const satisfies Prisma.WebhookInclude;

type FormerSecret = Pick<WebhookFormerSecret, 'secretCipher' | 'signsUntil'>;

/** The stored secrets of an endpoint. */
export type StoredSecrets = Pick<Webhook, 'id' | 'secretCipher' | 'previousCipher' | 'previousUntil'> &
  Readonly<{ formerSecrets: readonly FormerSecret[] }>;

/** Selects the former secrets that still sign at a time, the latest first: each for a day after its rotation. */
export function formerSecretsAt(
  { previousCipher, previousUntil, formerSecrets }: StoredSecrets,
  now: Date,
): FormerSecret[] {
  const last =
    previousCipher && previousUntil ? [{ secretCipher: previousCipher, signsUntil: previousUntil }] : [];
  return [...last, ...formerSecrets].filter(({ signsUntil }) => signsUntil > now);
}

/** Opens the secrets that sign at a time: the present one, then the former ones. */
export const signingSecrets = (cipher: Cipher, stored: StoredSecrets, now: Date): string[] =>
  [stored, ...formerSecretsAt(stored, now)].map(({ secretCipher }) =>
    cipher.decrypt(secretCipher, purpose(stored.id)).toString(),
  );

/** Writes the `webhook-timestamp` of an attempt that begins at a time: seconds since 1970. */
export const timestampOf = (at: Date): string => String(Math.floor(at.getTime() / 1000));

/** Writes the headers of Standard Webhooks for a message. */
export const signedHeaders = (id: string, body: string, secrets: readonly string[], at: Date) => ({
  'webhook-id': id,
  'webhook-timestamp': timestampOf(at),
  'webhook-signature': secrets.map((secret) => new Signer(secret).sign(id, at, body)).join(' '),
});
