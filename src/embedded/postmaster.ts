import { readFile, readlink, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.js';

/** The running server of a data folder, as its lock file describes it. */
export interface Postmaster {
  pid: number;
  port: number;
  /** Whether it takes connections: false while it starts, recovers or stops. */
  ready: boolean;
}

const lockFile = (folder: DataFolder) => join(folder.data, 'postmaster.pid');

/** Reads PostgreSQL's lock file; its lines are pid, folder, start time, port, … and, eighth, the state. */
async function readLockFile(folder: DataFolder): Promise<string[] | undefined> {
  try {
    return (await readFile(lockFile(folder), 'utf8')).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The server that runs on the folder; undefined when none does, whatever a stale lock file says. */
export async function findPostmaster(folder: DataFolder): Promise<Postmaster | undefined> {
  const lines = await readLockFile(folder);
  const pid = Number(lines?.[0]);
  if (!lines || !(pid > 0) || !(await serves(pid, folder))) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** The port of the server that runs, or last ran without being stopped. */
export async function lastPort(folder: DataFolder): Promise<number | undefined> {
  return Number((await readLockFile(folder))?.[3]) || undefined;
}

/** Whether the process is the server of this folder. Pids are used again, so being alive proves nothing. */
async function serves(pid: number, folder: DataFolder): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid);
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === folder.data;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return false;
  }
  // In a container not even root may see where another account's process stands, but all may see how it
  // was started.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.split('\0').includes(folder.data);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Keeps a dead server's lock file from blocking the next start. Call only when no server runs, alone.
 *
 * PostgreSQL refuses to start while the pid in the file is alive, even as another program. The file must
 * not just go, since it also leads to the shared memory that orphaned backends may still write through.
 * So the pid is replaced by this process's: PostgreSQL disregards that of its own parent.
 */
export async function disarmStaleLock(folder: DataFolder): Promise<void> {
  if (process.platform !== 'linux') return;
  const lines = await readLockFile(folder);
  if (!lines) return;
  if (Number(lines[0]) > 0) {
    await writeFile(lockFile(folder), [process.pid, ...lines.slice(1)].join('\n'));
  } else if (Date.now() - (await stat(lockFile(folder))).mtimeMs > 1_000) {
    // Killed between creating the file and filling it; a server that is alive fills it at once.
    await unlink(lockFile(folder));
  }
}
