import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

/**
 * How long a statement waits for its turn. PostgreSQL ends a statement of the panel after two seconds, so this is long
 * enough for several before it.
 */
const TURN_TIMEOUT_MS = 5_000;

/** What uses connections: an account, or the address of a request without a session. */
type Holder = { key: string };

const holders = new AsyncLocalStorage<Holder>();

/** Runs work whose statements count as those of a holder. */
export const asHolder = <Result>(key: string, work: () => Result): Result => holders.run({ key }, work);

/** Ends the tracking of holders until `asHolder` runs again. What still runs counts as the process itself. */
export const stopTrackingHolders = (): void => holders.disable();

/** Changes the holder of what `asHolder` runs, once it is known better. Statements that wait keep their place. */
export function setHolder(key: string): void {
  const holder = holders.getStore();
  if (holder) holder.key = key;
}

type Waiting = { begin: () => void; isOver: boolean };

/**
 * Shares permits fairly among holders. A holder gets a further permit only while more are free than it has, so that a
 * single one gets three of five, and leaves two. A free permit goes to the holder that has the fewest, and of these to
 * the one that was served longest ago; the requests of one holder are served in FIFO order.
 */
export function createTurns(permits: number, timeoutMs = TURN_TIMEOUT_MS) {
  let free = permits;
  const heldBy = new Map<string, number>();
  // In the order in which holders are served.
  const waitingOf = new Map<string, Waiting[]>();
  const held = (key: string) => heldBy.get(key) ?? 0;

  function take(key: string): () => void {
    free -= 1;
    heldBy.set(key, held(key) + 1);
    return () => {
      free += 1;
      const left = held(key) - 1;
      if (left > 0) heldBy.set(key, left);
      else heldBy.delete(key);
      serve();
    };
  }

  /** Returns the waiting holder that is served next; null when none may take a permit now. */
  function next(): string | null {
    let found: string | null = null;
    for (const key of waitingOf.keys()) {
      if (held(key) < free && (found === null || held(key) < held(found))) found = key;
      if (found !== null && held(found) === 0) break;
    }
    return found;
  }

  function serve(): void {
    for (let key = next(); key !== null; key = next()) {
      const queue = waitingOf.get(key)!;
      const { begin, isOver } = queue.shift()!;
      waitingOf.delete(key);
      if (queue.length > 0) waitingOf.set(key, queue);
      if (!isOver) begin();
    }
  }

  /**
   * Waits for a permit and returns the function that releases it.
   *
   * @throws after `timeoutMs`, as when no connection comes, which the panel repeats.
   */
  function acquire(key: string): Promise<() => void> {
    if (held(key) < free && !waitingOf.has(key)) return Promise.resolve(take(key));
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { begin: () => undefined, isOver: false };
      const timer = setTimeout(() => {
        waiting.isOver = true;
        reject(new Error('timeout exceeded when trying to connect'));
      }, timeoutMs).unref();
      waiting.begin = () => {
        clearTimeout(timer);
        resolve(take(key));
      };
      const queue = waitingOf.get(key);
      if (queue) queue.push(waiting);
      else waitingOf.set(key, [waiting]);
    });
  }

  return { acquire };
}

const noop = () => undefined;

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (error?: Error | boolean) => void,
) => void;

/**
 * Creates a pool of connections that are shared fairly among holders. What runs outside `asHolder` counts as one more
 * holder, the process itself.
 */
export function createFairPool(config: pg.PoolConfig & { max: number }): pg.Pool {
  const pool = new pg.Pool(config);
  const turns = createTurns(config.max);
  const connect: () => Promise<pg.PoolClient> = pool.connect.bind(pool);

  async function connectInTurn(): Promise<pg.PoolClient> {
    const key = holders.getStore()?.key ?? '';
    const endTurn = await turns.acquire(key);
    try {
      const client = await connect();
      const release = client.release;
      client.release = (error) => {
        release(error);
        endTurn();
      };
      return client;
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  pool.connect = ((callback?: Callback) => {
    const connecting = connectInTurn();
    if (!callback) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, noop),
    );
  }) as typeof pool.connect;
  return pool;
}
