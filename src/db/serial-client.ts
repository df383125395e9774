import type pg from 'pg';
import { UtcClient } from './utc-client.js';

type Send = (...sent: unknown[]) => unknown;

/**
 * A connection that sends a statement when the one before it has ended. Prisma sends several of a transaction at once,
 * which the driver would queue itself, with a deprecation warning in the midst of the log.
 */
export class SerialClient extends UtcClient {
  #ended: Promise<unknown> = Promise.resolve();

  // The driver's overloads: those with a callback, which its pool uses, return nothing and are sent at once.
  override query: typeof pg.Client.prototype.query = ((...sent: unknown[]): unknown => {
    const send = () => (super.query as Send).apply(this, sent);
    if (typeof sent.at(-1) === 'function') return send();
    const result = this.#ended.then(send);
    this.#ended = result.catch(() => undefined);
    return result;
  }) as typeof pg.Client.prototype.query;
}
