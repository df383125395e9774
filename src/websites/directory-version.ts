import type { Transaction } from '../db/client.js';

/**
 * Ends every cached directory of a team. Part of the transaction that changes one of its websites, so that
 * the next call after the commit reads the new version with its token and finds no directory under it.
 */
export async function endDirectory(tx: Transaction, teamId: number): Promise<void> {
  await tx.$executeRaw`UPDATE teams SET directory_version = gen_random_uuid() WHERE id = ${teamId}`;
}

/** As `endDirectory`, for the teams that have a website in a department. */
export async function endDirectoriesShowing(tx: Transaction, departmentCode: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE teams SET directory_version = gen_random_uuid()
     WHERE id IN (SELECT w.team_id FROM websites w
                    JOIN website_departments d ON d.website_id = w.id
                   WHERE d.department_code = ${departmentCode})`;
}
