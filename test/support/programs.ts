import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

/**
 * A group of tests that need programs of the machine. Without one the run says loudly that it leaves them out; with
 * REQUIRE_PROGRAMS it fails.
 */
export function describeWith(...programs: readonly string[]) {
  const missing = programs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (missing.length === 0) return describe;
  const message = `${missing.join(' and ')} not on the PATH`;
  if (process.env.REQUIRE_PROGRAMS) throw new Error(message);
  process.stderr.write(`\n*** ${message}: THE TESTS THAT NEED IT ARE LEFT OUT. ***\n\n`);
  return describe.skip;
}
