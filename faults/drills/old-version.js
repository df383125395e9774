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

const versionOf = async (commit) => JSON.parse(await git('show', `${commit}:package.json`)).version;

/**
 * Finds in the history the versions that an installation may come from: the last release of another version with fewer
 * migrations than this one, as it was declared, and the last state of the version before that.
 *
 * @returns their commits, the oldest first. @throws Error with the reason when there is no history.
 */
export async function findOldVersions() {
  const releases = await git('log', '--format=%H', '-G"version":', '--', 'package.json').catch((error) => {
    throw new Error(error.code === 'ENOENT' ? 'git is not on the PATH' : 'this is not a git repository');
  });
  const current = await versionOf('HEAD');
  let declared = '';
  for (const commit of releases.split('\n').filter(Boolean)) {
    if ((await versionOf(commit)) === current || (await hasSameMigrations(commit))) continue;
    declared = commit;
    break;
  }
  const before = await git('rev-parse', '--verify', '--quiet', `${declared}^`).catch(() => '');
  // A shallow clone ends where it seems to begin.
  if (!declared || !before) throw new Error('the git history does not reach back to the version before');
  return [before, declared];
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
