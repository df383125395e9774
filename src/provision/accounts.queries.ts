import type { Transaction } from '../db/client.js';
import type { Document } from './document.schema.js';

/**
 * Keeps the accounts that a document changes, or whose roles it changes, from being deleted until the transaction ends.
 *
 * Before anything else of them is locked, and in the order of a deletion: the two would wait for each other otherwise.
 */
export async function keepChangedAccounts(tx: Transaction, { users, teams }: Document): Promise<void> {
  const named = teams.flatMap(({ slug, members }) => (members ? [{ slug, members }] : []));
  // Without the passwords, which a database may log.
  const settings = users.map(({ email, name, staff }) => ({ email, name, staff }));
  const roles = named.flatMap(({ slug, members }) => members.map((member) => ({ slug, ...member })));
  await tx.$queryRaw`
    WITH named AS (
      SELECT slug, email, role FROM json_to_recordset(${JSON.stringify(roles)}::json) AS role (slug text, email text, role text)
    ), stored AS (
      SELECT t.slug, u.email, m.role::text
        FROM teams t JOIN memberships m ON m.team_id = t.id JOIN users u ON u.id = m.user_id
       WHERE t.slug = ANY (${named.map(({ slug }) => slug)})
    ), changed AS (
      SELECT email FROM (TABLE named EXCEPT TABLE stored) added
       UNION SELECT email FROM (TABLE stored EXCEPT TABLE named) removed
       UNION SELECT u.email
               FROM json_to_recordset(${JSON.stringify(settings)}::json) AS wanted (email text, name text, staff boolean)
               JOIN users u ON u.email = wanted.email
              WHERE u.name <> wanted.name OR u.staff <> wanted.staff
    )
    SELECT 1 FROM users WHERE email IN (SELECT email FROM changed) ORDER BY id FOR KEY SHARE`;
}
