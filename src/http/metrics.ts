import { createHash, timingSafeEqual } from 'node:crypto';
import type { Express, Request } from 'express';
import { unauthenticated } from '../errors.js';
import { registry } from '../lib/metrics.js';

type Services = {
  config: { metricsToken: string | null };
  /** Updates the gauges of the whole installation. */
  measure: () => Promise<unknown>;
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function isAuthorized(request: Request, token: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(token));
}

/**
 * Adds `GET /metrics` in Prometheus' text format, for requests that bear METRICS_TOKEN. Without such a token it is
 * served only on an `open` port, which is the operator's alone.
 */
export function serveMetrics(app: Express, { config, measure }: Services, { open }: { open: boolean }): void {
  const token = config.metricsToken;
  if (token === null && !open) return;
  app.get('/metrics', async (request, response) => {
    if (token !== null && !isAuthorized(request, token)) throw unauthenticated();
    // While PostgreSQL or the queue is away its gauges keep their last values; the others are still served.
    await measure().catch(() => undefined);
    response.type(registry.contentType).send(await registry.metrics());
  });
}
