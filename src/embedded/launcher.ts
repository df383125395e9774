import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { dirname, parse } from 'node:path';
import { EmbeddedPostgresError } from './errors.js';

interface Account {
  uid: number;
  gid: number;
}

/** How PostgreSQL's programs are run: as whom, and through which command. */
export interface Launcher {
  /** The account that must own PostgreSQL's files; absent when that is simply the current user. */
  owner?: Account;
  /** What Node switches to by itself; absent when the prefix does so. */
  switchTo?: Account;
  prefix: string[];
}

/** Starts a program by a launcher. */
export function launch(
  launcher: Launcher,
  program: string,
  args: string[],
  options: SpawnOptions,
): ChildProcess {
  const [command = program, ...rest] = [...launcher.prefix, program, ...args];
  // The current directory may be one that the other account must not enter.
  return spawn(command, rest, { cwd: parse(program).root, ...options, ...launcher.switchTo });
}

/**
 * Chooses how to run PostgreSQL for a data folder. It refuses to run as root, so root hands it to an
 * unprivileged account.
 *
 * @throws EmbeddedPostgresError when that account can reach the folder or the programs in no way.
 */
export async function chooseLauncher(directory: string, postgres: string): Promise<Launcher> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = await accountFor(directory);
  const candidates: Launcher[] = [
    { owner, switchTo: owner, prefix: [] },
    // A folder that only root may enter, such as a clone under /root. Reading past permissions is enough,
    // but the usual container withholds that capability and grants the wider one.
    { owner, prefix: withCapability(owner, 'dac_read_search') },
    { owner, prefix: withCapability(owner, 'dac_override') },
  ];
  for (const launcher of candidates) {
    if (await reaches(launcher, dirname(directory), postgres)) return launcher;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and the account that stands in (uid ${owner.uid}) cannot enter ${dirname(directory)} or run ${postgres}. Install setpriv (package util-linux), open the way with chmod o+x, or run Formgate as an ordinary user.`,
  );
}

/** The owner of the folder, or of the one it will stand in, if not root; else an account made for such. */
async function accountFor(directory: string): Promise<Account> {
  for (const path of [directory, dirname(directory)]) {
    const owner = await stat(path).catch(() => undefined);
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(accounts) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65534, gid: 65534 };
}

function withCapability({ uid, gid }: Account, capability: string): string[] {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    // PostgreSQL checks its programs with access(2), which ignores the capabilities of a plain user
    // unless this bit is set.
    '--securebits=+no_setuid_fixup',
  ];
}

async function reaches(launcher: Launcher, directory: string, postgres: string): Promise<boolean> {
  const script = 'cd "$1" && [ -x "$2" ] && exec "$2" --version';
  const child = launch(launcher, '/bin/sh', ['-c', script, 'sh', directory, postgres], { stdio: 'ignore' });
  const [code] = await once(child, 'exit').catch(() => [-1]);
  return code === 0;
}
