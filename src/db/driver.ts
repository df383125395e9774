import pg from 'pg';

/** A statement, as `Prisma.sql` builds it. */
type Statement = Readonly<{
  text: string;
  values: readonly unknown[];
  /** Prepares it under this name once a connection, and keeps its plan. One name, one text. */
  name?: string;
}>;

/** Who waits for a statement: a public endpoint or an e-mail, or the panel, which may ask for much. */
type Use = 'public' | 'panel';

export type Statements = Readonly<{
  run<Row>(use: Use, statement: Statement): Promise<Row[]>;

  /**
   * As `run` for public endpoints, for a statement that the next of its kind follows closely: it may be sent behind
   * another that is still under way, on the same connection, so that PostgreSQL goes from one to the next without
   * waiting for this process. It must not need anybody's lock for long, since what is behind it waits as well.
   */
  runInLine<Row>(statement: Statement): Promise<Row[]>;
  close(): Promise<void>;
}>;

/** A connection, and the statements that are under way on it. */
type Line = {
  readonly client: Promise<pg.PoolClient>;
  statements: number;
  /** When the line was opened, or last moved, by `performance.now`. */
  movedAt: number;
  isLost: boolean;
};

/** Connections for each use: whatever the panel asks for, a submission finds one. */
const POOL_SIZE: Record<Use, number> = { public: 10, panel: 5 };

/** Statements of a line: one that PostgreSQL works on, and one that is there when it is done. */
export const MAX_IN_LINE = 2;

/** A statement that takes longer waits for the disk or for somebody's lock; others need not wait with it. */
export const PATIENCE_MS = 30;

/**
 * What public endpoints and e-mails look up, they look up by key. A plan that is kept must not read a whole table
 * because the table was small when it was made.
 */
const BY_KEY = '-c enable_seqscan=off';

/**
 * Runs statements straight through the driver: those that are asked often or bring much. What comes through
 * Prisma, or through the driver's own promise or `query_timeout`, hangs together in V8's heap: whatever is asked
 * and read goes to the old generation with it, and stays there until all of the heap is collected.
 *
 * @param timeoutMs A statement that takes longer fails, counted from when it is sent, and its connection is given up,
 * with what is in line on it. Null: as long as it takes.
 */
export function createStatements(config: pg.PoolConfig, timeoutMs: number | null): Statements {
  const open = (use: Use, settings: pg.PoolConfig) =>
    // A connection that is lost while nobody uses it is replaced with the next statement.
    new pg.Pool({ ...config, ...settings, max: POOL_SIZE[use] }).on('error', () => undefined);
  const pools: Record<Use, pg.Pool> = {
    // Without `pipeline` the driver would keep back what is to go behind another.
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
   * Gives up a connection at both ends: PostgreSQL does not notice while a statement waits for a lock, and would run it,
   * and what stands behind it, long after they have failed here.
   */
  function giveUp(client: pg.PoolClient): void {
    // The driver would wait for what is in line.
    client.connection.stream.destroy();
    const { processID } = client as pg.PoolClient & { processID: number | null };
    const end = { text: 'SELECT pg_terminate_backend($1)', values: [processID], query_timeout: timeoutMs };
    // Where this cannot be asked, PostgreSQL is away.
    pools.panel.query(end).catch(() => undefined);
  }

  async function run<Row>(line: Line, { text, values, name }: Statement): Promise<Row[]> {
    line.statements += 1;
    const client = await line.client.catch((error) => {
      line.isLost = true;
      throw error;
    });
    // A connection that is lost while it is used fails its statements, which is enough.
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
