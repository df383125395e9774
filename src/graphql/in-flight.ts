import type { ServerResponse } from 'node:http';
import { GraphQLError } from 'graphql';
import { tooManyRequests } from '../errors.js';
import { whenOver } from '../http/server/response-over.js';
import { createSemaphore, type Semaphore } from '../lib/semaphore.js';

/**
 * Maximum operations of an account, or of an address without a session, until their answers have been read. It bounds
 * what answers hold in memory, and is twice what the panel asks for at once. Connections are shared in
 * `db/fair-pool.ts`.
 */
export const MAX_IN_FLIGHT = 16;

/** Maximum operations that wait behind them: the panel in several tabs that a browser opens again. */
export const MAX_WAITING = 64;

const RETRY_AFTER_S = 1;

/** Builds the refusal of an operation before it begins: RATE_LIMITED, with HTTP 429. */
function refusal(): GraphQLError {
  const originalError = tooManyRequests(RETRY_AFTER_S);
  return new GraphQLError(originalError.message, { originalError, extensions: { http: { status: 429 } } });
}

type Entry = { semaphore: Semaphore; count: number };

/** Bounds the operations in flight of each account or address. */
export function createInFlight() {
  const entries = new Map<string, Entry>();

  /**
   * Waits until an operation may begin. It is in flight until its response has been sent or its connection is closed.
   *
   * @returns whether it had to wait, maybe for minutes.
   * @throws GraphQLError RATE_LIMITED when too many wait already.
   */
  return async function enter(key: string, response: ServerResponse): Promise<boolean> {
    const entry = entries.get(key) ?? { semaphore: createSemaphore(MAX_IN_FLIGHT), count: 0 };
    if (entry.count >= MAX_IN_FLIGHT + MAX_WAITING) throw refusal();
    const waits = entry.count >= MAX_IN_FLIGHT;
    entries.set(key, entry);
    entry.count += 1;
    const leave = () => {
      entry.count -= 1;
      if (entry.count === 0) entries.delete(key);
    };
    await new Promise<void>((begin) => {
      const untilSent = () =>
        new Promise<void>((end) => {
          begin();
          whenOver(response, end);
        });
      entry.semaphore(untilSent).finally(leave);
    });
    return waits;
  };
}
