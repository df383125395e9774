import DataLoader from 'dataloader';
import type { IssuedLogin } from '../auth/session-issuer.js';
import type { Viewer } from '../auth/viewer.js';
import type { AnswerSize } from './answer-bound.js';

/** Loads a batch of keys; the values are in the order of the keys, null for a missing one. */
type Batch<K, V> = (keys: readonly K[]) => Promise<readonly V[]>;

/** Loads values of the batch functions of one request, and caches them. */
export type Load = (<K, V>(batch: Batch<K, V>, key: K) => Promise<V>) &
  Readonly<{
    /** Clears what was loaded, since a change makes it stale. */
    clearAll(): void;
  }>;

/** The request's context for its resolvers. */
export type PanelContext = Readonly<{
  /** Null: the request has no login. */
  viewer: Viewer | null;
  /** The secret of a login that waits for its second step; null: none. */
  challenge: string | null;
  client: Readonly<{
    ip: string;
    userAgent: string | null;
    /** The key of a limit per address. */
    ipKey: string;
  }>;
  requestId: string;
  /** The size of the answer so far. */
  answer: AnswerSize;
  /** Names the operation for the log and the metrics. */
  setOperation(name: string): void;
  /** Sets the cookie of a session, or of a challenge before it. @returns whether it is a session. */
  enter(opened: IssuedLogin): boolean;
  /** Clears the cookie of the session. */
  leave(): void;
  /** Batches the keys that list entries load from one service function into one call, and caches them per request. */
  load: Load;
}>;

/** The context of an operation that only logged-in viewers reach. */
export type ViewerContext = PanelContext & Readonly<{ viewer: Viewer }>;

/** Creates `load` for one request, with a DataLoader per batch function, which must be the same object each time. */
export function createLoad(): Load {
  const loaders = new Map<unknown, DataLoader<unknown, unknown>>();
  const load = <K, V>(batch: Batch<K, V>, key: K): Promise<V> => {
    let loader = loaders.get(batch) as DataLoader<K, V> | undefined;
    if (!loader) {
      loader = new DataLoader<K, V>(async (keys) => [...(await batch(keys))]);
      loaders.set(batch, loader as DataLoader<unknown, unknown>);
    }
    return loader.load(key);
  };
  return Object.assign(load, { clearAll: () => loaders.clear() });
}
