import type pg from 'pg';

/** Lock modes from weak to strong, with what each means for the requests of a running installation. */
const LOCKS = {
  'ROW EXCLUSIVE': 'reads and writes go on',
  'SHARE UPDATE EXCLUSIVE': 'reads and writes go on',
  SHARE: 'writes wait',
  'SHARE ROW EXCLUSIVE': 'writes wait',
  'ACCESS EXCLUSIVE': 'reads and writes wait',
} as const;

type Lock = keyof typeof LOCKS;

/** How much of the table a statement reads or writes; a change of the system catalogue alone takes moments. */
const WORK = ['moments', 'scan', 'rewrite'] as const;

/** What one statement does to a table: the lock that it takes, and how long it keeps it. */
export type Effect = {
  relation: string;
  lock: Lock;
  work: (typeof WORK)[number];
  /** The column that gets a new type, and the type: what the old one was decides whether the table is rewritten. */
  retyped?: Readonly<{ column: string; type: string }>;
};

const NAME = String.raw`(?:ONLY )?((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?)`;
const IF = '(?:IF (?:NOT )?EXISTS )?';

const matcher = (pattern: string) => new RegExp(`^${pattern.replace('$if', IF).replace('$name', NAME)}`, 'i');

/** Statements whose lock follows from their first words; each locks the table, or the index's table. */
const RULES: readonly [RegExp, Lock, Effect['work']][] = [
  [matcher('CREATE (?:UNIQUE )?INDEX CONCURRENTLY .*? ON $name'), 'SHARE UPDATE EXCLUSIVE', 'scan'],
  [matcher('CREATE (?:UNIQUE )?INDEX.*? ON $name'), 'SHARE', 'scan'],
  [matcher('DROP INDEX CONCURRENTLY $if$name'), 'SHARE UPDATE EXCLUSIVE', 'moments'],
  [matcher('DROP INDEX $if$name'), 'ACCESS EXCLUSIVE', 'moments'],
  [matcher('ALTER INDEX $if$name'), 'SHARE UPDATE EXCLUSIVE', 'moments'],
  [matcher('DROP TABLE $if$name'), 'ACCESS EXCLUSIVE', 'moments'],
  [matcher('TRUNCATE (?:TABLE )?$name'), 'ACCESS EXCLUSIVE', 'moments'],
  [matcher('CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER .*? ON $name'), 'SHARE ROW EXCLUSIVE', 'moments'],
  [matcher('DROP TRIGGER .*? ON $name'), 'ACCESS EXCLUSIVE', 'moments'],
  [matcher('(?:UPDATE|DELETE FROM) $name'), 'ROW EXCLUSIVE', 'scan'],
  [matcher('INSERT INTO $name'), 'ROW EXCLUSIVE', 'moments'],
];

const ALTER_TABLE = matcher('ALTER TABLE $if$name (.*)');
const REFERENCES = new RegExp(`\\bREFERENCES ${NAME}`, 'gi');

/** Actions of ALTER TABLE by what they need; anything else is ACCESS EXCLUSIVE, for moments. */
const LIGHT = /^(ALTER (COLUMN )?\S+ SET STATISTICS|VALIDATE CONSTRAINT|SET \()/i;
const FOREIGN_KEY = /^ADD (CONSTRAINT \S+ )?FOREIGN KEY/i;
const RETYPE = /^ALTER (?:COLUMN )?(\S+) (?:SET DATA )?TYPE (.*)$/i;
const REWRITE =
  /^ADD .*(\b(GENERATED|(small|big)?serial)\b|\b(gen_random_uuid|uuidv7|random|clock_timestamp|nextval)\()/i;
const SCAN = /^VALIDATE|SET NOT NULL|^ADD (CONSTRAINT \S+ )?(FOREIGN KEY|CHECK|PRIMARY KEY|UNIQUE|EXCLUDE)/i;
const NO_SCAN = /NOT VALID|USING INDEX/i;

/** Splits a script into statements without comments, literals and bodies of functions. */
export function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g, (found) =>
      /^['$]/.test(found) ? "''" : ' ',
    )
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean);
}

