import { createHash, timingSafeEqual } from 'node:crypto';
import type { Express, Request } from 'express';
import { unauthenticated } from '../../errors.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { dependencyUp, forgetInstallation, registry } from '../../lib/telemetry/metrics.js';
import { type Checks, runChecks } from './health.js';

type Services = {
  config: { metricsToken: string | null };
  /** Updates the gauges of the whole installation. */
  measure: () => Promise<unknown>;
  log: Logger;
};

/** Sets `formgate_dependency_up` for each dependency of the process. */
async function measureDependencies(checks: Checks): Promise<void> {
  for (const [dependency, state] of Object.entries(await runChecks(checks)))
    dependencyUp.set({ dependency }, state === 'ok' ? 1 : 0);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function isAuthorized(request: Request, token: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(request.get('authorization') ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(token));
}

/**
 * Adds `GET /metrics` in Prometheus' text format, for requests that bear METRICS_TOKEN. Without such a token it is
 * served only on an `open` port, which is the operator's alone.
 */
export function serveMetrics(
  app: Express,
  { config, measure, log }: Services,
  { open, checks }: { open: boolean; checks: Checks },
): void {
  const token = config.metricsToken;
  if (token === null && !open) return;
  const warn = limitLog(log);
  app.get('/metrics', async (request, response) => {
    if (token !== null && !isAuthorized(request, token)) throw unauthenticated();
    const measured = measure().catch((error) => {
      warn(error, 'Metrics of the installation left out');
      // Old values would look like new ones.
      forgetInstallation();
    });
    await Promise.all([measured, measureDependencies(checks)]);
    response.type(registry.contentType).send(await registry.metrics());
  });
}
