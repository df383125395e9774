import type { Actor } from '../audit/audit.js';
import type { Transaction } from '../db/client.js';
import type { Outcome } from '../lib/changes.js';
import type { Cipher } from '../lib/cipher.js';
import type { Fault } from '../lib/faults.js';
import type { Teams } from '../teams/teams.service.js';
import type { Path } from './faults.js';

/** What a provision did, as in `form acme/contact`. */
export type Summary = { created: string[]; updated: string[]; removed: string[] };

/** One provision under way: what every part of it needs, and what it reports to. */
export type Run = Readonly<{
  tx: Transaction;
  cipher: Cipher;
  teams: Pick<Teams, 'setRole'>;
  actor: Actor;
  faults: Fault[];
  summary: Summary;
}>;

/** Puts an outcome into the summary. */
export function note(run: Run, outcome: Outcome | 'removed', what: string): void {
  if (outcome !== 'unchanged') run.summary[outcome].push(what);
}

/** Reports what a new thing lacks; whether it lacks nothing. */
export function hasAll<Entry extends object, Key extends keyof Entry & string>(
  run: Run,
  path: Path,
  entry: Entry,
  keys: readonly Key[],
): entry is Entry & { [K in Key]-?: Exclude<Entry[K], undefined> } {
  const missing = keys.filter((key) => entry[key] === undefined);
  for (const key of missing) run.faults.push({ path: [...path, key], message: 'is required' });
  return missing.length === 0;
}
