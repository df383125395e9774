import { connect } from 'node:net';
import type pg from 'pg';

/** A statement, as `Prisma.sql` builds it. */
type Statement = Readonly<{
  text: string;
  values: readonly unknown[];
  /** Prepares it under this name once per connection, and keeps its plan. One name, one text. */
  name?: string;
}>;

export type Driver = Readonly<{
  run<Row>(statement: Statement): Promise<Row[]>;
  close(): Promise<void>;
}>;

/** What a CancelRequest has in place of the protocol's version (manual, 54.7). */
const CANCEL_REQUEST = 80_877_102;
const CANCEL_TIMEOUT_MS = 500;

/** What PostgreSQL, or the pooler in front of it, knows a connection by; the types of `pg` leave it out. */
type Backend = Readonly<{ host: string; port: number; processID: number; secretKey: number }>;

/**
 * Cancels a connection's statement. While it waits for a lock, PostgreSQL does not notice that this process has closed
 * the connection: it would run the statement long after it has failed here. A pooler can only cancel what a connection
 * of its own still waits for.
 *
 * @returns when the request is answered, or after half a second; then PostgreSQL is away.
 */
function cancel(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  for (const [index, value] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(value, index * 4);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => undefined).resume();
  socket.write(request);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/**
 * Runs statements straight through the driver: those that are frequent or return many rows. Results that come
 * through Prisma, or through the driver's own promise or `query_timeout`, are linked to each other in V8's heap. So
 * whatever is sent and read is promoted to the old generation, and stays there until a full garbage collection.
 *
 * @param timeoutMs A statement that takes longer, counted from when it is sent, fails, and its connection is closed.
 * Null: no timeout.
 */
export function createDriver(pool: pg.Pool, timeoutMs: number | null): Driver {
  // An idle connection that is lost is replaced with the next statement.
  pool.on('error', () => undefined);

  return {
    async run<Row>({ text, values, name }: Statement): Promise<Row[]> {
      const client = await pool.connect();
      let isLost = false;
      // A connection that is lost in use fails its statement, which reports the error.
      const lose = () => {
        isLost = true;
      };
      client.on('error', lose);
      const release = () => {
        client.off('error', lose);
        client.release(isLost);
      };
      let timer: NodeJS.Timeout | undefined;
      let cancellation: Promise<void> | undefined;
      try {
        return await new Promise<Row[]>((resolve, reject) => {
          if (timeoutMs !== null) {
            timer = setTimeout(() => {
              lose();
              reject(new Error('Query read timeout'));
              cancellation = cancel(client);
            }, timeoutMs);
          }
          client.query({ text, values: [...values], ...(name && { name }) }, (error, result) => {
            if (error) reject(error);
            else resolve(result.rows as Row[]);
          });
        });
      } finally {
        clearTimeout(timer);
        if (cancellation) cancellation.then(release);
        else release();
      }
    },

    close: () => pool.end(),
  };
}
