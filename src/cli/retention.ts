import { print, table } from './output.js';
import { withServices } from './runtime.js';

/** `formgate retention`: deletes what is due now, or with `--dry-run` prints what that would be. */
export async function retentionCommand({ 'dry-run': isDry }: { 'dry-run'?: boolean }): Promise<void> {
  await withServices('retention', async ({ retention }) => {
    if (!isDry) return void print(`${await retention.runAgain()} leads deleted.`);
    const rows: string[][] = [];
    let total = 0;
    let isExact = true;
    for await (const { team, form, months, due, held, isExact: isFormExact } of retention.due()) {
      total += due;
      isExact &&= isFormExact;
      if (due > 0 || held > 0) {
        rows.push([team, form, String(months), `${isFormExact ? '' : 'over '}${due}`, String(held)]);
      }
    }
    if (rows.length > 0) print(table([['team', 'form', 'months', 'due', 'under legal hold'], ...rows]));
    print(`${isExact ? '' : 'Over '}${total} leads are due; nothing was deleted.`);
  });
}
