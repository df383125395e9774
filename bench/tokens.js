// Integration tokens of the seeded team.
import { generateSecret, hashSecret } from '../dist/modules/tokens/token-secret.js';

/** More tokens than the limit of 120 calls a minute for each can be felt with. */
const TOKENS = 16_384;

/** Creates tokens of the first seeded team, and returns their values. */
export async function createTokens(database) {
  const secrets = Array.from({ length: TOKENS }, generateSecret);
  const rows = await database.query(
    `INSERT INTO tokens (team_id, user_id, name, abilities, secret_hash)
       SELECT m.team_id, m.user_id, 'bench', '{team:read,team:submit}', hash
         FROM unnest($1::bytea[]) AS hash,
              (SELECT m.* FROM memberships m JOIN teams ON teams.id = m.team_id WHERE slug = 'seed-1') m
     RETURNING id, encode(secret_hash, 'hex') AS hash`,
    [secrets.map((secret) => Buffer.from(hashSecret(secret)))],
  );
  const ids = new Map(rows.map(({ id, hash }) => [hash, id]));
  return secrets.map((secret) => `${ids.get(Buffer.from(hashSecret(secret)).toString('hex'))}|${secret}`);
}
