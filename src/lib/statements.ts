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
  close(): Promise<void>;
}>;

/** Connections for each use: whatever the panel asks for, a submission finds one. */
const POOL_SIZE = 10;

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
 * @param timeoutMs A statement that takes longer fails, and its connection is given up. Null: as long as it takes.
 */
export function createStatements(config: pg.PoolConfig, timeoutMs: number | null): Statements {
  const open = (settings: pg.PoolConfig) =>
    // A connection that is lost while nobody uses it is replaced with the next statement.
    new pg.Pool({ ...config, ...settings, max: POOL_SIZE }).on('error', ignore);
  const pools: Record<Use, pg.Pool> = { public: open({ options: BY_KEY }), panel: open({}) };

  return {
    async run<Row>(use: Use, { text, values, name }: Statement): Promise<Row[]> {
      const client = await pools[use].connect();
      // One that is lost while it is used fails the statement, which is enough.
      client.on('error', ignore);
      let timer: NodeJS.Timeout | undefined;
      let isLate = false;
      try {
        const late = new Promise<never>((_, reject) => {
          if (timeoutMs === null) return;
          timer = setTimeout(() => {
            isLate = true;
            reject(new Error('Query read timeout'));
          }, timeoutMs);
        });
        const answer = new Promise<pg.QueryResult>((resolve, reject) => {
          client.query({ text, values: [...values], ...(name && { name }) }, (error, result) => {
            if (error) reject(error);
            else resolve(result);
          });
        });
        return (await Promise.race([answer, late])).rows as Row[];
      } finally {
        clearTimeout(timer);
        client.off('error', ignore);
        client.release(isLate);
      }
    },

    async close(): Promise<void> {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
}

const ignore = () => undefined;
