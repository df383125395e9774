import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError, explainComplaint } from './errors.js';
import { type Launcher, launch } from './launcher.js';

/** The one role of the embedded PostgreSQL. */
export const ROLE = 'formgate';

/** What lies where inside the folder of the embedded PostgreSQL. */
export interface DataFolder {
  /** The folder as the user named it, for messages. */
  name: string;
  root: string;
  data: string;
  password: string;
  log: string;
}

/** Names the files of a data folder, with symbolic links resolved. Its parent must exist. */
export async function locateFolder(name: string): Promise<DataFolder> {
  const root = await realpath(name).catch(async () => join(await realpath(dirname(name)), basename(name)));
  return {
    name,
    root,
    data: join(root, 'data'),
    password: join(root, 'password'),
    log: join(root, 'server.log'),
  };
}

/**
 * Creates the cluster of a data folder unless it is there. It is made under another name and put in
 * place at the end, so that an interrupted attempt leaves nothing half-done. Callers take turns.
 *
 * @throws EmbeddedPostgresError when initdb fails, or when the cluster is of another major version.
 */
export async function initialise(
  folder: DataFolder,
  binaries: Binaries,
  launcher: Launcher,
  { sync }: { sync: boolean },
): Promise<void> {
  await removeDrafts(folder);
  const version = await readFile(join(folder.data, 'PG_VERSION'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (version === undefined) return createCluster(folder, binaries, launcher, sync);
  if (version.trim() !== binaries.major) {
    throw new EmbeddedPostgresError(
      `The data folder ${folder.name} was made by PostgreSQL ${version.trim()}, and this Formgate brings PostgreSQL ${binaries.major}. Move the folder away, or use the Formgate that made it.`,
    );
  }
}

async function createCluster(
  folder: DataFolder,
  binaries: Binaries,
  launcher: Launcher,
  sync: boolean,
): Promise<void> {
  const draft = await mkdtemp(draftPrefix(folder));
  try {
    const password = join(draft, basename(folder.password));
    await writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (launcher.owner) {
      for (const path of [draft, password]) await chown(path, launcher.owner.uid, launcher.owner.gid);
    }
    await runInitdb(folder, binaries, launcher, [
      `--pgdata=${join(draft, basename(folder.data))}`,
      `--username=${ROLE}`,
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(sync ? [] : ['--no-sync']),
    ]);
    await rename(draft, folder.root);
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

async function runInitdb(
  folder: DataFolder,
  { initdb }: Binaries,
  launcher: Launcher,
  args: string[],
): Promise<void> {
  const child = launch(launcher, initdb, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [complaints, code] = await Promise.all([text(child.stderr!), exit]);
  if (code === 0) return;
  const lines = complaints.split('\n').filter((line) => line.trim());
  const reason = lines.find((line) => /error|fatal|panic/i.test(line)) ?? lines.at(-1) ?? `code ${code}`;
  throw explainComplaint(
    complaints,
    folder.name,
    `PostgreSQL could not be set up in ${folder.name}: ${reason.trim()}`,
  );
}

const draftPrefix = (folder: DataFolder) => `${folder.root}.init-`;

async function removeDrafts(folder: DataFolder): Promise<void> {
  const prefix = basename(draftPrefix(folder));
  for (const name of await readdir(dirname(folder.root))) {
    if (!name.startsWith(prefix)) continue;
    // One that an orphaned initdb still writes to goes next time.
    await rm(join(dirname(folder.root), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
