// A worker whose reconciler never runs, to see that the harness notices.
import { untilStopped } from '../dist/modules/cli/until-stopped.js';
import { readSettings } from '../dist/modules/config.js';
import { createLogger } from '../dist/modules/lib/telemetry/logger.js';
import { createServices } from '../dist/modules/services.js';
import { startWorker } from '../dist/modules/worker.js';

const settings = readSettings();
const services = createServices(settings, createLogger(settings.logLevel, { process: 'worker' }));
services.queues.schedule = async () => undefined;
const worker = await startWorker(services);
await untilStopped();
await worker.close();
await services.close();
process.exit();
