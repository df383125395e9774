import pg from 'pg';

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

/**
 * Runs statements straight through the driver: those that are frequent or return many rows. Results that come
 * through Prisma, or through the driver's own promise or `query_timeout`, are linked to each other in V8's heap. So
 * whatever is sent and read is promoted to the old generation, and stays there until a full garbage collection.
 *
 * @param timeoutMs A statement that takes longer, counted from when it is sent, fails, and its connection is closed.
 * Null: no timeout.
 */
export function createDriver(config: pg.PoolConfig, timeoutMs: number | null): Driver {
  const open = (settings: pg.PoolConfig) =>
    // An idle connection that is lost is replaced with the next statement.
    new pg.Pool({ ...config, ...settings }).on('error', () => undefined);
  const pool = open({});
  /** Ends statements that were given up: they may have every connection of the pool. */
  const terminations = open({ max: 1 });

  /**
   * Ends a connection in PostgreSQL. While its statement waits for a lock, PostgreSQL does not notice that this
   * process has closed it: it would run the statement long after it has failed here.
   */
  function terminate(client: pg.PoolClient): void {
    const { processID } = client as pg.PoolClient & { processID: number | null };
    const end = { text: 'SELECT pg_terminate_backend($1)', values: [processID], query_timeout: timeoutMs };
    // When this fails, PostgreSQL is away.
    terminations.query(end).catch(() => undefined);
  }

  return {
    async run<Row>({ text, values, name }: Statement): Promise<Row[]> {
      const client = await pool.connect();
      let isLost = false;
      // A connection that is lost in use fails its statement, which reports the error.
      const lose = () => {
        isLost = true;
      };
      client.on('error', lose);
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise<Row[]>((resolve, reject) => {
          if (timeoutMs !== null) {
            timer = setTimeout(() => {
              lose();
              reject(new Error('Query read timeout'));
              terminate(client);
            }, timeoutMs);
          }
          client.query({ text, values: [...values], ...(name && { name }) }, (error, result) => {
            if (error) reject(error);
            else resolve(result.rows as Row[]);
          });
        });
      } finally {
        clearTimeout(timer);
        client.off('error', lose);
        client.release(isLost);
      }
    },

    async close(): Promise<void> {
      await Promise.all([pool.end(), terminations.end()]);
    },
  };
}
