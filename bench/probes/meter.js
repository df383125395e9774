import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Stands in front of a server and counts the bytes to it, `up`, and from it, `down`. */
export async function createMeter() {
  const counted = { up: 0, down: 0 };
  let target;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    client.on('data', (chunk) => {
      counted.up += chunk.length;
    });
    upstream.on('data', (chunk) => {
      counted.down += chunk.length;
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Names the port of the server. */
    leadTo(port) {
      target = port;
    },
    bytes: () => ({ ...counted }),
    close: () => server.close(),
  };
}
