import type { Config } from './config.js';
import { JOBS } from './jobs.js';
import type { Logger } from './lib/telemetry/logger.js';
import { measureBacklog } from './notifications/measure-backlog.js';
import { createInfrastructure, type Options } from './services/infrastructure.js';
import { createPanelServices } from './services/panel-services.js';
import { createSubmissionServices } from './services/submission-services.js';
import { createWorkerServices } from './services/worker-services.js';

export type Services = ReturnType<typeof createServices>;

/**
 * The composition root: creates every service after what it uses. What submissions and the panel both need, such as
 * tokens, is created for the connections of each. Nothing connects before its first use.
 */
export function createServices(config: Config, log: Logger, options: Options = {}) {
  const infrastructure = createInfrastructure(config, log, options);
  const submissions = createSubmissionServices(infrastructure);
  const panel = createPanelServices(infrastructure, submissions);
  const worker = createWorkerServices(infrastructure, submissions, panel);
  const { db, panelDb, redis, queues, mailer, appKeyCheck, backfills, changeFeed } = infrastructure;
  const { notifications, incidents, verdictCounts } = submissions;
  const { probes, credentials } = panel;

  return {
    ...infrastructure,
    ...submissions,
    ...panel,
    ...worker,

    /** How the notifications of the whole installation stand; also brings the gauges up to date. */
    async measure() {
      await backfills.measure();
      await worker.alerts.measure();
      return measureBacklog({ db, queues, jobs: Object.values(JOBS) });
    },

    /** Waits for work in flight, then closes every connection. */
    async close(): Promise<void> {
      appKeyCheck.close();
      await probes.close();
      const pending = [notifications, incidents, verdictCounts, credentials];
      await Promise.all(pending.map((service) => service.settled()));
      await queues.close();
      await mailer.close();
      await changeFeed.close();
      redis?.disconnect();
      await Promise.all([panelDb.close(), db.close()]);
    },
  };
}
