import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Writes a folder of migrations, by their names. */
export async function migrationFolder(migrations: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(process.env.TEST_FOLDER ?? tmpdir(), 'migrations-'));
  for (const [name, sql] of Object.entries(migrations)) await writeMigration(directory, name, sql);
  return directory;
}

export async function writeMigration(directory: string, name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'migration.sql'), sql);
}

export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'a long reader' });
  await client.connect();
  return client;
}
