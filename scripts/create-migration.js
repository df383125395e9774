// Creates the next migration from prisma/schema.prisma: `npm run migration -- <name>`.
// The migrations so far are applied to a database of their own, on the PostgreSQL of DATABASE_URL,
// which is dropped again; what the schema says beyond that becomes the new migration.
import { mkdirSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { migrate } from '../dist/modules/db/migration/migrate.js';
import { MIGRATIONS_DIRECTORY } from '../dist/modules/db/migration/migrations.js';
import { listMigrations } from './migration-digests.js';
import { diffSchema } from './schema-diff.js';

const name = process.argv[2] ?? '';
const connectionString = process.env.DATABASE_URL;
if (!/^[a-z][a-z0-9_]*$/.test(name) || !connectionString) {
  console.error('Usage: DATABASE_URL=postgres://… npm run migration -- <name in snake_case>');
  process.exit(1);
}

const scratch = `formgate_migration_${process.pid}`;
const scratchUrl = new URL(connectionString);
scratchUrl.pathname = `/${scratch}`;
const admin = new pg.Client({ connectionString });
await admin.connect();
await admin.query(`CREATE DATABASE ${scratch}`);
try {
  await migrate(scratchUrl.href);
  const script = await diffSchema(scratchUrl.href);
  if (!script) {
    console.error('The migrations already say what the schema says.');
    process.exitCode = 1;
  } else {
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const directory = `${MIGRATIONS_DIRECTORY}${stamp}_${name}`;
    mkdirSync(directory);
    writeFileSync(`${directory}/migration.sql`, script);
    listMigrations();
    console.log(`${directory}/migration.sql`);
  }
} finally {
  await admin.query(`DROP DATABASE ${scratch}`);
  await admin.end();
}
// The schema engine never clears a timer of ten seconds.
process.exit();
