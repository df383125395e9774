import type { Transaction } from '../db/client.js';

/**
 * Invalidates every cached directory of a team. It runs in the transaction that changes one of the team's websites, so
 * that the next call after the commit reads the new version with its token and finds no entry under it.
 */
export async function endDirectory(tx: Transaction, teamId: number): Promise<void> {
  await tx.$executeRaw`UPDATE teams SET directory_version = gen_random_uuid() WHERE id = ${teamId}`;
}

/** Invalidates the directories of the teams that have a website in a department, as `endDirectory` does. */
export async function endDirectoriesShowing(tx: Transaction, departmentCode: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE teams SET directory_version = gen_random_uuid()
     WHERE id IN (SELECT w.team_id FROM websites w
                    JOIN website_departments d ON d.website_id = w.id
                   WHERE d.department_code = ${departmentCode})`;
}
