import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.js';

export type Pooler = Readonly<{ url: string; stop(): Promise<void> }>;

/** Starts a PgBouncer that gives each transaction one of so few connections that they go from client to client. */
export async function startPooler(databaseUrl: string, connections = 2): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const ownPort = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${database} = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
`,
  );
  // As root it runs under another account.
  const isRoot = process.getuid?.() === 0;
  await Promise.all([chmod(folder, 0o755), chmod(file, 0o644)]);
  const child = spawn('pgbouncer', [...(isRoot ? ['--user=nobody'] : []), file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('process up')) resolve();
    });
    exited.then(() => reject(new Error(`pgbouncer ended: ${printed}`)), reject);
  });
  return {
    url: `postgres://${username}@127.0.0.1:${ownPort}/${database}?sslmode=disable`,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
