import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

/** Where this package keeps its Prisma schema and migrations. */
export const PRISMA_DIRECTORY = fileURLToPath(new URL('../../prisma/', import.meta.url));

const SCHEMA_FILE = `${PRISMA_DIRECTORY}schema.prisma`;

/** Processes that migrate the same database take turns on this advisory lock. */
const MIGRATION_LOCK = 0x666d6774;

const NO_FILTERS = { externalTables: [], externalEnums: [] };

/** A migration was changed after it had been applied, or cannot be applied. The message names it. */
export class MigrationError extends Error {}

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
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': bindings,
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

/** The adapter does not know PostgreSQL's internal type "char", which the catalogues are full of. */
function readingCharAsText(pool: pg.Pool): pg.Pool {
  const query = pool.query.bind(pool) as (config: pg.QueryConfig) => Promise<pg.QueryResult>;
  return Object.assign(pool, {
    query: async (config: pg.QueryConfig) => {
      const result = await query(config);
      for (const field of result.fields ?? []) {
        if (field.dataTypeID === CHAR_OID) field.dataTypeID = TEXT_OID;
      }
      return result;
    },
  });
}

/** Opens Prisma's schema engine on a pool. Scripts run whole, so a function body may hold semicolons. */
async function openEngine(pool: pg.Pool): Promise<SchemaEngine> {
  const factory = new PrismaPg(readingCharAsText(pool));
  const engine = await loadEngine();
  return engine.SchemaEngine.new(
    { datamodels: [['schema.prisma', await readFile(SCHEMA_FILE, 'utf8')]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory({
      provider: factory.provider,
      adapterName: factory.adapterName,
      connect: async () =>
        Object.assign(await factory.connect(), {
          executeScript: async (script: string) => void (await pool.query(script)),
        }),
      connectToShadowDb: () => factory.connectToShadowDb(),
    }),
  );
}

/** Reads the migrations of this package in the form the engine takes them. */
export async function readMigrations(directory = `${PRISMA_DIRECTORY}migrations`): Promise<MigrationList> {
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
 * Applies the pending migrations and returns their names; none the second time.
 *
 * All of it is one transaction on one connection, behind an advisory lock: processes that start
 * together take turns, and one that is killed half-way leaves the database as it was.
 *
 * @throws MigrationError when an applied migration was edited since, naming it, or when one fails.
 */
export async function migrate(databaseUrl: string, directory?: string): Promise<string[]> {
  const migrationsList = await readMigrations(directory);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined);
  try {
    await pool.query('BEGIN');
    await pool.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const engine = await openEngine(pool);
    const history = await engine.diagnoseMigrationHistory({
      migrationsList,
      optInToShadowDatabase: false,
      filters: NO_FILTERS,
    });
    if (history.editedMigrationNames.length > 0) {
      throw new MigrationError(
        `Edited after it was applied: ${history.editedMigrationNames.join(', ')}. Restore the original file and put the change into a new migration.`,
      );
    }
    if (history.history && history.history.diagnostic !== 'databaseIsBehind') {
      throw new MigrationError(
        `The database has migrations that this version does not know: ${history.history.unpersistedMigrationNames.join(', ')}. Run the version that applied them, or a later one.`,
      );
    }
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
    await pool.query('COMMIT');
    return appliedMigrationNames;
  } finally {
    // Ending the connection of an unfinished transaction rolls it back.
    await pool.end();
  }
}

/**
 * The SQL that turns a migrated database into what `schema.prisma` says; empty when it already is.
 * For developers: `npm run migration`.
 */
export async function pendingChanges(databaseUrl: string): Promise<string> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const engine = await openEngine(pool);
    const files = [{ path: SCHEMA_FILE, content: await readFile(SCHEMA_FILE, 'utf8') }];
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', configDir: PRISMA_DIRECTORY, files },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    });
    return stdout?.includes('This is an empty migration') ? '' : (stdout ?? '');
  } finally {
    await pool.end();
  }
}
