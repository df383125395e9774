import type { SecretColumn } from '../../db/secrets.queries.js';

/** Returns the purpose that binds an encrypted secret to its account. */
export const secretPurpose = (userId: number): string => `user:${userId}:totp`;

/** The column of the secrets of authenticator apps, for `formgate rekey`. */
export const secondFactorSecrets: SecretColumn<{ userId: number }> = {
  kind: 'authenticator app',
  table: 'second_factors',
  idType: 'int',
  column: 'secret_cipher',
  properties: ', user_id AS "userId"',
  purposeOf: ({ userId }) => secretPurpose(userId),
};
