import type pg from 'pg';
import { StartError } from '../../errors.js';

/** The schema of every table. Prisma's statements name it; migrations and raw SQL rely on the session's. */
const SCHEMA = 'public';

/** Session of a connection; `isAsked`: the connection asked for its search_path, whatever its role has. */
type Session = Readonly<{ schema: string | null; role: string; database: string; isAsked: boolean }>;

/**
 * Requires that a connection works in the schema `public`. Elsewhere the migrations would make tables that Prisma does
 * not find, as in a schema of the role's own name, which is the first of PostgreSQL's default search_path.
 *
 * @throws StartError with what to set.
 */
export async function requirePublicSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Session>(`
    SELECT current_schema() AS schema, quote_ident(current_user) AS role,
           quote_ident(current_database()) AS database, source = 'client' AS "isAsked"
      FROM pg_settings WHERE name = 'search_path'`);
  const { schema, role, database, isAsked } = rows[0]!;
  if (schema === SCHEMA) return;
  const found = schema === null ? 'no schema' : `the schema "${schema}"`;
  const remedy = isAsked
    ? 'leave search_path out of the options in the address'
    : `ALTER ROLE ${role} IN DATABASE ${database} SET search_path = ${SCHEMA}; GRANT USAGE, CREATE ON SCHEMA ${SCHEMA} TO ${role}`;
  throw new StartError(
    `PostgreSQL's role ${role} works in ${found}, and Formgate needs "${SCHEMA}": ${remedy}.`,
  );
}
