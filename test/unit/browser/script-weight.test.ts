import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

// Not a check of the build: another Node compresses a little less, and would build nothing.
test.each(['formgate.js', 'formgate.mjs', 'preview.js'])('%s weighs at most 15 kB compressed', (file) => {
  const code = readFileSync(new URL(`../../../dist/assets/${file}`, import.meta.url));
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(15_000);
});
