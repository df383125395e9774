// What a run that was killed has left: its folder, and servers that still run for it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServer } from '../dist/modules/embedded/postgres/server.js';

/** How a run's folder begins; its process id follows. */
const PREFIX = 'formgate-bench-';

export const directoryPrefix = () => join(tmpdir(), `${PREFIX}${process.pid}-`);

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Whether a process was started with the folder in its arguments or writes its output into it. */
function worksFor(pid, directory) {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${directory}/`)) return true;
    return readlinkSync(`/proc/${pid}/fd/1`).startsWith(`${directory}/`);
  } catch {
    // It has ended, or is another account's.
    return false;
  }
}

/** Stops and removes what is left of runs whose process is gone. Folders of runs that go on are not touched. */
export async function removeLeftovers() {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (!pid || isAlive(pid)) continue;
    const directory = join(tmpdir(), name);
    await (await openServer(join(directory, 'postgres'))).stop();
    for (const each of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      if (worksFor(each, directory)) process.kill(Number(each), 'SIGKILL');
    }
    await rm(directory, { recursive: true, force: true });
  }
}
