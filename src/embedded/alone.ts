import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedPostgresError } from './errors.js';

const WAIT_MS = 120_000;
const RETRY_MS = 20;

/**
 * Runs the work while no other process of this machine runs work under the same name.
 *
 * The lock is a listening abstract socket: unlike a lock file, the kernel takes it back at a kill -9. Only Linux
 * has such sockets; elsewhere PostgreSQL's own lock file is what keeps two servers apart.
 *
 * @throws EmbeddedPostgresError when the other process does not finish within two minutes.
 */
export async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return work();
  const path = `\0formgate-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  const lock = createServer((socket) => socket.destroy());
  for (const deadline = Date.now() + WAIT_MS; !(await listens(lock, path)); await pause(RETRY_MS)) {
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(`Another process has been busy starting ${name} for two minutes.`);
    }
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function listens(server: Server, path: string): Promise<boolean> {
  const listening = once(server, 'listening');
  server.listen(path);
  try {
    await listening;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
