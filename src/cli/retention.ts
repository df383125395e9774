import { requireRightClock } from '../db/clock-skew.queries.js';
import { StartError } from '../errors.js';
import type { Services } from '../services.js';
import { print, table } from './output.js';
import { withReadServices, withServices } from './runtime.js';

/**
 * `formgate retention`: deletes what is due now. @throws StartError for a wrong clock, and when something is due still.
 */
async function deleteDue({ db, retention }: Services): Promise<void> {
  await requireRightClock(db);
  const { deleted, left } = await retention.runAgain();
  print(`${deleted} leads deleted.`);
  if (left > 0) {
    throw new StartError(`${left} leads are still due: other transactions hold them. Run it again later.`);
  }
}

/** `formgate retention --dry-run`: prints what is due by form. @throws StartError for a wrong clock. */
async function printDue({ db, retention }: Services): Promise<void> {
  await requireRightClock(db);
  const rows: string[][] = [];
  let total = 0;
  let isExact = true;
  for await (const { team, form, months, due, held, isExact: isFormExact } of retention.due()) {
    total += due;
    isExact &&= isFormExact;
    if (due > 0 || held > 0 || !isFormExact) {
      rows.push([team, form, String(months), `${isFormExact ? '' : 'at least '}${due}`, String(held)]);
    }
  }
  if (rows.length > 0) print(table([['team', 'form', 'months', 'due', 'under legal hold'], ...rows]));
  print(`${isExact ? '' : 'At least '}${total} leads are due; nothing was deleted.`);
}

/** `formgate retention`: deletes what is due now, or with `--dry-run` prints what that would be. */
export async function retentionCommand({ 'dry-run': isDry }: { 'dry-run'?: boolean }): Promise<void> {
  if (isDry) await withReadServices('retention', printDue);
  else await withServices('retention', deleteDue);
}
