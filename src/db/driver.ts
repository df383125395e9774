import pg from 'pg';

/** A statement, as `Prisma.sql` builds it. */
type Statement = Readonly<{
  text: string;
  values: readonly unknown[];
  /** Prepares it under this name once per connection, and keeps its plan. One name, one text. */
  name?: string;
}>;

/** What a statement serves: a public endpoint or an e-mail, or the panel, whose statements may be heavy. */
type Use = 'public' | 'panel';

export type Statements = Readonly<{
  run<Row>(use: Use, statement: Statement): Promise<Row[]>;

  /**
   * Runs a statement as `run` does for public endpoints, but pipelined: it may be sent on the connection of another
   * that is still in flight, so that PostgreSQL goes from one to the next without waiting for this process. It must
   * not wait long for a lock, since the statements behind it wait as well.
   */
  runInLine<Row>(statement: Statement): Promise<Row[]>;
  close(): Promise<void>;
}>;

/** A connection, and its pipelined statements in flight. */
type Line = {
  readonly client: Promise<pg.PoolClient>;
  statements: number;
  /** When the pipeline was opened, or its last statement ended, by `performance.now`. */
  movedAt: number;
  isLost: boolean;
};

/** Connections for each use, so that the panel's statements never take a submission's. */
const POOL_SIZE: Record<Use, number> = { public: 10, panel: 5 };

/** Pipelined statements per connection: one that PostgreSQL runs, and one that is there when it is done. */
export const MAX_IN_LINE = 2;

/** A statement that takes longer waits for the disk or for a lock; no further statement is pipelined behind it. */
export const PATIENCE_MS = 30;

/**
 * Disables sequential scans: public endpoints and e-mails read by key, and a kept plan must not scan a whole table
 * because the table was small when the plan was made.
 */
const BY_KEY = '-c enable_seqscan=off';

/**
 * Runs statements straight through the driver: those that are frequent or return many rows. Results that come
 * through Prisma, or through the driver's own promise or `query_timeout`, are linked to each other in V8's heap. So
 * whatever is sent and read is promoted to the old generation, and stays there until a full garbage collection.
 *
 * @param timeoutMs A statement that takes longer, counted from when it is sent, fails. Its connection is closed, with
 * the statements pipelined on it. Null: no timeout.
 */
export function createStatements(config: pg.PoolConfig, timeoutMs: number | null): Statements {
  const open = (use: Use, settings: pg.PoolConfig) =>
    // An idle connection that is lost is replaced with the next statement.
    new pg.Pool({ ...config, ...settings, max: POOL_SIZE[use] }).on('error', () => undefined);
  const pools: Record<Use, pg.Pool> = {
    // Without `pipeline` the driver would hold a statement back until the one before it has ended.
    public: open('public', { options: BY_KEY, pipeline: true }),
    panel: open('panel', {}),
  };
  let lastLine: Line | undefined;

  const openLine = (use: Use): Line => ({
    client: pools[use].connect(),
    statements: 0,
    movedAt: performance.now(),
    isLost: false,
  });

  function joinLine(): Line {
    const isOpen =
      lastLine &&
      !lastLine.isLost &&
      lastLine.statements > 0 &&
      lastLine.statements < MAX_IN_LINE &&
      performance.now() - lastLine.movedAt < PATIENCE_MS;
    if (!isOpen) lastLine = openLine('public');
    return lastLine!;
  }

  /**
   * Closes a connection at both ends. While a statement waits for a lock, PostgreSQL does not notice a closed socket:
   * it would run the statement, and those pipelined behind it, long after they have failed here.
   */
  function giveUp(client: pg.PoolClient): void {
    // The driver's own `end` would wait for the pipelined statements.
    client.connection.stream.destroy();
    const { processID } = client as pg.PoolClient & { processID: number | null };
    const end = { text: 'SELECT pg_terminate_backend($1)', values: [processID], query_timeout: timeoutMs };
    // When this fails, PostgreSQL is away.
    pools.panel.query(end).catch(() => undefined);
  }

  async function run<Row>(line: Line, { text, values, name }: Statement): Promise<Row[]> {
    line.statements += 1;
    const client = await line.client.catch((error) => {
      line.isLost = true;
      throw error;
    });
    // A connection that is lost in use fails its statements, which report the error.
    const lose = () => {
      line.isLost = true;
    };
    client.on('error', lose);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Row[]>((resolve, reject) => {
        if (timeoutMs !== null) {
          timer = setTimeout(() => {
            lose();
            reject(new Error('Query read timeout'));
            giveUp(client);
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
      line.statements -= 1;
      line.movedAt = performance.now();
      if (line.statements === 0) client.release(line.isLost);
    }
  }

  return {
    run: async (use, statement) => run(openLine(use), statement),
    runInLine: async (statement) => run(joinLine(), statement),

    async close(): Promise<void> {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
}
