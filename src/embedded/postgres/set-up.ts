import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, explainComplaint } from './errors.js';
import type { Programs } from './programs.js';

/** The only role of the embedded PostgreSQL. */
export const ROLE = 'formgate';

/** A folder's name as the user gave it, and its path. */
export type Folder = Readonly<{ name: string; root: string }>;

/**
 * Creates the cluster of a data folder unless it exists. The cluster is created under another name and renamed at the
 * end, so that an interrupted attempt leaves no partial cluster, and the first of several concurrent attempts wins.
 *
 * @throws EmbeddedPostgresError when initdb fails, or when the cluster is of another major version.
 */
export async function setUp(folder: Folder, programs: Programs, { sync }: { sync: boolean }): Promise<void> {
  let version = await versionOf(folder);
  if (version === undefined) {
    await create(folder, programs, sync).catch(async (error) => {
      version = await versionOf(folder);
      if (version === undefined) throw error;
    });
  }
  if (version !== undefined && version !== programs.major) {
    throw new EmbeddedPostgresError(
      `The data folder ${folder.name} was made by PostgreSQL ${version}, and this Formgate brings PostgreSQL ${programs.major}. Move the folder away, or use the Formgate that made it.`,
    );
  }
  await removeDrafts(folder);
}

async function versionOf({ root }: Folder): Promise<string | undefined> {
  try {
    return (await readFile(join(root, 'data/PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function create({ name, root }: Folder, { owner, initdb }: Programs, sync: boolean): Promise<void> {
  const draft = await mkdtemp(`${root}.init-`);
  try {
    const password = join(draft, 'password');
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (owner) for (const path of [draft, password]) await chown(path, owner.uid, owner.gid);
    const { code, output } = await initdb([
      `--pgdata=${join(draft, 'data')}`,
      `--username=${ROLE}`,
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(sync ? [] : ['--no-sync']),
    ]);
    if (code !== 0) {
      const lines = output.split('\n').filter((line) => line.trim());
      const reason = lines.find((line) => /error|fatal|panic/i.test(line)) ?? lines.at(-1) ?? `code ${code}`;
      throw explainComplaint(output, name, `PostgreSQL could not be set up in ${name}: ${reason.trim()}`);
    }
    await rename(draft, root);
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

/** Removes the drafts of interrupted attempts; a concurrent attempt fails its rename and uses the existing cluster. */
async function removeDrafts({ root }: Folder): Promise<void> {
  for (const name of await readdir(dirname(root))) {
    if (!name.startsWith(`${basename(root)}.init-`)) continue;
    // A draft that an orphaned initdb still writes to is removed next time.
    await rm(join(dirname(root), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
