import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateSecret, hashSecret } from '../../dist/tokens/token-secret.js';
import { compare, hammerInSlices } from '../load.js';

/** More tokens than the limit of 120 calls a minute for each can be felt with. */
const TOKENS = 16_384;

async function createTokens(database) {
  const secrets = Array.from({ length: TOKENS }, generateSecret);
  const rows = await database.query(
    `INSERT INTO tokens (team_id, user_id, name, abilities, secret_hash)
       SELECT m.team_id, m.user_id, 'bench', '{team:read}', hash
         FROM unnest($1::bytea[]) AS hash,
              (SELECT m.* FROM memberships m JOIN teams ON teams.id = m.team_id WHERE slug = 'seed-1') m
     RETURNING id, encode(secret_hash, 'hex') AS hash`,
    [secrets.map((secret) => Buffer.from(hashSecret(secret)))],
  );
  const ids = new Map(rows.map(({ id, hash }) => [hash, id]));
  return secrets.map((secret) => `${ids.get(Buffer.from(hashSecret(secret)).toString('hex'))}|${secret}`);
}

/** The website directory, with a token and the live check of its bearer's role. */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database);
  const path = '/api/websites';
  const requests = (await createTokens(database)).map((token) => ({
    path,
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
  }));
  const file = join(stack.directory, 'directory.json');
  await writeFile(file, await (await fetch(gateway.url + path, requests[0])).text());
  const baseline = await stack.baseline('json', [path, file]);
  const { perSecond, ratios, rounds } = await compare({
    baseline: () => hammerInSlices({ url: baseline.url, requests }),
    directory: () => hammerInSlices({ url: gateway.url, requests }),
  });
  await Promise.all([gateway.stop(), baseline.stop()]);
  return [
    {
      ...{
        path: 'GET /api/websites',
        figure: perSecond.directory,
        ratio: ratios.directory,
        atLeast: 0.5,
        rounds,
      },
      ...{ baseline: perSecond.baseline, baselineName: 'bare Express res.json of the same' },
    },
  ];
}
