import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { StartError } from '../errors.js';

/** Where this package keeps its Prisma schema and migrations. */
export const PRISMA_DIRECTORY = fileURLToPath(new URL('../../prisma/', import.meta.url));

const SCHEMA_FILE = `${PRISMA_DIRECTORY}schema.prisma`;

/** Processes that migrate the same database take turns on this advisory lock. */
const MIGRATION_LOCK = 0x666d6774;

const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** The part of WebAssembly used here; neither Node's types nor TypeScript's ES library declare it. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let engineModule: Promise<typeof bindings> | undefined;

/** Loads Prisma's schema engine once per process: 5 MB of WebAssembly that only migrations need. */
function loadEngine(): Promise<typeof bindings> {
  engineModule ??= (async () => {
    const require = createRequire(import.meta.url);
    const file = require.resolve('@prisma/schema-engine-wasm').replace(/[^/\\]+$/, 'schema_engine_bg.wasm');
    // The engine never clears its ten-second timer, which would keep the process alive as long.
    const setTimer = Object.keys(bindings).find((name) => name.startsWith('__wbg_setTimeout'));
    const unrefTimer = (callback: () => void, ms: number) => setTimeout(callback, ms).unref();
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': { ...bindings, ...(setTimer && { [setTimer]: unrefTimer }) },
    });
    const untyped = bindings as unknown as { __wbg_set_wasm(exports: object): void };
    untyped.__wbg_set_wasm(instance.exports);
    // The engine reports a panic through this global before it throws.
    Object.assign(globalThis, {
      PRISMA_WASM_PANIC_REGISTRY: { set_message: (message: string) => console.error(message) },
    });
    (instance.exports.__wbindgen_start as () => void)();
    return bindings;
  })();
  return engineModule;
}

const CHAR_OID = 18;
const TEXT_OID = 25;

/**
 * What the adapter takes for a pool, and is one connection inside one transaction. A statement that fails
 * is undone alone, since the engine goes on after some: it asks for its table to see whether it is there.
 */
function asPool(client: pg.Client, onResult: (fields: pg.FieldDef[]) => void): pg.Pool {
  async function query(config: pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    await client.query('SAVEPOINT statement');
    try {
      const result = await client.query(config, values);
      onResult(result.fields ?? []);
      return result;
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT statement');
      throw error;
    }
  }
  return Object.assign(new pg.Pool(), { query });
}

type Engine = Readonly<{ engine: SchemaEngine; failed(): { script: string; error: Error } | undefined }>;

/** Opens Prisma's schema engine on a connection. Scripts run whole, so a function body may hold semicolons. */
async function openEngine(client: pg.Client): Promise<Engine> {
  let failed: { script: string; error: Error } | undefined;
  let charColumns: number[] = [];
  // The adapter does not know PostgreSQL's internal type "char", of which the catalogues are full.
  const pool = asPool(client, (fields) => {
    charColumns = fields.flatMap((field, index) => (field.dataTypeID === CHAR_OID ? index : []));
    for (const index of charColumns) fields[index]!.dataTypeID = TEXT_OID;
  });
  const factory = new PrismaPg(pool);

  async function connect() {
    const adapter = await factory.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    return Object.assign(adapter, {
      async queryRaw(query: SqlQuery) {
        const result = await queryRaw(query);
        for (const index of charColumns) result.columnTypes[index] = ColumnTypeEnum.Character;
        return result;
      },
      async executeScript(script: string) {
        try {
          await pool.query(script);
        } catch (error) {
          failed = { script, error: error as Error };
          throw error;
        }
      },
    });
  }

  const { SchemaEngine } = await loadEngine();
  const engine = await SchemaEngine.new(
    { datamodels: [['schema.prisma', await readFile(SCHEMA_FILE, 'utf8')]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory({
      provider: factory.provider,
      adapterName: factory.adapterName,
      connect,
      connectToShadowDb: () => factory.connectToShadowDb(),
    }),
  );
  return { engine, failed: () => failed };
}

/** Runs work in one transaction on one connection; it is undone unless the work commits. */
async function inTransaction<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Reads the migrations of this package in the form the engine takes them. */
async function readMigrations(directory = `${PRISMA_DIRECTORY}migrations`): Promise<MigrationList> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir: directory,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(`${directory}/migration_lock.toml`, 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok' as const,
            value: await readFile(`${directory}/${name}/migration.sql`, 'utf8'),
          },
        },
      })),
    ),
  };
}

