import type { Cipher } from '../lib/crypto/cipher.js';
import type { Db } from './client.js';
import { type Renewal, readSecrets, replaceSecrets, type SecretColumn } from './secrets.queries.js';

/** Secrets that one statement reads, and one replaces. */
const PORTION = 500;

/** How one reading of a column ended. */
type Rekeyed = Readonly<{
  read: number;
  renewed: number;
  /** Secrets that were edited or locked meanwhile; the next reading finds those that are left. */
  missed: number;
  /** Ids of the rows whose secret can be read under neither key. */
  unreadable: readonly string[];
}>;

/**
 * Encrypts the secrets of a column anew under APP_KEY that are under the previous key, in portions.
 *
 * Each portion is committed by itself, and what is under APP_KEY is left alone, so it may be killed and repeated at any
 * time. It replaces only what has not changed since it was read.
 *
 * @param onPortion called after each portion with the sums so far.
 */
export async function rekeyColumn(
  { db, cipher }: Readonly<{ db: Db; cipher: Cipher }>,
  column: SecretColumn,
  onPortion: (sofar: Rekeyed) => void,
): Promise<Rekeyed> {
  const unreadable: string[] = [];
  let sums: Rekeyed = { read: 0, renewed: 0, missed: 0, unreadable };
  let after: string | null = null;
  for (;;) {
    const rows = await readSecrets(db, column, { after, limit: PORTION });
    const last = rows.at(-1);
    if (!last) return sums;
    const renewals: Renewal[] = [];
    for (const row of rows) {
      try {
        const renewed = cipher.renew(row.sealed, column.purposeOf(row));
        if (renewed) renewals.push({ id: row.id, before: row.sealed, after: renewed });
      } catch {
        unreadable.push(row.id);
      }
    }
    const renewed = renewals.length > 0 ? await replaceSecrets(db, column, renewals) : 0;
    sums = {
      read: sums.read + rows.length,
      renewed: sums.renewed + renewed,
      missed: sums.missed + renewals.length - renewed,
      unreadable,
    };
    onPortion(sums);
    after = last.id;
  }
}
