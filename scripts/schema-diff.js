// Prints the SQL that turns the database of DATABASE_URL into what prisma/schema.prisma says; nothing when it already
// is. Prisma's schema engine, as WebAssembly, compares the two: its command line would download a binary first.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const CHAR_OID = 18;
const TEXT_OID = 25;

/** Loads the engine: 5 MB of WebAssembly. */
async function loadEngine() {
  const require = createRequire(import.meta.url);
  const file = require.resolve('@prisma/schema-engine-wasm').replace(/[^/\\]+$/, 'schema_engine_bg.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  // The engine reports a panic through this global before it throws.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };
  instance.exports.__wbindgen_start();
  return bindings.SchemaEngine;
}

/** Adapts a connection pool for the engine. */
function createAdapters(pool) {
  let charColumns = [];
  const query = pool.query.bind(pool);
  // Prisma's adapter does not know PostgreSQL's internal type "char", of which the catalogues are full.
  pool.query = async (...args) => {
    const result = await query(...args);
    charColumns = (result.fields ?? []).flatMap(({ dataTypeID }, index) =>
      dataTypeID === CHAR_OID ? index : [],
    );
    for (const index of charColumns) result.fields[index].dataTypeID = TEXT_OID;
    return result;
  };
  const factory = new PrismaPg(pool);
  return bindMigrationAwareSqlAdapterFactory({
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = await factory.connect();
      const queryRaw = adapter.queryRaw.bind(adapter);
      return Object.assign(adapter, {
        async queryRaw(asked) {
          const result = await queryRaw(asked);
          for (const index of charColumns) result.columnTypes[index] = ColumnTypeEnum.Character;
          return result;
        },
      });
    },
    connectToShadowDb: () => factory.connectToShadowDb(),
  });
}

/** Returns the SQL between a database and the schema. */
export async function diffSchema(databaseUrl) {
  const directory = fileURLToPath(new URL('../prisma/', import.meta.url));
  const path = `${directory}schema.prisma`;
  const content = await readFile(path, 'utf8');
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const SchemaEngine = await loadEngine();
    const engine = await SchemaEngine.new(
      { datamodels: [['schema.prisma', content]] },
      () => undefined,
      createAdapters(pool),
    );
    const files = [{ path, content }];
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', configDir: directory, files },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout?.includes('This is an empty migration') ? '' : (stdout ?? '');
  } finally {
    await pool.end();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(await diffSchema(process.env.DATABASE_URL));
  // The engine never clears a timer of ten seconds.
  process.exit(0);
}
