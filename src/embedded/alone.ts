import { createHash } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { EmbeddedPostgresError } from './errors.js';

const WAIT_MS = 120_000;

/**
 * Runs the work while no other process of this machine runs work under the same name.
 *
 * The lock is a listening abstract socket: unlike a lock file, the kernel takes it back at a kill -9, and
 * those who wait are told by their connection closing. Only Linux has such sockets; elsewhere the work
 * simply runs, and PostgreSQL's own lock file is what keeps two servers apart.
 *
 * @throws EmbeddedPostgresError when the other does not finish within two minutes.
 */
export async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return work();
  const path = `\0formgate-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  const free = await acquire(path, name);
  try {
    return await work();
  } finally {
    free();
  }
}

async function acquire(path: string, name: string): Promise<() => void> {
  const deadline = Date.now() + WAIT_MS;
  while (Date.now() < deadline) {
    const waiting = new Set<Socket>();
    const server = createServer((socket) => waiting.add(socket.on('error', () => undefined)));
    if (await listens(server, path)) {
      return () => {
        server.close();
        for (const socket of waiting) socket.destroy();
      };
    }
    await holderGone(path, deadline - Date.now());
  }
  throw new EmbeddedPostgresError(`Another process has been busy starting ${name} for two minutes.`);
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(path, () => resolve(true));
  });
}

function holderGone(path: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
