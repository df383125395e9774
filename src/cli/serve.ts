import type { Logger } from '../lib/logger.js';
import { banner } from './banner.js';
import { openRuntime } from './runtime.js';
import { untilStopped } from './until-stopped.js';

/** Timeout of a statement: a hanging PostgreSQL becomes a 503 before the client gives up. */
const STATEMENT_TIMEOUT_MS = 1_900;

/** Maximum duration of a stop; what is still in flight then is due again. */
const STOP_TIMEOUT_MS = 9_500;

function forceExit(log: Logger): void {
  setTimeout(() => {
    log.warn('Stopped without waiting any longer');
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
}

/**
 * Runs the gateway, the worker, or with `start` both in this process, until SIGINT or SIGTERM.
 *
 * A stop first finishes requests and jobs in flight, and then closes everything.
 */
export async function serve(what: 'start' | 'gateway' | 'worker'): Promise<void> {
  const stopped = untilStopped();
  const runtime = await openRuntime({
    process: what,
    exclusive: what === 'start',
    mail: what !== 'gateway',
    ...(what !== 'worker' && { statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  });
  const { services, embedded } = runtime;
  const running: { close(): Promise<void> }[] = [];
  try {
    const gateway = what === 'worker' ? null : await (await import('../gateway.js')).startGateway(services);
    if (gateway) running.push(gateway);
    const isDemo = embedded && what === 'start';
    const demo = isDemo ? await (await import('../embedded/demo.js')).loadDemo(services) : null;
    if (what !== 'gateway') running.push(await (await import('../worker.js')).startWorker(services));
    if (gateway && what === 'start') {
      const mailPageUrl = embedded?.mailPageUrl ?? null;
      const demoSiteUrl = demo && embedded ? await embedded.openDemoSite(services) : null;
      process.stdout.write(banner({ url: gateway.url, mailPageUrl, demo, demoSiteUrl }));
    }
    await stopped;
  } finally {
    forceExit(services.log);
    await Promise.all(running.map((part) => part.close()));
    await runtime.close();
  }
}
