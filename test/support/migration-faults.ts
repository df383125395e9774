import { effectsOf, statementsOf } from '../../src/db/migration/migration-locks.js';

/** What a statement does to the previous version's processes, which run beside the migrated schema. */
const BREAKS: readonly [RegExp, string][] = [
  [/^DROP TABLE/i, 'the previous version uses the table'],
  [
    /^ALTER TABLE .* DROP (?:COLUMN )?(?!CONSTRAINT|DEFAULT|NOT NULL)"?\w/i,
    'the previous version uses the column',
  ],
  [/^ALTER TABLE .* RENAME /i, 'the previous version uses the name'],
];

const NAME = '(?:"?\\w+"?\\.)?"?(\\w+)"?';
const CREATED_TABLE = new RegExp(`^CREATE TABLE (?:IF NOT EXISTS )?${NAME}`, 'i');
const DROPPED_DEFAULT = /^ALTER TABLE .* DROP DEFAULT/i;
const NOT_NULL = new RegExp(`ALTER (?:COLUMN )?${NAME} SET NOT NULL`, 'gi');
const BARE_COLUMN = /^(?!.*\bDEFAULT\b)ADD (?:COLUMN )?.*\bNOT NULL\b(?!\))/i;
const ADDED_CHECK = new RegExp(`ADD CONSTRAINT ${NAME} CHECK \\(+${NAME} IS NOT NULL\\)+ NOT VALID`, 'gi');

/** The name without its schema and quotes. */
const bare = (relation: string): string => relation.split('.').at(-1)!.replaceAll('"', '');

/** Tells whether an earlier migration has proved that a column has no NULL, so that SET NOT NULL reads no row. */
function isProved(table: string, column: string, earlier: readonly string[]): boolean {
  const ofTable = earlier.filter((statement) =>
    new RegExp(`^ALTER TABLE (?:ONLY )?"?${table}"? `, 'i').test(statement),
  );
  const checks = ofTable
    .flatMap((statement) => [...statement.matchAll(ADDED_CHECK)])
    .filter(([, , checked]) => checked === column);
  return checks.some(([, constraint]) =>
    ofTable.some((statement) => new RegExp(`VALIDATE CONSTRAINT "?${constraint}"?`, 'i').test(statement)),
  );
}

function faultsOf(statement: string, created: ReadonlySet<string>, earlier: readonly string[]): string[] {
  if (/^ALTER TYPE .* RENAME /i.test(statement)) return ['the previous version uses the name'];
  const touched = effectsOf(statement).filter(({ relation }) => !created.has(bare(relation)));
  const [first] = touched;
  if (!first) return [];
  const table = bare(first.relation);
  const columns = [...statement.matchAll(NOT_NULL)].map(([, column]) => column!);
  const isConstraintProved =
    columns.length > 0 && columns.every((column) => isProved(table, column, earlier));
  const actions = statement.replace(/^ALTER TABLE \S+ /i, '').split(/,(?![^(]*\)) ?/);
  const breaks = BREAKS.filter(([pattern]) => pattern.test(statement)).map(([, why]) => why);
  if (actions.some((action) => BARE_COLUMN.test(action)) && /^ALTER TABLE/i.test(statement))
    breaks.push('the previous version inserts rows without the column');
  if (DROPPED_DEFAULT.test(statement)) breaks.push('the previous version relies on the default');
  const slow = touched
    .filter(({ work, lock }) => work !== 'moments' && lock !== 'SHARE UPDATE EXCLUSIVE')
    .filter(() => !isConstraintProved)
    .map(({ relation, work }) =>
      work === 'rewrite' ? `rewrites ${bare(relation)}` : `reads all of ${bare(relation)}`,
    );
  return [...new Set([...slow, ...breaks])];
}

/**
 * Finds the statements of a migration that hold up an installation under traffic, or that the previous version cannot
 * run beside: what reads or rewrites a table that exists, and what takes something away.
 *
 * What a DO block or a function does is not seen.
 *
 * @param before The SQL of all earlier migrations.
 * @returns a line for each fault: the statement's beginning, and why.
 */
export function migrationFaults(sql: string, before: readonly string[] = []): string[] {
  const earlier = before.flatMap(statementsOf);
  const statements = statementsOf(sql);
  const created = new Set(statements.flatMap((statement) => CREATED_TABLE.exec(statement)?.[1] ?? []));
  return statements.flatMap((statement) =>
    faultsOf(statement, created, earlier).map((why) => `${statement.slice(0, 80)}: ${why}`),
  );
}
