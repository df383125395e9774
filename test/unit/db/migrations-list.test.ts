import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { readMigrations } from '../../../src/db/migration/migrations.js';

const LIST = new URL('../../../prisma/migrations.sha256', import.meta.url);
const FILES = 'prisma/migrations/*/migration.sql';

/** Migrations that were edited after their first commit, before any release had them, with their digests since. */
const EDITED_BEFORE_A_RELEASE: Record<string, string> = {
  '20261120235925_initial': 'da0ea7f464ea035757302db8af0c8c2e74bc2e790cdeb592ec3d4a95bccdced5',
  '20261121010124_directory_version': 'a19ee6435545895c00013938d4c0e3b3078ed02d09e287405b9911c737179aa5',
  '20261121040000_search_index_gathers': '7cd1f460ddc5d6fabb1f227443bbc751cd819972ceebfa549fbec0e0149c8c77',
  '20261121094032_search_words': '50cbfc4b5e7e021a341d904c85b53c5f3f66fac837794d4f421f35ce787509cd',
  '20261123130001_visits_by_age': '3bbbc6863431681aa270ed27ba05adf781cb49e0fe2b9b794e4c9c80c0fba86d',
  '20261124190001_daily_counts': '534bc2cbcbd44edc92ed1c91b109111aca367058f8cd247114e66d92429c27c8',
  '20261124190201_spam': 'db34a19e72fb33ad58ed719bb6ccd4148ff3c6c5a66286b760dfbdce0a5ed63e',
  '20261124190400_retention': '66d848aa56af2c0ecdc4013dfac1b137140c0b65d87dea0be1f29fe03ef92908',
  '20261129100000_daily_spam': 'bd8a55cba437ec21244b3134649d87a3cfd63cab37b34291846bf90411434003',
  '20261130200001_former_counts': '6f9121bcd080b64e01528054799f9610f06cee202f114618331b506f257db036',
};

const git = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe', maxBuffer: 100_000_000 });

/** Tells whether this folder is a clone with its whole history; an archive or a shallow clone has none. */
function hasHistory(): boolean {
  try {
    return git('rev-parse', '--is-shallow-repository').trim() === 'false';
  } catch {
    return false;
  }
}

/** Maps each migration that was ever committed to the digest of its content at its first commit. */
function firstDigests(): Map<string, string> {
  const log = git(
    'log',
    '--reverse',
    '--no-renames',
    '--diff-filter=A',
    '--format=@%H',
    '--name-only',
    '--',
    FILES,
  );
  const digests = new Map<string, string>();
  for (const chunk of log.split('@').slice(1)) {
    const [commit, ...paths] = chunk.split('\n').filter(Boolean);
    for (const path of paths) {
      const name = path.split('/')[2]!;
      const content = git('show', `${commit}:${path}`).replaceAll('\r\n', '\n');
      if (!digests.has(name)) digests.set(name, createHash('sha256').update(content).digest('hex'));
    }
  }
  return digests;
}

test('every migration is listed with its unchanged digest', async () => {
  const listed = (await readFile(LIST, 'utf8')).trim().split('\n').sort();
  const found = readMigrations().map(({ name, checksum }) => `${checksum}  migrations/${name}/migration.sql`);
  expect(found.sort()).toEqual(listed);
});

const withHistory = hasHistory() ? test : test.skip;

withHistory('no migration differs from what its first commit says, whatever the list does', () => {
  const first = firstDigests();
  const committed = readMigrations().filter(({ name }) => first.has(name));
  expect(committed.length).toBeGreaterThan(40);
  const present = committed.map(({ name, checksum }) => [name, checksum]);
  const expected = committed.map(({ name }) => [name, EDITED_BEFORE_A_RELEASE[name] ?? first.get(name)]);
  expect(present).toEqual(expected);
});
