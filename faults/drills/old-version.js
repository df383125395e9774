import { execFile, execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { local } from '../processes.js';

const ROOT = local('..');

const run = promisify(execFile);
const git = async (...args) => (await run('git', args, { cwd: ROOT })).stdout.trim();

/** Tells whether a commit has the migrations of this version, so that an upgrade from it would migrate nothing. */
const hasSameMigrations = (commit) =>
  git('diff', '--quiet', commit, '--', 'prisma/migrations').then(
    () => true,
    () => false,
  );

/** @returns the commit before this one; empty where the history begins, as it seems to in a shallow clone. */
const parentOf = (commit) => git('rev-parse', '--verify', '--quiet', `${commit}^`).catch(() => '');

/**
 * Finds in the history the versions that an installation may come from: the releases with fewer migrations than this
 * version, as each was declared, and the last state before the first of them.
 *
 * @returns the commits of the releases, the oldest first, and that of the state before. @throws Error with the reason
 * when there is no history.
 */
export async function findOldVersions() {
  const declared = await git('log', '--format=%H', '-G"version":', '--', 'package.json').catch((error) => {
    throw new Error(error.code === 'ENOENT' ? 'git is not on the PATH' : 'this is not a git repository');
  });
  const releases = [];
  for (const commit of declared.split('\n').filter(Boolean)) {
    if ((await parentOf(commit)) && !(await hasSameMigrations(commit))) releases.unshift(commit);
  }
  if (releases.length === 0)
    throw new Error('the git history does not reach back to a version with fewer migrations');
  return { before: await parentOf(releases[0]), releases };
}

/**
 * Builds the version of a commit in a folder, with the packages that are installed here.
 *
 * @returns its version and its command.
 */
export async function buildOldVersion(commit, directory) {
  await mkdir(directory, { recursive: true });
  const archive = await run('git', ['archive', '--format=tar', commit], {
    cwd: ROOT,
    encoding: 'buffer',
    maxBuffer: 1_000_000_000,
  });
  execFileSync('tar', ['-x', '-C', directory], { input: archive.stdout });
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await run(process.execPath, [join(directory, 'scripts/build.js')], { cwd: directory });
  const { version } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  return { version, cli: join(directory, 'dist/cli.js') };
}
