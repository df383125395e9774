import type { Socket } from 'node:net';

/** How long a refused client may go on sending, so that it reads the answer before the connection is cut. */
const LINGER_MS = 5_000;

/**
 * Cuts the connection of a refused client, once it has had the time to read the answer. @returns what calls this off.
 */
export function cutLater(socket: Socket): () => void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  return () => clearTimeout(timer);
}