/**
 * Whether exactly these migrations have been applied as they stand: then there is no need of the engine, which
 * would occupy 100 MB for the life of the process.
 */
async function isUpToDate(client: pg.Client, { migrationDirectories }: MigrationList): Promise<boolean> {
  const { rows: tables } = await client.query(`SELECT to_regclass('_prisma_migrations') AS name`);
  if (tables[0].name === null) return false;
  const { rows } = await client.query<{ line: string }>(
    `SELECT migration_name || ' ' || checksum || ' ' ||
            (finished_at IS NOT NULL AND rolled_back_at IS NULL) AS line FROM _prisma_migrations`,
  );
  const expected = migrationDirectories.map(({ path, migrationFile: { content } }) => {
    const text = content.tag === 'ok' ? content.value : '';
    return `${path} ${createHash('sha256').update(text).digest('hex')} true`;
  });
  const applied = new Set(rows.map(({ line }) => line));
  return rows.length === expected.length && expected.every((line) => applied.has(line));
}

/**
 * Applies the pending migrations and returns their names; none the second time.
 *
 * All of it is one transaction on one connection, behind an advisory lock: processes that start
 * together take turns, and one that is killed half-way leaves the database as it was.
 *
 * @throws StartError when an applied migration was edited since, naming it, or when one fails.
 */
export async function migrate(databaseUrl: string, directory?: string): Promise<string[]> {
  const migrationsList = await readMigrations(directory);
  return inTransaction(databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    if (await isUpToDate(client, migrationsList)) return [];
    const { engine, failed } = await openEngine(client);
    const { editedMigrationNames, history } = await engine.diagnoseMigrationHistory({
      migrationsList,
      optInToShadowDatabase: false,
      filters: NO_FILTERS,
    });
    if (editedMigrationNames.length > 0) {
      throw new StartError(
        `Edited after it was applied: ${editedMigrationNames.join(', ')}. Restore the original file and put the change into a new migration.`,
      );
    }
    if (history && history.diagnostic !== 'databaseIsBehind') {
      throw new StartError(
        `The database has migrations that this version does not know: ${history.unpersistedMigrationNames.join(', ')}. Run the version that applied them, or a later one.`,
      );
    }
    const { appliedMigrationNames } = await engine
      .applyMigrations({ migrationsList, filters: NO_FILTERS })
      .catch((error) => {
        const failure = failed();
        if (!failure) throw error;
        const name = nameOf(failure.script, migrationsList);
        throw new StartError(`Migration ${name} failed, and none was applied: ${failure.error.message}`);
      });
    await client.query('COMMIT');
    return appliedMigrationNames;
  });
}

function nameOf(script: string, { migrationDirectories }: MigrationList): string | undefined {
  return migrationDirectories.find(
    ({ migrationFile: { content } }) => content.tag === 'ok' && content.value === script,
  )?.path;
}

/**
 * The SQL that turns a migrated database into what `schema.prisma` says; empty when it already is.
 * For developers: `npm run migration`.
 */
export async function pendingChanges(databaseUrl: string): Promise<string> {
  return inTransaction(databaseUrl, async (client) => {
    const { engine } = await openEngine(client);
    const files = [{ path: SCHEMA_FILE, content: await readFile(SCHEMA_FILE, 'utf8') }];
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', configDir: PRISMA_DIRECTORY, files },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    });
    return stdout?.includes('This is an empty migration') ? '' : (stdout ?? '');
  });
}
