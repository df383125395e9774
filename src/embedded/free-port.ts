import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: of those, an attempt to reach a server that is down could
 * be given the port of that server itself, be connected to itself, and keep the server from coming back there.
 */
const PORTS = { from: 20_000, to: 30_000 };

let next = randomInt(PORTS.from, PORTS.to);

/** Each port in turn, so that the same one is not given twice before it is used. */
function nextPort(): number {
  next = next + 1 < PORTS.to ? next + 1 : PORTS.from;
  return next;
}

/** Finds a port of 127.0.0.1 that is free now: the preferred one, or else any that outgoing connections do not use. */
export async function freePort(preferred?: number): Promise<number> {
  const probe = createServer();
  const port = preferred ?? nextPort();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch (error) {
    // Windows reserves ranges of ports, which answer EACCES.
    const isTaken = ['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (preferred === undefined && !isTaken) throw error;
    return freePort();
  }
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
