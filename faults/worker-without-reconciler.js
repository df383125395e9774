// A worker whose reconciler never runs, to see that the harness notices.
import { untilStopped } from '../dist/cli/until-stopped.js';
import { readSettings } from '../dist/config.js';
import { createLogger } from '../dist/lib/telemetry/logger.js';
import { createServices } from '../dist/services.js';
import { startWorker } from '../dist/worker.js';

const settings = readSettings();
const services = createServices(settings, createLogger(settings.logLevel, { process: 'worker' }));
services.queues.schedule = async () => undefined;
const worker = await startWorker(services);
await untilStopped();
await worker.close();
await services.close();
process.exit();
