import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { migrationNames } from '../../src/db/migration/migrations.js';
import { VERSION } from '../../src/lib/telemetry/version.js';

const changelog = readFileSync('CHANGELOG.md', 'utf8');

test('the newest release of the changelog is the version of package.json', () => {
  const [newest] = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/gm)];
  expect(newest?.[1]).toBe(VERSION);
});

test('the changelog states the locks of each migration once, and of none that does not exist', () => {
  const listed = [...changelog.matchAll(/^\| `(\d{14}_\w+)` \| .*\w.* \|$/gm)].map(([, name]) => name);
  // The newest release stands first.
  expect(listed.sort()).toEqual(migrationNames());
});
