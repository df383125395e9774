import { createHash, timingSafeEqual } from 'node:crypto';
import { type Request, Router } from 'express';
import { unauthenticated } from '../errors.js';
import { registry } from '../lib/metrics.js';

type Services = {
  config: { metricsToken: string | null };
  /** Brings the gauges of the whole installation up to date. */
  measure: () => Promise<unknown>;
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function isAuthorized(request: Request, token: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(token));
}

/**
 * `GET /metrics` in Prometheus' text format, for whoever shows METRICS_TOKEN. Where there is no such token it
 * is served only on an `open` port, which is nobody else's.
 */
export function metrics({ config, measure }: Services, { open }: { open: boolean }): Router {
  const router = Router();
  const token = config.metricsToken;
  if (token === null && !open) return router;
  router.get('/metrics', async (request, response) => {
    if (token !== null && !isAuthorized(request, token)) throw unauthenticated();
    // What PostgreSQL or the queue cannot tell just now keeps its last value; the rest is still told.
    await measure().catch(() => undefined);
    response.type(registry.contentType).send(await registry.metrics());
  });
  return router;
}
