import { DAY_MS } from '../../lib/durations.js';
import { createDb } from '../client.js';
import type { Backfill } from './backfill.js';
import { type BackfillState, hasStates, readStates } from './backfills.queries.js';

function describe(state: BackfillState | undefined): string {
  if (!state) return 'not begun; a worker carries it out';
  const { doneAt, passes, remaining, startedAt } = state;
  if (doneAt) return `done at ${doneAt.toISOString()}`;
  if (remaining > 0 || passes === 0) return `pass ${passes + 1} of 2, about ${remaining} rows left`;
  const again = new Date(startedAt.getTime() + DAY_MS).toISOString();
  return `pass ${passes} of 2 done; the next one, for rows of the version before, begins at ${again}`;
}

/** Says of each backfill, in a line, how far it is in a database, which need not have any migration. */
export async function describeBackfills(
  databaseUrl: string,
  registry: readonly Backfill[],
): Promise<string[]> {
  const db = createDb(databaseUrl);
  try {
    const states = (await hasStates(db)) ? await readStates(db) : [];
    return registry.map(({ name }) => `${name}: ${describe(states.find((state) => state.name === name))}`);
  } finally {
    await db.close();
  }
}
