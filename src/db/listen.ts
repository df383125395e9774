import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { causeOf } from '../lib/telemetry/cause.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { LISTENER_NAME } from './older-processes.js';

const RETRY_MS = 500;
const CONNECT_TIMEOUT_MS = 2_000;

/** After this long without traffic the kernel probes whether the other end is alive. */
const KEEP_ALIVE_MS = 10_000;

export type Listener = Readonly<{ close(): Promise<void> }>;

/**
 * Listens to a PostgreSQL channel on a connection of its own, which reconnects whenever it is lost. Notifications
 * sent in between are lost: a caller that must not miss one reads the current state in `onListening`. A transaction
 * pooler would pass none on.
 *
 * @param onListening Called each time that listening has begun.
 */
export function listen({
  databaseUrl,
  channel,
  log,
  onListening,
  onMessage,
}: {
  databaseUrl: string;
  channel: string;
  log: Logger;
  onListening: () => void;
  onMessage: (payload: string) => void;
}): Listener {
  const stop = new AbortController();
  let away = false;

  /** Runs one session, which ends with its connection. */
  async function session(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    const ended = new Promise((resolve) => client.once('end', resolve));
    const end = () => client.end().catch(() => undefined);
    stop.signal.addEventListener('abort', end);
    // The `end` event follows an error, and ends the session.
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await client.connect();
      // Not as an option of the connection, which a name in the address would replace.
      await client.query(`SELECT set_config('application_name', $1, false)`, [LISTENER_NAME]);
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (away) log.info({ channel }, 'Listening again');
      away = false;
      onListening();
      await ended;
    } finally {
      stop.signal.removeEventListener('abort', end);
      await end();
    }
  }

  async function keepListening(): Promise<void> {
    while (!stop.signal.aborted) {
      const error = await session().then(
        () => new Error('The connection ended'),
        (failure: Error) => failure,
      );
      if (stop.signal.aborted) return;
      if (!away) log.warn({ channel, ...causeOf(error) }, 'Not listening; trying again');
      away = true;
      await sleep(RETRY_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = keepListening();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
