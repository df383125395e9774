import type { Express } from 'express';
import { VERSION } from '../../lib/telemetry/version.js';
import type { DependencyState, Readiness } from './readiness.js';

/** The checks of a process by name: `database` and `queue`, and `mail` for a worker. */
export type Checks = Readonly<Record<string, () => Promise<DependencyState>>>;

/** Runs every check at once. */
export async function runChecks(checks: Checks): Promise<Record<string, DependencyState>> {
  const states = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await check()]),
  );
  return Object.fromEntries(states);
}

/** The checks of a process; a worker also needs the mail server. */
export const checksOf = ({ database, queue }: Readiness, mail?: Checks[string]): Checks => ({
  database,
  queue,
  ...(mail && { mail }),
});

/**
 * Adds `GET /healthz`, the liveness check with the version, and `GET /readyz`, the readiness check with the state of
 * each dependency: 200 only when a submission would be recorded, handed over and, by a worker, mailed. A process that
 * is about to stop is `draining` whatever they say.
 */
export function serveHealth(
  app: Express,
  { isDraining }: Pick<Readiness, 'isDraining'>,
  checks: Checks,
): void {
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok', version: VERSION });
  });

  app.get('/readyz', async (_request, response) => {
    if (isDraining()) return void response.status(503).json({ process: 'draining' });
    const states = await runChecks(checks);
    const isReady = Object.values(states).every((state) => state === 'ok');
    response.status(isReady ? 200 : 503).json(states);
  });
}
