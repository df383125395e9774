import { randomBytes } from 'node:crypto';
import { byteaBytes, byteaText } from '../../db/bytea.js';
import type { SecretColumn } from '../../db/secrets.queries.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import type { StoredKey } from '../websites.queries.js';

const KEY_BYTES = 32;

/** A website's signature key: the secret to sign with, and the encrypted key as stored, as text from `storedText`. */
export type SignatureKey = Readonly<{ signatureKey: Uint8Array; storedSignatureKey: string }>;

const purpose = (websiteId: string): string => `website:${websiteId}:signature-key`;

/** Generates a signature key for a website, encrypted for storage. */
export const generateSignatureKey = (cipher: Cipher, websiteId: string): Uint8Array<ArrayBuffer> =>
  cipher.encrypt(randomBytes(KEY_BYTES), purpose(websiteId));

/** Converts a stored key to text, in PostgreSQL's format for bytes. */
export const storedText = ({ signatureKeyCipher }: StoredKey): string => byteaText(signatureKeyCipher);

/** Converts the text of a stored key back. */
export const storedKey = (id: string, storedSignatureKey: string): StoredKey => ({
  id,
  signatureKeyCipher: byteaBytes(storedSignatureKey),
});

/** The column of the signature keys, for `formgate rekey`. */
export const signatureKeys: SecretColumn = {
  kind: 'signature key of website',
  table: 'websites',
  idType: 'uuid',
  column: 'signature_key_cipher',
  properties: '',
  purposeOf: ({ id }) => purpose(id),
};

/** Decrypts a website's signature key, and keeps the stored form beside it. */
export const openSignatureKey = (cipher: Cipher, stored: StoredKey): SignatureKey => ({
  // Copy the key, because so short a Buffer is a slice of Node's pool and would keep the whole pool in memory.
  signatureKey: new Uint8Array(cipher.decrypt(stored.signatureKeyCipher, purpose(stored.id))),
  storedSignatureKey: storedText(stored),
});
