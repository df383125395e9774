import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** What only raw SQL needs: Prisma's and the driver's calls, and the parts that statements are built of. */
const RAW_SQL =
  /\$(query|execute)Raw|\bPrisma\.(sql|raw|join|empty)\b|= Prisma;|\bdb\.sql\s*[<(]|\bclient\.query\(/;

/** Files and folders that contain SQL for a reason of their own. */
const EXCEPTIONS: Record<string, string> = {
  'db/': 'is the door to PostgreSQL itself',
  'embedded/': 'administers a cluster that has no schema yet',
  'http/health/readiness.ts': 'asks PostgreSQL about itself, and reads no table',
  'provision/apply.ts': 'takes an advisory lock, and reads no table',
  'submissions/inbox/listed-submission.ts': 'pairs the columns of a query with the parser of their JSON',
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('generated/'),
);

test('raw SQL stands in *.queries.ts and *.backfill.ts only', () => {
  const withSql = files.filter((path) => RAW_SQL.test(readFileSync(`src/${path}`, 'utf8')));
  const isExcepted = (path: string) => Object.keys(EXCEPTIONS).some((prefix) => path.startsWith(prefix));
  expect(withSql).toContain('tokens/tokens.queries.ts');
  expect(withSql.filter((path) => !/\.(queries|backfill)\.ts$/.test(path) && !isExcepted(path))).toEqual([]);
});
