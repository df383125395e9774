import { readdir, readFile } from 'node:fs/promises';

/** Ticks of the kernel's clock in a second, of every Linux. */
const TICKS = 100;

/** Reads the CPU time of a process, and of the children that it has waited for, in seconds. */
async function readStat(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets, and may have spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, ofChildren, systemOfChildren] = fields.slice(11, 15).map(Number);
  return {
    parent: Number(fields[1]),
    own: (user + system) / TICKS,
    ofEnded: (ofChildren + systemOfChildren) / TICKS,
  };
}

/** Reads the CPU time of a server and its processes, those that have ended included, by the pid of one of them. */
async function readServer(pid) {
  const { parent: postmaster } = await readStat(pid);
  const { own, ofEnded } = await readStat(postmaster);
  const others = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(others.map((other) => readStat(other).catch(() => null)));
  const children = stats.filter((stat) => stat?.parent === postmaster);
  return children.reduce((sum, child) => sum + child.own, own + ofEnded);
}

/** Reads the CPU time so far of processes, and of PostgreSQL by one of its `backend`s, in seconds. */
export async function readCpu({ backend, ...pids }) {
  const own = await Promise.all(
    Object.entries(pids).map(async ([name, pid]) => [name, (await readStat(pid)).own]),
  );
  return { ...Object.fromEntries(own), postgres: await readServer(backend) };
}