function effectOfAction(relation: string, action: string): Effect {
  const [, column, type] = RETYPE.exec(action) ?? [];
  if (column && type)
    return { relation, lock: 'ACCESS EXCLUSIVE', work: 'rewrite', retyped: { column, type } };
  const isScan = SCAN.test(action) && !NO_SCAN.test(action);
  const work = REWRITE.test(action) ? 'rewrite' : isScan ? 'scan' : 'moments';
  if (LIGHT.test(action)) return { relation, lock: 'SHARE UPDATE EXCLUSIVE', work };
  return { relation, lock: FOREIGN_KEY.test(action) ? 'SHARE ROW EXCLUSIVE' : 'ACCESS EXCLUSIVE', work };
}

/** Reads which tables a statement locks, as `statementsOf` returns it. */
export function effectsOf(statement: string): Effect[] {
  const referred = [...statement.matchAll(REFERENCES)].map(
    ([, relation]): Effect => ({ relation: relation!, lock: 'SHARE ROW EXCLUSIVE', work: 'moments' }),
  );
  const [, altered, actions] = ALTER_TABLE.exec(statement) ?? [];
  if (altered && actions) {
    // A comma inside parentheses separates no actions.
    const each = actions.split(/,(?![^(]*\)) ?/).map((action) => effectOfAction(altered, action));
    return [...each, ...referred];
  }
  for (const [pattern, lock, work] of RULES) {
    const relation = pattern.exec(statement)?.[1];
    if (relation) return [{ relation, lock, work }, ...referred];
  }
  return referred;
}

type Table = { name: string; rows: number; size: string };

/** Finds the table, or the index's table, behind a name; undefined for one that the migration itself creates. */
async function findTable(client: pg.Client, relation: string): Promise<Table | undefined> {
  const { rows } = await client.query<Table>(
    `SELECT relname AS name, reltuples::float8 AS rows, pg_size_pretty(pg_table_size(oid)) AS size
       FROM pg_class
      WHERE oid = coalesce((SELECT indrelid FROM pg_index WHERE indexrelid = to_regclass($1)), to_regclass($1))`,
    [relation],
  );
  return rows[0];
}

/** Types that hold texts of any length (without `length`), or up to it. */
const TEXT_TYPE = /^(?:TEXT|(?:VARCHAR|CHARACTER VARYING)(?: ?\((?<length>\d+)\))?)$/i;

/** The most characters that a type of texts holds; null for any other type. */
function capacityOf(type: string): number | null {
  const { groups } = TEXT_TYPE.exec(type) ?? {};
  return groups ? Number(groups.length ?? Number.POSITIVE_INFINITY) : null;
}

/** Tells whether a column's new type holds every text of its present one, so that no row needs to be read. */
async function isWidening(client: pg.Client, { relation, retyped }: Effect): Promise<boolean> {
  if (!retyped) return false;
  const { rows } = await client.query<{ type: string }>(
    `SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attname = (parse_ident($2))[1]`,
    [relation, retyped.column],
  );
  const present = capacityOf(rows[0]?.type ?? '');
  const next = capacityOf(retyped.type);
  return present !== null && next !== null && next >= present;
}

const strongest = <T>(order: readonly T[], values: readonly T[]): T =>
  values.reduce((one, other) => (order.indexOf(other) > order.indexOf(one) ? other : one));

function describe({ name, rows, size }: Table, effects: readonly Effect[]): string {
  const lock = strongest(
    Object.keys(LOCKS) as Lock[],
    effects.map((effect) => effect.lock),
  );
  const work = strongest(
    WORK,
    effects.map((effect) => effect.work),
  );
  const extent = rows < 0 ? size : `about ${rows} rows, ${size}`;
  const duration = {
    moments: 'for moments',
    scan: `while it reads ${extent}`,
    rewrite: `while it rewrites ${extent}`,
  };
  return `${name} in ${lock} (${LOCKS[lock]}) ${duration[work]}`;
}

/**
 * Says which tables a migration locks, how, and about how long, as far as its statements show: what a DO block
 * or a function does is not seen.
 */
export async function describeLocks(client: pg.Client, sql: string): Promise<string> {
  const byTable = new Map<string, { table: Table; effects: Effect[] }>();
  for (const effect of statementsOf(sql).flatMap(effectsOf)) {
    const table = await findTable(client, effect.relation);
    if (!table) continue;
    const entry = byTable.get(table.name) ?? { table, effects: [] };
    entry.effects.push((await isWidening(client, effect)) ? { ...effect, work: 'moments' } : effect);
    byTable.set(table.name, entry);
  }
  const tables = [...byTable.values()].map(({ table, effects }) => describe(table, effects));
  return tables.join('; ') || 'no table that exists';
}
