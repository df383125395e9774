// The `formgate` command from a checkout: builds what is stale, then runs it in this same process, so
// that signals reach it.
import { build } from './build.js';

await build();
await import('../dist/cli.js');
