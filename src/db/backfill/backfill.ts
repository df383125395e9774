import type { Transaction } from '../client.js';

/** The last row that a portion has read, and how many it has read. */
export type Portion = Readonly<{ last: string; rows: number }>;

/**
 * What a migration leaves to the workers: the rows of a table that are to be filled or rewritten while traffic goes on.
 * Rows that are as they should be stay untouched, so that a pass can be repeated.
 */
export type Backfill = Readonly<{
  /** Identifies it for good: in the table `backfills`, the log and the metrics. */
  name: string;
  /** The table that it goes through. */
  table: string;
  /**
   * Rewrites the next rows in the order of their key.
   *
   * @param after Key of the last row of the portion before; null: the first portion.
   * @returns null when no row is left.
   */
  rewrite(tx: Transaction, after: string | null, limit: number): Promise<Portion | null>;
}>;
