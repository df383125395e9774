import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import type { Outcome } from '../../lib/changes.js';
import type { Fault } from '../../lib/faults.js';
import { endDirectoriesShowing } from '../websites.queries.js';

/** Creates a department in the directory, or renames it. */
export async function saveDepartment(
  tx: Transaction,
  { code, name }: { code: string; name: string },
  actor: Actor,
): Promise<Outcome> {
  const stored = await tx.department.findUnique({ where: { code } });
  if (stored?.name === name) return 'unchanged';
  await tx.department.upsert({ where: { code }, create: { code, name }, update: { name } });
  if (stored) await endDirectoriesShowing(tx, code);
  const outcome = stored ? 'updated' : 'created';
  await recordAudit(tx, actor, {
    teamId: null,
    action: `department.${outcome}`,
    subject: ['department', code],
    detail: { name },
  });
  return outcome;
}

/** Finds the codes that no department has. */
export async function unknownDepartments(
  tx: Pick<Transaction, 'department'>,
  codes: readonly string[],
): Promise<Set<string>> {
  const known = await tx.department.findMany({ where: { code: { in: [...codes] } } });
  const unknown = new Set(codes);
  for (const { code } of known) unknown.delete(code);
  return unknown;
}

/** Lists the faults of the setting `departments`: codes that no department has. */
export async function departmentFaults(tx: Transaction, codes: readonly string[]): Promise<Fault[]> {
  const unknown = await unknownDepartments(tx, codes);
  return codes.flatMap((code, index) =>
    unknown.has(code) ? [{ path: ['departments', index], message: `there is no department ${code}` }] : [],
  );
}
