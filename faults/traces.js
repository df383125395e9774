import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Counts the rows of a dump in which a pattern stands; each row is a line of it. */
export async function tracesInDump(postgres, bin, pattern) {
  const dump = spawn(join(bin, 'pg_dump'), [postgres.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(dump, 'exit');
  let [lines, traces] = [0, 0];
  for await (const line of createInterface({ input: dump.stdout })) {
    lines += 1;
    if (pattern.test(line)) traces += 1;
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`pg_dump has ended with ${code}.`);
  return { traces, where: `a dump of ${lines.toLocaleString('en')} lines` };
}

/** Counts the rows of all tables, read as text, in which a pattern stands: where no `pg_dump` fits the server. */
export async function tracesInTables(postgres, pattern) {
  const tables = await postgres.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  let traces = 0;
  for (const { name } of tables) {
    const [{ count }] = await postgres.query(
      `SELECT count(*)::int AS count FROM ${name} t WHERE t::text ~ $1`,
      [pattern.source],
    );
    traces += count;
  }
  return { traces, where: `${tables.length} tables` };
}
