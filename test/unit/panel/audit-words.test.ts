import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ACTIONS, auditDetail } from '../../../web/panel/parts/audit/audit-words.js';

/** What a recorded template such as `form.${outcome}` ends in. */
const OUTCOMES = ['created', 'updated'];

const lines = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
  .flatMap((name) => readFileSync(join('src', name), 'utf8').split('\n'))
  .filter((line) => /\baction\b|\brecord\(|_CHANGED =/.test(line));

/** Every action that the sources of the gateway record. */
const recorded = lines.flatMap((line) => [
  ...[...line.matchAll(/'([a-z_]+\.(?!csv|ndjson)[a-z_]+)'/g)].map(([, action]) => action!),
  ...[...line.matchAll(/`([a-z_]+)\.\$\{/g)].flatMap(([, noun]) => OUTCOMES.map((end) => `${noun}.${end}`)),
]);

test('every action of the audit trail has words', () => {
  expect(recorded.length).toBeGreaterThan(40);
  expect([...new Set(recorded)].filter((action) => !ACTIONS.includes(action))).toEqual([]);
});

test('a detail is the name, the address and the change, and nothing that is not a text', () => {
  expect(auditDetail({ email: 'a@b.test', from: 'member', to: 'admin', tokenIds: [1] })).toBe(
    'a@b.test · member → admin',
  );
  expect(auditDetail({ changed: ['name', 'staff'], from: null, to: 'owner' })).toBe('owner · name, staff');
  expect(auditDetail({})).toBe('');
});
