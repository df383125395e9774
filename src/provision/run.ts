import type { Actor } from '../audit/audit.js';
import type { Transaction } from '../db/client.js';
import type { Outcome } from '../lib/changes.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import type { Fault } from '../lib/faults.js';
import type { Teams } from '../teams/teams.service.js';
import type { Path } from './faults.js';

/** An outcome of a provision, as in `form acme/contact`. */
export type Summary = { created: string[]; updated: string[]; removed: string[] };

/** A provision in progress: its services, and what it collects: faults, summary, and the ids of updated websites. */
export type Run = Readonly<{
  tx: Transaction;
  cipher: Cipher;
  teams: Pick<Teams, 'setRole'>;
  actor: Actor;
  faults: Fault[];
  summary: Summary;
  websiteIds: Set<string>;
}>;

/** Adds an outcome to the summary. */
export function addToSummary(run: Run, outcome: Outcome | 'removed', what: string): void {
  if (outcome !== 'unchanged') run.summary[outcome].push(what);
}

/** Requires the settings of a new object: each missing one becomes a fault. @returns whether none is missing. */
export function checkSettings<Entry extends object, Key extends keyof Entry & string>(
  run: Run,
  path: Path,
  entry: Entry,
  keys: readonly Key[],
): entry is Entry & { [K in Key]-?: Exclude<Entry[K], undefined> } {
  const missing = keys.filter((key) => entry[key] === undefined);
  for (const key of missing) run.faults.push({ path: [...path, key], message: 'is required' });
  return missing.length === 0;
}
