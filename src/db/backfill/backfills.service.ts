import type { Logger } from '../../lib/telemetry/logger.js';
import { backfillRowsLeft } from '../../lib/telemetry/metrics.js';
import type { Db } from '../client.js';
import { RUN_FOR_MS } from '../portions.js';
import type { Backfill } from './backfill.js';
import { advance, beginAll, endPass, estimate, lease, readStates } from './backfills.queries.js';

/** Rows of one portion, which is a transaction. */
const PORTION = 1_000;

const LOG_EVERY_MS = 30_000;

type Options = Readonly<{ db: Db; log: Logger; registry: readonly Backfill[] }>;

/**
 * Creates the runner of backfills. A portion and how far it got share one transaction, so that a kill at any moment
 * leaves a finished portion or nothing. A row lock keeps other workers away meanwhile, and ends with the connection.
 *
 * A backfill goes through its table twice: the second pass, a day later, meets the rows that processes of the version
 * before have written during the upgrade.
 */
export function createBackfills({ db, log, registry }: Options) {
  let loggedAt = performance.now();

  /** Rewrites one portion; returns false when the pass has ended or is not this worker's. */
  async function rewritePortion({ name, table, rewrite }: Backfill, limit: number): Promise<boolean> {
    const done = await db.orm.$transaction(async (tx) => {
      const pass = await lease(tx, name);
      if (!pass) return null;
      if (pass.cursor === null) await estimate(tx, name, table);
      const portion = await rewrite(tx, pass.cursor, limit);
      const remaining = portion ? await advance(tx, name, portion) : await endPass(tx, name);
      return { pass: pass.passes + 1, remaining };
    });
    if (done === null) return false;
    const { pass, remaining } = done;
    if (remaining === 0) log.info({ backfill: name, pass }, 'Backfill pass done');
    else if (performance.now() - loggedAt > LOG_EVERY_MS) {
      loggedAt = performance.now();
      log.info({ backfill: name, pass, remaining }, 'Backfill goes on');
    }
    return remaining > 0;
  }

  return {
    /** Carries on what is not done, one after the other, for three seconds at most. */
    async run(limit = PORTION): Promise<void> {
      const states = await readStates(db);
      const done = new Set(states.filter(({ doneAt }) => doneAt).map(({ name }) => name));
      const open = registry.filter(({ name }) => !done.has(name));
      if (open.length > 0) await beginAll(db, open);
      const endsAt = performance.now() + RUN_FOR_MS;
      for (const backfill of open) {
        while (await rewritePortion(backfill, limit)) if (performance.now() > endsAt) return;
      }
    },

    /** Updates the gauge of the rows left; a backfill that has not begun is left out. */
    async measure(): Promise<void> {
      const states = new Map((await readStates(db)).map((state) => [state.name, state]));
      for (const { name } of registry) {
        const state = states.get(name);
        if (state) backfillRowsLeft.set({ backfill: name }, state.remaining);
      }
    },
  };
}
