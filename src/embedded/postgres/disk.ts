import { statfs } from 'node:fs/promises';
import type { Logger } from '../../lib/telemetry/logger.js';

const MB = 1024 ** 2;

/** A segment of PostgreSQL's log takes 16 MB, and without room for the next one the server ends. */
const BOUNDS = { scarceBytes: 256 * MB, fullBytes: 64 * MB };

const LOOK_EVERY_MS = 60_000;

export type Disk = Readonly<{
  /** Tells whether so little is free that PostgreSQL may end with the next submissions. */
  isFull(): Promise<boolean>;
  stop(): void;
}>;

/**
 * Watches the disk of a folder, and warns once a minute while little is free. A quota of the account is not seen. A
 * disk whose figures cannot be read counts as free.
 */
export async function watchDisk(
  { directory, log }: Readonly<{ directory: string; log: Pick<Logger, 'warn'> }>,
  { scarceBytes, fullBytes } = BOUNDS,
): Promise<Disk> {
  const freeBytes = () =>
    statfs(directory).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => Number.POSITIVE_INFINITY,
    );

  async function look(): Promise<void> {
    const free = await freeBytes();
    if (free >= scarceBytes) return;
    const reason = `${Math.floor(free / MB)} MB are free for ${directory}`;
    log.warn({ cause: 'disk_nearly_full', reason }, 'The disk of the data folder is nearly full');
  }

  await look();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    isFull: async () => (await freeBytes()) < fullBytes,
    stop: () => clearInterval(timer),
  };
}
