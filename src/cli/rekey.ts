import { setTimeout as pause } from 'node:timers/promises';
import { secondFactorSecrets } from '../auth/second-factor/second-factor-secret.js';
import { stepSecrets } from '../captcha/editing/save-chain.js';
import { ROTATION_NOTICED_WITHIN_MS } from '../db/app-key.js';
import { rekeyColumn } from '../db/rekey.js';
import type { SecretColumn } from '../db/secrets.queries.js';
import { StartError } from '../errors.js';
import type { Services } from '../services.js';
import { receiptKeys } from '../submissions/person/erasure-receipt.js';
import { webhookSecrets } from '../webhooks/signing.js';
import { signatureKeys } from '../websites/signatures/signature-key.js';
import { print } from './output.js';
import { withServices } from './runtime.js';

/** Every column of the database that is encrypted under APP_KEY, except the key check of `db/app-key.ts`. */
export const SECRET_COLUMNS: readonly SecretColumn[] = [
  signatureKeys,
  ...stepSecrets,
  ...webhookSecrets,
  receiptKeys,
  secondFactorSecrets,
];

/** Pause before another reading, for secrets that an open transaction has locked. */
const AGAIN_AFTER_MS = 1_000;

/** Reads every column once. @returns the sums, and the secrets that cannot be read, by kind and id. */
async function readOnce({ db, cipher }: Services) {
  const sums = { renewed: 0, missed: 0, unreadable: [] as string[] };
  for (const column of SECRET_COLUMNS) {
    const { renewed, missed, unreadable } = await rekeyColumn({ db, cipher }, column, (sofar) =>
      print(`${column.kind}: ${sofar.read} read, ${sofar.renewed} encrypted anew`),
    );
    sums.renewed += renewed;
    sums.missed += missed;
    sums.unreadable.push(...unreadable.map((id) => `${column.kind} ${id}`));
  }
  return sums;
}

/**
 * `formgate rekey`: encrypts every secret anew under APP_KEY, until a reading finds none under the previous key.
 *
 * @throws StartError when secrets can be read under neither key; all others are re-encrypted then.
 */
export async function rekeyCommand(): Promise<void> {
  await withServices('rekey', async (services) => {
    const isRotating = await services.appKeyCheck.beginRotation();
    if (isRotating) {
      print('From now on every process encrypts and signs with APP_KEY.');
      await pause(ROTATION_NOTICED_WITHIN_MS);
    }
    let total = 0;
    let last = await readOnce(services);
    while (last.renewed + last.missed > 0) {
      total += last.renewed;
      if (last.missed > 0) {
        print(`${last.missed} were locked or edited meanwhile; reading again.`);
        await pause(AGAIN_AFTER_MS);
      }
      last = await readOnce(services);
    }
    if (isRotating) await services.appKeyCheck.endRotation();
    const { unreadable } = last;
    if (unreadable.length > 0) {
      print(`${total} encrypted anew.`);
      const fault = 'These can be read under neither APP_KEY nor APP_KEY_PREVIOUS, and have to be set anew:';
      throw new StartError([fault, ...unreadable].join('\n  '));
    }
    print(
      total > 0
        ? `${total} encrypted anew; nothing is left under another key.`
        : 'Nothing is left to encrypt anew.',
    );
  });
}
