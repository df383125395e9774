import { setTimeout as pause } from 'node:timers/promises';
import type { Embedded } from '../embedded/embedded.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Services } from '../services.js';
import { banner } from './banner.js';
import { openRuntime } from './runtime.js';
import { untilStopped } from './until-stopped.js';

/** Timeout of a statement of the gateway: a hanging PostgreSQL becomes a 503 before the client gives up. */
const STATEMENT_TIMEOUT_MS = 1_900;

/**
 * Maximum duration of a stop, with room for a slow machine before ten seconds; what is still in flight then is due
 * again.
 */
const STOP_TIMEOUT_MS = 9_000;

/** When a stop ends the embedded servers, whatever still uses them: they must not outlive the process. */
const EMBEDDED_STOP_MS = 7_000;

function forceExit(log: Logger, embedded: Embedded | null): void {
  // What fails is thrown where the stop waits for the same end.
  setTimeout(() => embedded?.close().catch(() => undefined), EMBEDDED_STOP_MS).unref();
  setTimeout(() => {
    log.warn('Stopped without waiting any longer');
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
}

/** Loads OpenTelemetry only where its variables name a collector. */
async function startTracing(what: string, { config, log }: Services): Promise<(() => Promise<void>) | null> {
  if (!config.tracing) return null;
  const tracing = await import('../lib/telemetry/start-tracing.js');
  return tracing.startTracing(what === 'start' ? 'formgate' : `formgate-${what}`, config.tracing, log);
}

/**
 * Runs the gateway, the worker, or with `start` both in this process, until SIGINT or SIGTERM.
 *
 * A stop first says that the process is not ready, and serves on for DRAIN_DELAY_S, until no load balancer sends it
 * requests. Then it finishes requests and jobs in flight, and closes everything.
 */
export async function serve(what: 'start' | 'gateway' | 'worker'): Promise<void> {
  const stopped = untilStopped();
  const runtime = await openRuntime({
    process: what,
    exclusive: what === 'start',
    mail: what !== 'gateway',
    ...(what !== 'worker' && { statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  });
  const { services, workerServices, embedded } = runtime;
  /** What runs on each set of services, which is closed after it. */
  const running = new Map<Services, { close(): Promise<void> }[]>([
    [services, []],
    [workerServices, []],
  ]);
  let stopTracing: (() => Promise<void>) | null = null;
  try {
    stopTracing = await startTracing(what, services);
    const gateway = what === 'worker' ? null : await (await import('../gateway.js')).startGateway(services);
    if (gateway) running.get(services)!.push(gateway);
    const isDemo = embedded && what === 'start';
    const demo = isDemo ? await (await import('../embedded/demo/demo.js')).loadDemo(services) : null;
    if (what !== 'gateway') {
      running.get(workerServices)!.push(await (await import('../worker.js')).startWorker(workerServices));
    }
    if (gateway && what === 'start') {
      const mailPageUrl = embedded?.mailPageUrl ?? null;
      const demoSiteUrl = demo && embedded ? await embedded.openDemoSite(services) : null;
      process.stdout.write(banner({ url: gateway.url, mailPageUrl, demo, demoSiteUrl }));
    }
    await stopped;
    services.readiness.drain();
    workerServices.readiness.drain();
    const { drainDelayS } = services.config;
    if (gateway && drainDelayS > 0) {
      services.log.info({ drainDelayS }, 'Draining');
      await pause(drainDelayS * 1_000);
    }
  } finally {
    forceExit(services.log, embedded);
    // What the gateway still has to write does not wait for a slow statement of the worker.
    await Promise.all(
      [...running].map(async ([own, parts]) => {
        await Promise.all(parts.map((part) => part.close()));
        await own.close();
      }),
    );
    await embedded?.close();
    await stopTracing?.();
  }
}
