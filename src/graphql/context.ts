import DataLoader from 'dataloader';
import type { Viewer } from '../auth/viewer.js';
import type { AnswerSize } from './answer-bound.js';

/** Finds many things in one go: the answers stand in the order of the keys, null for what is not there. */
export type Batch<K, V> = (keys: readonly K[]) => Promise<readonly V[]>;

/** What a resolver knows of the request that it answers. */
export type PanelContext = Readonly<{
  /** Null: nobody is logged in. */
  viewer: Viewer | null;
  client: Readonly<{
    ip: string;
    userAgent: string | null /** What a limit per address counts by. */;
    ipKey: string;
  }>;
  requestId: string;
  /** How large the answer has become. */
  answer: AnswerSize;
  /** Gives the browser a session's secret, or takes it away with null. */
  setSession(secret: string | null): void;
  /** Gathers what many list entries ask of one service function into one call; remembers within the request. */
  load<K, V>(batch: Batch<K, V>, key: K): Promise<V>;
}>;

/** The context of an operation that only logged in viewers reach. */
export type ViewerContext = PanelContext & Readonly<{ viewer: Viewer }>;

/** `load` of one request. The batch function itself is the key, so it must be the same object each time. */
export function createLoad(): PanelContext['load'] {
  const loaders = new Map<unknown, DataLoader<unknown, unknown>>();
  return <K, V>(batch: Batch<K, V>, key: K): Promise<V> => {
    let loader = loaders.get(batch) as DataLoader<K, V> | undefined;
    if (!loader) {
      loader = new DataLoader<K, V>(async (keys) => [...(await batch(keys))]);
      loaders.set(batch, loader as DataLoader<unknown, unknown>);
    }
    return loader.load(key);
  };
}
